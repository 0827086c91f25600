"""scripts/train.py as a person runs it: every config composes, Ctrl-C saves, two ranks train as one."""

import importlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from hydra import compose, initialize_config_dir
from omegaconf import OmegaConf

from agents.checkpoint import latest, load_policy
from agents.config import TrainConfig
from jo_env.bots import BatchBot

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


@pytest.mark.parametrize("game", ["jo", "rummy_bo"])
def test_the_experiment_of_the_shipped_policy_is_the_one_that_made_it(game):
    importlib.import_module("scripts.train")
    with initialize_config_dir(str(ROOT / "configs"), version_base="1.3"):
        config = asdict(OmegaConf.to_object(compose("train", [f"experiment={game}"])))
    made = load_policy(ROOT / "checkpoints" / f"{game}.safetensors")[1]["config"]
    length = "num_updates" if config["minutes"] is None else "minutes"
    for name in (length, "num_games", "num_steps", "lookahead", "net", "clone"):
        assert made[name] == config[name], name


class Cheat(BatchBot):
    """A bot whose actions are never legal."""

    def choose(self, views, masks, seeds):
        return np.full(len(views), -1)


def test_the_config_shows_every_number():
    # What is written there is what the code has, so that a run by hand and one by the script are the same.
    written = OmegaConf.to_container(OmegaConf.load(ROOT / "configs" / "train.yaml"))
    written["game"] = OmegaConf.load(ROOT / "configs" / "game" / "jo.yaml").game
    defaults = json.loads(json.dumps(asdict(TrainConfig())))
    assert {name: written[name] for name in defaults} == defaults


def run_script(folder: Path, *overrides: str) -> subprocess.Popen:
    settings = ["experiment=smoke", f"folder={folder}", "name=run", *overrides]
    flags = [text for text in settings if text.startswith("-")]  # argparse wants them before the settings
    command = [sys.executable, str(SCRIPT), *flags, *(text for text in settings if text not in flags)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("RANK")}
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder, env=environment
    )


def test_ctrl_c_saves_and_the_same_command_goes_on(tmp_path):
    process = run_script(tmp_path, "num_updates=100000", "checkpoint_every=100000")
    assert process.stdout is not None
    while not process.stdout.readline().strip().startswith("clone"):  # the first update is done
        pass
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 130, output
    assert "stopped; the same command goes on from here" in output
    state = latest(tmp_path / "run")
    assert state is not None
    stopped_at = load_policy(state / "policy.safetensors")[1]["update"]
    process = run_script(tmp_path, f"num_updates={stopped_at + 4}")
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 0, output
    assert f"going on from update {stopped_at}" in output and "trained: " in output
    assert load_policy(tmp_path / "run" / "policy.safetensors")[1]["update"] == stopped_at + 4


@pytest.mark.parametrize("ranks", [1, 2])
def test_a_damaged_state_is_one_line_whichever_rank_finds_it(tmp_path, ranks):
    process = run_script(tmp_path, f"ranks={ranks}", "num_updates=2")
    output, _ = process.communicate(timeout=240)
    assert process.returncode == 0, output
    state = latest(tmp_path / "run")
    assert state is not None
    path = state / f"rank-{ranks - 1}.safetensors"
    path.write_bytes(path.read_bytes()[:-100])
    process = run_script(tmp_path, f"ranks={ranks}", "num_updates=4")
    output, _ = process.communicate(timeout=240)
    assert process.returncode == 1
    lines = [line for line in output.splitlines() if "getting compiled code ready" not in line]
    assert len(lines) == 1 and f"rank-{ranks - 1}.safetensors: not a checkpoint" in lines[0], output


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


def processes_of(folder):
    """The ranks of a run that are alive: {rank: process id}."""
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command, environment = (process / "cmdline").read_bytes(), (process / "environ").read_bytes()
        except OSError:  # gone, or not ours
            continue
        if f"folder={folder}".encode() in command.split(b"\0"):
            ranks = [value[5:] for value in environment.split(b"\0") if value.startswith(b"RANK=")]
            found |= {int(rank): int(process.name) for rank in ranks}
    return found


def test_a_run_survives_the_loss_of_a_rank(tmp_path):
    process = run_script(tmp_path, "ranks=2", "num_updates=60", "resume=false", "evaluate.every=1000")
    deadline = time.monotonic() + 240
    while latest(tmp_path / "run") is None and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(processes_of(tmp_path)[1], signal.SIGKILL)
    output, _ = process.communicate(timeout=240)
    assert process.returncode == 0, output
    assert "a rank was killed; all begin again" in output and "going on from update" in output
    assert load_policy(tmp_path / "run" / "policy.safetensors")[1]["update"] == 60


def test_a_sweep_is_one_command(tmp_path):
    settings = ["hydra/launcher=joblib", "hydra.launcher.n_jobs=2", "name=run-${seed}", "seed=1,2", "-m"]
    process = run_script(tmp_path, "num_updates=2", *settings)
    output, _ = process.communicate(timeout=240)
    assert process.returncode == 0, output
    for seed in (1, 2):
        _, info = load_policy(tmp_path / f"run-{seed}" / "policy.safetensors")
        assert (info["update"], info["config"]["seed"]) == (2, seed)
    process = run_script(tmp_path, "ranks=2", *settings)
    output, _ = process.communicate(timeout=240)
    assert process.returncode == 1 and "ranks=2: the runs of a sweep share the cores; give ranks=1" in output


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        (["num_games=0"], "ConfigError: num_games=0"),
        (["clone.teacher=nobody"], "BotError: 'nobody' is no bot"),
        (["start_from=/nowhere.safetensors"], "CheckpointError: /nowhere.safetensors: there is no such file"),
        ([f"clone.teacher={__file__}:Cheat"], "IllegalActionError: Cheat: player_"),
    ],
)
def test_a_bad_config_is_one_clear_line(tmp_path, overrides, message):
    process = run_script(tmp_path, *overrides)
    output, _ = process.communicate(timeout=120)
    assert process.returncode == 1
    assert message in output
    assert "Traceback" not in output
    assert not list(tmp_path.iterdir())
