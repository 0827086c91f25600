"""Evaluations: the figures by hand, the same ones from the same seed, and one clear line for bad input."""

import json
import os
import runpy
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tiny import tiny_checkpoint

from agents import export, report
from agents import jo as jo_agents
from agents.arena import Result
from agents.report import EvaluateConfig, dump, evaluate, summary, table
from jo_env.errors import IllegalActionError, SettingsError

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "evaluate.py"


class FirstLegal:
    """A user's own bot: JSON views only."""

    def act(self, view):
        return {"buy": {"type": "pass"}, "draw": {"type": "draw_stock"}}.get(
            view["phase"], {"type": "discard", "card": view["hand"][0]}
        )


class Cheat:
    def act(self, view):
        return {"type": "discard", "card": "AC"}


def test_figures_by_hand():
    # Two deals of two rotations and one round: points of bot 0 and bot 1.
    points = np.array([[[[0, 10]], [[4, 2]]], [[[0, 30]], [[6, 6]]]], np.int32)
    config = EvaluateConfig(lineup=("a", "b"), settings={"rounds": (3,)}, num_deals=2)
    first, second = summary(config, Result(points, 99, -1))["results"]
    # Deal by deal, bot 0 wins 1/2 and (1 + 1/2) / 2 of its games; 1.96 s / sqrt(2) with s = 0.25 / sqrt(2).
    assert first["win_rate"] == {"mean": 0.625, "margin": 0.245}
    assert second["win_rate"] == {"mean": 0.375, "margin": 0.245}
    assert first["mean_points"] == {"mean": 2.5, "margin": 0.98}  # 2 and 3
    assert second["mean_points"] == {"mean": 12.0, "margin": 11.76}  # 6 and 18
    assert first["mean_rank"] == {"mean": 1.375, "margin": 0.245}  # 1.5 and (1 + 1.5) / 2
    assert second["mean_rank"] == {"mean": 1.625, "margin": 0.245}


def test_same_seed_same_result_whatever_plays(tmp_path, monkeypatch):
    views = export.sample_views(jo_agents, per_kind=1, num_games=1)
    monkeypatch.setattr(export, "sample_views", lambda game: views)  # a small bundle loads quickly
    checkpoint = tiny_checkpoint(tmp_path / "tiny.safetensors")
    export.export_policy(checkpoint, tmp_path / "bundle")
    settings = {"settings": {"rounds": (1, 3), "max_turns": 8}, "num_deals": 2}
    lineup = (f"policy:{checkpoint}", f"policy:{tmp_path / 'bundle'}", f"{__file__}:FirstLegal")
    made = evaluate(EvaluateConfig(lineup, seed=5, **settings))
    assert dump(evaluate(EvaluateConfig(lineup, seed=5, **settings))) == dump(made)
    assert evaluate(EvaluateConfig(lineup, seed=6, **settings))["results"] != made["results"]
    assert [row["bot"] for row in made["results"]] == list(lineup)
    assert sum(row["win_rate"]["mean"] for row in made["results"]) == pytest.approx(1, abs=1e-5)
    assert sum(row["mean_rank"]["mean"] for row in made["results"]) == pytest.approx(6, abs=1e-5)
    assert (made["seats"], made["settings"]["rounds"], made["num_deals"], made["seed"]) == (3, (1, 3), 2, 5)


def test_processes_share_the_deals():
    config = EvaluateConfig(("greedy", "random"), settings={"rounds": (1,), "max_turns": 6}, num_deals=130)
    assert dump(evaluate(replace(config, processes=2))) == dump(evaluate(config))


def test_greedy_beats_random_and_the_last_bot_fills_the_table():
    config = EvaluateConfig(("greedy", "random"), seats=4, settings={"rounds": (1,)}, num_deals=10)
    rows = evaluate(config)["results"]
    assert [row["bot"] for row in rows] == ["greedy", "random", "random", "random"]
    assert rows[0]["win_rate"]["mean"] - rows[0]["win_rate"]["margin"] > 0.5
    assert rows[0]["mean_rank"]["mean"] < 2 < rows[1]["mean_rank"]["mean"]


def test_progress_and_more_deals_begin_with_the_same(monkeypatch):
    monkeypatch.setattr(report, "DEALS_AT_ONCE", 4)
    heard, seen = [], []
    monkeypatch.setattr(report, "summary", lambda _, result: seen.append(result.points) or {})
    for num_deals in (10, 8):
        config = EvaluateConfig(("greedy", "greedy"), settings={"rounds": (2,)}, num_deals=num_deals)
        evaluate(config, heard.append)
    assert heard == [4, 8, 10, 4, 8]
    assert seen[0].shape == (10, 2, 1, 2)
    assert (seen[0][:8] == seen[1]).all()
    assert (seen[0][:4] != seen[0][4:8]).any()


def test_table_shows_every_figure():
    config = EvaluateConfig(("greedy", "random"), settings={"rounds": (1,)}, num_deals=2)
    shown = table(
        summary(config, Result(np.array([[[[0, 10]], [[4, 2]]], [[[0, 30]], [[6, 6]]]], np.int32), 9, -1))
    )
    cells = [list(column.cells) for column in shown.columns]
    assert [row[0] for row in cells] == ["greedy", "62.5% ± 24.5%", "2.5 ± 1.0", "1.38 ± 0.24"]
    assert "games with rounds (1,), seed 7" in shown.title


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"lineup": ()}, "lineup"),
        ({"lineup": ("greedy",)}, "seats=1: Jo is played by 2, 3 or 4 seats"),
        ({"lineup": ("greedy",) * 5}, "seats=5"),
        ({"seats": 3}, "seats=3: the lineup has 4 bots"),
        ({"num_deals": 1}, "num_deals=1"),
        ({"seed": -1}, "seed=-1"),
        ({"settings": {"rounds": (8,)}}, "rounds="),
        ({"settings": {"decks": 1}}, "decks=1"),
        ({"settings": {"jokers": 2}}, "settings=.*jokers"),
        ({"settings": {"seats": 2}}, "settings.seats=2"),
        ({"game": "bridge"}, "game='bridge'; give one of jo"),
        ({"settings": {"max_turns": 0}}, "max_turns=0"),
        ({"out": "."}, r"out=\.: is a folder"),
    ],
)
def test_bad_settings(change, problem):
    with pytest.raises(SettingsError, match=problem):
        evaluate(EvaluateConfig(**change))


def test_a_bot_that_breaks_the_rules_is_named():
    config = EvaluateConfig((f"{__file__}:Cheat", "greedy"), num_deals=2)
    with pytest.raises(IllegalActionError, match=r"Cheat: player_\d may not play"):
        evaluate(config)


# --- the script -----------------------------------------------------------------------------------


def run_here(monkeypatch, *overrides) -> str:
    """Run the script in this process; returns what it exits with."""
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), *overrides])
    with pytest.raises(SystemExit) as caught:
        runpy.run_path(str(SCRIPT), run_name="__main__")
    return str(caught.value)


def test_script(tmp_path):
    out = tmp_path / "new" / "evaluation.json"
    settings = ["lineup=[greedy,random]", "seats=3", "num_deals=4", "seed=9"]
    rules = ["settings.rounds=[1,7]", "settings.max_turns=null", "settings.decks=3"]
    done = subprocess.run(
        [sys.executable, SCRIPT, *settings, *rules, f"out={out}"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"COLUMNS": "100"},
    )
    assert done.returncode == 0, done.stderr
    made = json.loads(out.read_text())
    rules = {"rounds": [1, 7], "decks": 3, "max_turns": None}
    config = EvaluateConfig(("greedy", "random"), seats=3, settings=rules, num_deals=4, seed=9)
    assert made == json.loads(dump(evaluate(config)))
    assert "4 deals x 3 rotations, games with rounds [1, 7], decks 3, max_turns None, seed 9" in " ".join(
        done.stdout.split()
    )
    assert f"{made['results'][0]['win_rate']['mean']:.1%} ± " in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    assert [path.name for path in out.parent.iterdir()] == ["evaluation.json"]


@pytest.mark.parametrize(
    ("overrides", "problem"),
    [
        (["lineup=[greedy,nobody]"], "BotError: 'nobody' is no bot; give"),
        (
            ["lineup=[policy:gone.safetensors,greedy]"],
            "BotError: policy:gone.safetensors: there is no",
        ),
        (["lineup=[greedy]"], "SettingsError: seats=1"),
    ],
)
def test_script_names_bad_input_in_one_line(monkeypatch, overrides, problem):
    message = run_here(monkeypatch, *overrides)
    assert message.startswith(problem) and "\n" not in message


def test_script_shows_the_figures_even_if_they_cannot_be_kept(monkeypatch, tmp_path, capsys):
    (tmp_path / "file").write_text("")
    lineup = ["lineup=[greedy,random]", "settings.rounds=[1]", "num_deals=2"]
    message = run_here(monkeypatch, *lineup, f"out={tmp_path / 'file' / 'evaluation.json'}")
    assert "Error: " in message and "\n" not in message
    assert "2 deals x 2 rotations" in capsys.readouterr().out
