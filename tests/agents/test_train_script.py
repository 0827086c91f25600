"""scripts/train.py as a person runs it: every config composes, Ctrl-C saves, two ranks train as one."""

import importlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from agents.checkpoint import latest, load_policy
from agents.config import TrainConfig

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "train.py"
EXPERIMENTS = sorted(path.stem for path in (ROOT / "configs" / "experiment").glob("*.yaml"))


@pytest.mark.parametrize("experiment", [None, *EXPERIMENTS])
def test_every_config_composes(experiment):
    importlib.import_module("scripts.train")  # registers the schema
    overrides = [f"experiment={experiment}"] if experiment else []
    with initialize_config_dir(str(ROOT / "configs"), version_base="1.3"):
        config = OmegaConf.to_object(compose("train", overrides))
    assert isinstance(config, TrainConfig)
    config.check()


def run_script(folder: Path, *overrides: str) -> subprocess.Popen:
    command = [sys.executable, str(SCRIPT), "experiment=smoke", f"folder={folder}", "name=run", *overrides]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RANK")}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder, env=environment
    )


def test_ctrl_c_saves_and_the_same_command_goes_on(tmp_path):
    process = run_script(tmp_path, "num_updates=100000", "checkpoint_every=100000")
    assert process.stdout is not None
    process.stdout.readline()  # the first update is done
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0, output
    state = latest(tmp_path / "run")
    assert state is not None
    stopped_at = load_policy(state / "policy.safetensors")[1]["update"]
    process = run_script(tmp_path, f"num_updates={stopped_at + 4}")
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0, output
    assert load_policy(tmp_path / "run" / "policy.safetensors")[1]["update"] == stopped_at + 4


def test_two_ranks_share_one_policy(tmp_path):
    process = run_script(tmp_path, "ranks=2", "num_updates=6")
    output, _ = process.communicate(timeout=240)
    assert process.returncode == 0, output
    state = latest(tmp_path / "run")
    assert state is not None
    assert {path.name for path in state.glob("rank-*")} == {"rank-0.safetensors", "rank-1.safetensors"}
    _, info = load_policy(state / "policy.safetensors")
    assert info["update"] == 6
    rows = 24 * 16 * 2
    assert rows * 2 < info["decisions"] <= rows * 6  # both ranks' decisions are counted


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["num_games=0"], "ConfigError: num_games=0"),
        (["clone.teacher=nobody"], "BotError: 'nobody' is no bot"),
    ],
)
def test_a_bad_config_is_one_clear_line(tmp_path, overrides, message):
    process = run_script(tmp_path, *overrides)
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 1
    assert message in output
    assert "Traceback" not in output
    assert not list(tmp_path.iterdir())
