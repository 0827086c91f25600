"""The page of evaluations and ratings: every figure is on it, in its place, and names are escaped."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from agents.arena import Result
from agents.page import Dot, dots, page
from agents.ratings import Rating
from agents.report import EvaluateConfig, dump, evaluate, summary

ROOT = Path(__file__).resolve().parents[2]


def made(lineup=("planner", "greedy"), seats=2, seed=0):
    points = np.random.default_rng(seed).integers(0, 60, (5, seats, 7, seats)).astype(np.int32)
    return summary(EvaluateConfig(lineup, seats=seats), Result(points, 1, -1)), points


def test_every_figure_is_on_the_page():
    (two, points), (four, _) = made(), made(("my.bots:<Mine>", "planner"), 4)
    text = page(
        [two, four], [Rating("greedy", 1000.0, 0.0, 10), Rating("planner", 1234.4, 12.0, 10)], "Bots & more"
    )
    for report in (two, four):
        figure = report["results"][0]["win_rate"]
        assert f"{figure['mean']:.1%} ± {figure['margin']:.1%}" in text
    for r in range(7):
        assert f"<td>{points[:, :, r, 0].mean():.1f}</td>" in text
    assert "1234 ± 12" in text and "chance 50%" in text and "chance 25%" in text
    assert (
        "Bots &amp; more" in text and "my.bots:&lt;Mine&gt; against planner" in text and "<Mine>" not in text
    )
    assert "lineup=[planner,greedy] num_deals=500 seed=7" in text
    assert text.count("<svg") == text.count("</svg>") == 3


def test_points_by_hand_add_up_to_points_a_hand():
    report, _ = made()
    for row in report["results"]:
        rounds = [figure["mean"] for figure in row["points_by_hand"]]
        assert np.mean(rounds) == pytest.approx(row["mean_points"]["mean"], abs=1e-5)


def test_dots_lie_on_one_scale():
    drawn = dots([Dot("a", 0.5, 0.1, ""), Dot("b", 0.7, 0.1, "")], reference=0.6, note="here")
    a, b = (float(x) for x in re.findall(r'circle cx="([\d.]+)"', drawn))
    line = float(re.search(r'line x1="([\d.]+)" x2="\1"', drawn).group(1))
    assert line == pytest.approx((a + b) / 2, abs=0.1)
    ends = [float(x) for x in re.findall(r'x[12]="([\d.]+)"[^/]*stroke-width', drawn)]
    assert dots([Dot("alone", 0.5, 0.0, "")], reference=None, note="").count("<circle") == 1
    assert min(ends) < a < b


def test_script(tmp_path):
    report = evaluate(EvaluateConfig(("greedy", "random"), num_deals=2, settings={"rounds": (1,)}))
    (tmp_path / "two.json").write_text(dump(report))
    (tmp_path / "games.jsonl").write_text('{"deal": "1", "bots": ["greedy", "random"], "worths": [-1, -2]}\n')

    def run(*options):
        command = [sys.executable, ROOT / "scripts" / "report.py", *options]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    done = run("two.json", "--log", "games.jsonl", "--out", "new/page.html")
    assert done.returncode == 0, done.stderr
    text = (tmp_path / "new" / "page.html").read_text()
    assert "greedy against random" in text and "Ratings" in text
    assert run("gone.json").stderr.startswith("FileNotFoundError: ")
    (tmp_path / "old.json").write_text('{"seats": 2}')
    assert "an evaluation lacks 'results'" in run("old.json").stderr
    assert run().returncode == 2
