"""Ratings: strengths that are known come back, with intervals that hold; ties, anchors and circles."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from agents.ratings import ANCHOR_RATING, ELO, Game, cyclic_triples, fit_ratings

ROOT = Path(__file__).resolve().parents[2]
STRENGTHS = {"a": 0.0, "b": 0.5, "c": -1.0, "d": 1.2, "e": 0.1}


def draw_games(num_deals: int, seed: int, seats=(2, 3, 4)) -> list[Game]:
    """Games whose orders follow the model: the least of exponential times in proportion to exp(-strength)."""
    rng = np.random.default_rng(seed)
    games = []
    for deal in range(num_deals):
        bots = tuple(rng.permutation(list(STRENGTHS))[: seats[deal % len(seats)]].tolist())
        times = [rng.exponential(np.exp(-STRENGTHS[bot])) for bot in bots]
        games.append(Game(str(deal), bots, tuple(-int(1e6 * time) for time in times)))
    return games


def test_known_strengths_come_back_within_their_intervals():
    inside = []
    for seed in range(20):
        for rating in fit_ratings(draw_games(600, seed), "a"):
            if rating.bot != "a":
                inside.append(
                    abs(rating.rating - ANCHOR_RATING - ELO * STRENGTHS[rating.bot]) <= rating.margin
                )
    assert 0.87 < np.mean(inside) <= 1  # 80 intervals of 95 %


def test_two_bots_rate_by_their_odds():
    games = [Game(str(i), ("x", "y"), (9, 0) if i < 750 else (0, 9)) for i in range(1000)]
    x, y = fit_ratings(games, "y")
    assert (x.bot, y.rating, y.margin, x.num_games) == ("x", ANCHOR_RATING, 0, 1000)
    # One tie with the anchor is added to 750 wins of 1000; independent games have the binomial's interval.
    assert x.rating - ANCHOR_RATING == pytest.approx(ELO * np.log(750.5 / 250.5), abs=1e-6)
    assert x.margin == pytest.approx(ELO * 1.96 / np.sqrt(1001 * 0.75 * 0.25), rel=0.01)


def test_games_of_one_deal_count_as_one_observation():
    once = fit_ratings(draw_games(300, 1), "a")
    twice = fit_ratings([game for game in draw_games(300, 1) for _ in range(4)], "a")
    for rating, other in zip(once, twice, strict=True):
        assert other.margin == pytest.approx(rating.margin, rel=0.05)


def test_a_bot_that_always_wins_has_a_rating():
    games = [Game(str(i), ("best", "anchor"), (50, 0)) for i in range(20)]
    best = fit_ratings(games, "anchor")[0]
    assert best.bot == "best"
    assert best.rating == pytest.approx(ANCHOR_RATING + ELO * np.log(20.5 / 0.5), abs=1e-6)


def test_equal_totals_are_no_evidence_either_way():
    games = [Game(str(i), ("x", "y", "z"), (5, 5, 5)) for i in range(30)]
    assert [rating.rating for rating in fit_ratings(games, "x")] == pytest.approx([ANCHOR_RATING] * 3)


def test_an_anchor_that_played_nothing_is_named():
    with pytest.raises(ValueError, match="greedy played none of the games; these did: x, y"):
        fit_ratings([Game("1", ("x", "y"), (1, 0))], "greedy")


def test_cyclic_triples():
    beats = [("a", "b"), ("b", "c"), ("c", "a"), ("a", "d"), ("b", "d"), ("c", "d")]
    games = [Game(str(i), pair, (1, 0)) for i, pair in enumerate(beats)]
    assert cyclic_triples(games) == (1, 4)
    assert cyclic_triples(games[:2]) == (0, 0)


def test_rate_adds_to_its_log_and_goes_on(tmp_path):
    log = tmp_path / "games.jsonl"

    def rate(*options):
        command = [sys.executable, "scripts/rate.py", "--bots", "greedy", "planner", "random", "--seats", "3"]
        return subprocess.run(
            [*command, "--log", str(log), *options], cwd=ROOT, capture_output=True, text=True, check=False
        )

    first = rate("--deals", "2")
    assert first.returncode == 0, first.stderr
    lines = log.read_text().splitlines()
    assert len(lines) == 6
    again = rate("--deals", "1")
    assert again.returncode == 0, again.stderr
    assert log.read_text().splitlines()[:6] == lines
    deals = [json.loads(line)["deal"] for line in log.read_text().splitlines()]
    assert len(deals) == 9 and len(set(deals)) == 3
    log.write_text("nonsense\n")
    broken = rate("--deals", "0")
    assert broken.returncode == 1 and "line 1: is no game" in broken.stderr


def test_deals_of_every_number_of_seats_and_seed(tmp_path):
    # Streams of streams are numbers of 64 bits, of which half do not fit a signed one.
    for seed in ("7", "8", "9"):
        command = [
            sys.executable,
            "scripts/rate.py",
            "--bots",
            "greedy",
            "planner",
            "random",
            "planner-buyer",
        ]
        options = ["--deals", "1", "--seed", seed, "--log", str(tmp_path / f"{seed}.jsonl")]
        done = subprocess.run([*command, *options], cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert len((tmp_path / f"{seed}.jsonl").read_text().splitlines()) == 2 + 3 + 4
