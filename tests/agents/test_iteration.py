"""Policy iteration: rows are what was played, networks agree, fits find advantages that are there."""

import functools
import json
from dataclasses import asdict, replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import torch
from hydra import compose, initialize_config_dir
from hydra.core.config_store import ConfigStore
from omegaconf import OmegaConf
from test_heuristics import positions

from agents.arena import play_mirrored
from agents.candidates import MOST_MOVES
from agents.config import ConfigError
from agents.games import load_iteration
from agents.iteration import loop
from agents.iteration.advantages import YES, Advantages, judge
from agents.iteration.explore import Rows, explore
from agents.iteration.fit import AdvantageNet, Fit, FitConfig
from agents.jo import iteration as jo_iteration
from agents.jo.heuristics.odds import ODDS
from agents.jo.heuristics.planner import default_weights
from agents.jo.iteration.standing import PER_SEAT, STANDING_SIZE, write_standing
from agents.jo.iteration.traits import BUILDING, DOWN, DRAWING
from jo_env.bots import make_bot
from jo_env.jo.rules import hand_points
from jo_env.jo.state import MAX_SEATS
from jo_env.jo.view import VIEW, look

HOW: dict = {"share": 0.2, "within": 1e9, "lookahead": 3, "opponents": {}, "max_turns": 100}
both_games = pytest.mark.parametrize(
    "game", [load_iteration(name) for name in ("jo", "rummy_bo")], ids=["jo", "rummy_bo"]
)
SHAPE = jo_iteration.PlannerImproved.shape


def net(seed: int, hidden: int = 5, game: ModuleType = jo_iteration) -> AdvantageNet:
    torch.manual_seed(seed)
    made = AdvantageNet(game, hidden)
    with torch.no_grad():
        for p in made.parameters():
            p.normal_(std=0.3)
    return made


def play(game: ModuleType, seed: int = 0) -> Rows:
    return explore(game, net(seed, game=game).export(), 3000, seed=1, **HOW, num_games=12)


PLAYED = {
    game: functools.cache(functools.partial(play, game)) for game in map(load_iteration, ("jo", "rummy_bo"))
}


@pytest.fixture(scope="module")
def rows() -> Rows:
    return PLAYED[jo_iteration]()


@both_games
def test_without_advantages_it_plays_as_the_planner(game):
    zero = Advantages.zero(*game.PlannerImproved.shape)
    improved, planner = game.PlannerImproved(zero), make_bot("planner", game.room.GAME_NAME)
    mixed = play_mirrored(game.room, [improved, planner, improved], 4, 1)
    assert (mixed.points == play_mirrored(game.room, [planner] * 3, 4, 1).points).all()
    explored = explore(game, zero, 200, seed=3, **HOW, num_games=6)
    assert not explored.planned.any()


@both_games
def test_the_compiled_network_is_the_fitted_one(game):
    rows, made = PLAYED[game](), net(1, game=game)
    advantages, hidden = made.export(), np.zeros((2, 5), np.float32)
    for kind in range(len(game.KINDS)):
        some = np.flatnonzero(rows.kinds == kind)[:50]
        wanted = made.judge(torch.from_numpy(rows.traits[some, 0]), kind).detach().numpy()
        judged = [judge(rows.traits[i, 0], advantages, kind, hidden) for i in some]
        assert np.allclose(judged, wanted, rtol=1e-4, atol=1e-4)


def test_the_mean_of_networks_is_one_network(rows):
    members = [net(seed, hidden).export() for seed, hidden in ((1, 5), (2, 3), (3, 4))]

    def worth(advantages: Advantages, i: int) -> float:
        scratch = np.zeros((2, advantages.b1.shape[1]), np.float32)
        return judge(rows.traits[i, 0], advantages, rows.kinds[i], scratch)

    mean = Advantages.mean(members)
    for i in range(0, 3000, 30):
        assert np.isclose(worth(mean, i), np.mean([worth(one, i) for one in members]), rtol=1e-4, atol=1e-4)


@both_games
def test_the_policy_that_explores_is_the_bot_that_plays(game):
    rows, made = PLAYED[game](), net(0, game=game)
    for kind in range(len(game.KINDS)):
        some = torch.from_numpy(np.flatnonzero(rows.kinds == kind))
        traits, num_moves, takes = (
            torch.from_numpy(x)[some] for x in (rows.traits, rows.num_moves, rows.takes_first)
        )
        best = made(traits, num_moves, takes, kind).argmax(1)
        assert (best.numpy() == rows.planned[some]).mean() > 0.999  # but for rounding


@both_games
def test_rows_hold_what_was_played(game):
    rows, again = PLAYED[game](), play(game)
    for name, array in vars(rows).items():
        assert np.array_equal(array, getattr(again, name)), name
    assert (rows.num_moves >= 2).all() and (rows.num_moves <= MOST_MOVES).all()
    assert (rows.chosen < rows.num_moves).all() and (rows.planned < rows.num_moves).all()
    assert set(rows.kinds) == set(range(len(game.KINDS))) and set(rows.seats) == set(game.SEATS)
    assert (rows.num_moves[rows.kinds < game.NUM_TAKING] == 2).all()
    # Every candidate is drawn as often as any other.
    for n in range(2, MOST_MOVES + 1):
        drawn = np.bincount(rows.chosen[rows.num_moves == n], minlength=n)
        assert ((drawn - drawn.mean()) ** 2 / drawn.mean()).sum() < 6 * n
    # What all seats of a hand receive adds up to nothing, so its mean is small beside its spread.
    assert abs(rows.rewards.mean()) < rows.rewards.std() / 2
    assert np.allclose(
        rows.rewards * 600, np.round(rows.rewards * 600), atol=1e-2
    )  # sixths of a point at most


@both_games
def test_a_table_is_described_as_to_a_policy(game):
    # The traits begin with the seat count, three of them the first.
    rows, most = PLAYED[game](), game.room.MAX_SEATS
    assert rows.table.shape == (3000, len(game.CRITIC_SCALE))
    counted = rows.traits[:, 0, : most - 2] // YES @ np.arange(1, most - 1) + 2
    assert (counted == rows.seats).all()


def pretend(rows: Rows, worth) -> Rows:
    """The same rows, with rewards that follow from the chosen move, and noise."""
    rng = np.random.default_rng(0)
    rewards = worth(rows) + rng.normal(0, 0.1, len(rows.rewards))
    changes = {"rewards": rewards.astype(np.float32), "has_later": np.zeros_like(rows.has_later)}
    return Rows(**{**vars(rows), **changes})


def test_a_fit_finds_advantages_that_are_there(rows):
    # Low cards pay when discarded, and to take the top costs: whatever else is so.
    card = 30 + 19  # the trait of a card's rank

    def worth(rows):
        chosen = rows.traits[np.arange(len(rows.chosen)), rows.chosen, card] / -100
        takes = (rows.chosen == 0) == (rows.takes_first == 1)
        return np.where(rows.kinds <= DRAWING, -0.2 * takes, chosen)

    made = pretend(rows, worth)
    fit = Fit(
        jo_iteration, FitConfig(hidden=16, critic=16, lr=1e-2, batch_size=250), 20 * len(rows.rewards), seed=0
    )
    errors = [fit.learn(made)["advantage_error"] for _ in range(20)]
    assert errors[-1] < errors[0] / 1.2
    advantages = fit.net.export()
    views = explore(jo_iteration, advantages, 500, seed=2, **HOW, num_games=6)
    ranks = views.traits[:, :, card].astype(int)
    building = np.flatnonzero(views.kinds == BUILDING)
    lowest = [ranks[i, : views.num_moves[i]].min() for i in building]
    assert (ranks[building, views.planned[building]] == lowest).mean() > 0.8
    top = np.flatnonzero(views.kinds <= DRAWING)
    takes = (views.planned[top] == 0) == (views.takes_first[top] == 1)
    assert takes.mean() < 0.05
    figures = fit.measure(made)
    assert figures["building_gain"] > figures["building_margin"] > 0


def test_a_gain_is_measured_without_bias(rows):
    # Where the first candidate is worth 10 points more and the policy at hand plays another, the gain of
    # always playing the first is 10 points in those rows, and none in the others.
    made = pretend(rows, lambda rows: 0.1 * (rows.chosen == 0))
    fit = Fit(jo_iteration, FitConfig(hidden=4, critic=4), 1, seed=0)
    with torch.no_grad():
        for p in fit.net.parameters():
            p.zero_()
        fit.net.linear[:, 30 + 17] = 1.0  # the trait of the planner's own choice, which is the first
    figures = fit.measure(made)
    for kind, name in ((BUILDING, "building"), (DOWN, "down")):
        expected = 10 * (made.planned[made.kinds == kind] != 0).mean()
        assert abs(figures[f"{name}_gain"] - expected) < figures[f"{name}_margin"] * 1.5
        assert figures[f"{name}_changes"] == pytest.approx(expected / 10, abs=1e-6)


def test_a_hand_is_judged_by_how_it_stands_later(rows):
    assert 0.5 < rows.has_later.mean() < 1 and not rows.later[rows.has_later == 0].any()
    at_table = rows.later[rows.has_later == 1, : MAX_SEATS * PER_SEAT].reshape(-1, MAX_SEATS, PER_SEAT)
    seats = rows.seats[rows.has_later == 1]
    assert ((at_table[:, :, 0] > 0).sum(1) == seats).all()
    assert (at_table[:, 0, 2] >= 4).all()  # nobody who is asked has an empty hand
    # What a hand of so many points comes to is learned from those that went on, and stands for their rewards.
    points = rows.later[:, 3] / 100
    made = Rows(**{**vars(rows), "rewards": np.where(rows.has_later, points, 7).astype(np.float32)})
    fit = Fit(jo_iteration, FitConfig(hidden=4, critic=16, critic_lr=1e-2, batch_size=250), 20 * 3000, seed=0)
    errors = [fit.learn_values(made)["value_error"] for _ in range(20)]
    assert errors[-1] < 5 < errors[0]
    returns = fit.returns(made).numpy()
    assert (returns[rows.has_later == 0] == 7).all()
    assert abs(returns - made.rewards).mean() < 0.05


def test_a_standing_is_what_is_on_the_table():
    (seen,), (scratch,) = np.zeros(1, VIEW), np.zeros(1, ODDS)
    for games, _, _ in positions(4, num_games=6, num_steps=200):
        for game in games:
            standing = np.zeros(STANDING_SIZE, np.int8)
            write_standing(game, game.acting, seen, default_weights()[2], scratch, standing)
            for r in range(4):
                seat = (game.acting + r) % 4
                row = standing[PER_SEAT * r : PER_SEAT * (r + 1)]
                public, own = game.public[seat], game.own[seat]
                assert row[1] == YES * public.down and row[2] == 4 * public.hand_size
                assert row[3] == min(np.rint(hand_points(own.hand) / 2), 127)
                if not public.down:
                    assert row[5] == min(10 * own.missing, 127)
                    stock = np.bincount(game.stock[: game.stock_size], minlength=52)
                    look(game, seat, seen)
                    outs = int(stock @ (seen.own.nearer > 0))
                    assert row[8] == np.rint(127 * outs / max(game.stock_size, 1))
            assert not standing[-2:].any()


def test_draws_are_mostly_among_the_closest():
    within = 1.0  # points
    advantages = net(0).export()
    explored = explore(
        jo_iteration, advantages, 4000, 1, **HOW | {"share": 0.5, "within": within}, num_games=12
    )
    wide, hidden = np.zeros(4000, bool), np.zeros((2, 5), np.float32)
    for i in np.flatnonzero(explored.kinds > DRAWING):
        traits = explored.traits[i, : explored.num_moves[i]]
        worths = [judge(row, advantages, explored.kinds[i], hidden) for row in traits]
        wide[i] = max(worths) - min(worths) > within / 10 + 1e-6
    share = wide[explored.kinds > DRAWING].mean()
    # A quarter of all explored decisions is wide; most others with one candidate close are not explored.
    assert 0.25 < share < 0.95
    # With nothing else close, only wide ones are left, and candidates that are exactly equal.
    alone = explore(jo_iteration, advantages, 500, 1, **HOW | {"within": 0.0}, num_games=12)
    assert (alone.planned < alone.num_moves).all()


def test_the_learner_meets_whom_it_should():
    past = [net(1).export(), net(2).export()]
    opponents = {"greedy": 0.25, "planner": 0.25, "past": 0.25}
    how = HOW | {"share": 1.0, "opponents": opponents}
    met = explore(jo_iteration, net(0).export(), 4000, 1, **how, past=past, num_games=48)
    greedy, others = met.table[:, -2] > 0, met.table[:, -1] > 0
    assert not (greedy & others).any() and greedy.any() and others.any() and not (greedy | others).all()
    # Nobody of these plays as well as planners do: random networks drew among all candidates.
    assert met.rewards[others].mean() < met.rewards[greedy].mean()
    again = explore(jo_iteration, net(0).export(), 4000, 1, **how, past=past[::-1], num_games=48)
    assert not np.array_equal(again.rewards, met.rewards)


def test_a_run_goes_on_where_it_stopped(tmp_path):
    config = loop.IterateConfig(
        folder=str(tmp_path), workers=1, iterations=2, files=2, rows=300, deals=2, fit=FitConfig(4, 4)
    )
    heard: list[str] = []
    loop.iterate(config, heard.append)
    folder = tmp_path / "iterate"
    names = sorted(path.name for path in folder.iterdir())
    assert names == [
        "advantages-1.npz", "advantages-2.npz", "advantages.npz", "config.json", "figures.jsonl"
    ]  # fmt: skip
    figures = [json.loads(line) for line in (folder / "figures.jsonl").read_text().splitlines()]
    assert [line["iteration"] for line in figures] == [1, 2] and 0 <= figures[1]["won_planner_3"] <= 1
    second = (folder / "advantages-2.npz").read_bytes()
    (folder / "advantages-2.npz").unlink()
    again: list[str] = []
    loop.iterate(config, again.append)
    assert (folder / "advantages-2.npz").read_bytes() == second
    assert not any("iteration 1" in text for text in again)
    loaded = Advantages.load(folder / "advantages.npz", *SHAPE)
    assert loaded.w1.shape == (*SHAPE, 2 * 4)


def test_a_run_may_start_from_advantages_and_meet_them(tmp_path):
    net(3, hidden=4).export().save(tmp_path / "start.npz")
    config = loop.IterateConfig(
        folder=str(tmp_path), workers=1, iterations=1, files=2, rows=300, deals=2, fit=FitConfig(4, 4, lr=0),
        start_from=str(tmp_path / "start.npz"), opponents={"past": 1.0}, measured=("start",),
    )  # fmt: skip
    loop.iterate(config, lambda text: None)
    made = Advantages.load(tmp_path / "iterate" / "advantages-1.npz", *SHAPE)
    for name, array in net(3, hidden=4).export()._asdict().items():
        assert np.array_equal(getattr(made, name), array), name  # at a learning rate of 0
    figures = json.loads((tmp_path / "iterate" / "figures.jsonl").read_text())
    assert figures["won_start_2"] == 0.5 and abs(figures["ahead_start_4"]) < 1e-9  # itself, mirrored


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"files": 1}, "files=1: give a number from 2 on"),
        ({"game": "chess"}, "game='chess'"),
        ({"opponents": {"nobody": 0.5}}, "opponents.nobody: choose from greedy, planner"),
        ({"opponents": {"greedy": 0.6, "planner": 0.6}}, "their shares add up to more than 1"),
        ({"opponents": {"past": 0.5}}, "opponents.past=0.5: give start_from"),
        ({"rows": 200}, "rows=200: .*iterate began with 250000; give that or another name"),
    ],
)
def test_bad_numbers(tmp_path, change, problem):
    config = loop.IterateConfig(folder=str(tmp_path))
    loop.keep_config(config, tmp_path / "iterate" / "config.json")
    with pytest.raises(ConfigError, match=problem):
        loop.iterate(replace(config, **change), lambda text: None)


def test_a_start_that_the_fit_cannot_go_on_from_is_refused_before_anything_is_explored(tmp_path):
    net(3, hidden=4).export().save(tmp_path / "start.npz")
    (tmp_path / "bad.npz").write_bytes(b"nonsense")
    config = loop.IterateConfig(folder=str(tmp_path), workers=1, files=2, rows=300, deals=2)
    for name, problem in {
        "start.npz": "fit.hidden=48: start_from=.*start.npz has 4 units a layer; give fit.hidden=4",
        "bad.npz": "start_from=.*bad.npz: holds no advantages",
        "gone.npz": "start_from=.*gone.npz: holds no advantages",
    }.items():
        with pytest.raises(ConfigError, match=problem):
            loop.iterate(replace(config, start_from=str(tmp_path / name)), lambda text: None)
    assert not (tmp_path / "iterate").exists()


def test_the_config_shows_every_number():
    path = Path(__file__).resolve().parents[2] / "configs" / "iterate.yaml"
    defaults = asdict(loop.IterateConfig()) | {"measured": ["greedy", "planner"]}
    del defaults["game"]  # configs/game/
    written = OmegaConf.to_container(OmegaConf.load(path))
    assert {name: written[name] for name in defaults} == defaults


@pytest.mark.parametrize(
    ("overrides", "met"),
    [([], {"past": 1.0}), (["start_from=null", "opponents.past=0", "opponents.planner=1"], {"planner": 1.0})],
)
def test_the_exploiting_config_meets_only_whom_it_says(overrides, met):
    ConfigStore.instance().store(name="iterate_schema", node=loop.IterateConfig)
    with initialize_config_dir(str(Path(__file__).resolve().parents[2] / "configs"), version_base="1.3"):
        config = OmegaConf.to_object(compose("exploit", overrides=overrides))
    config.check()
    loop.check_start(config)
    assert {name: share for name, share in config.opponents.items() if share} == met


def test_advantages_for_other_traits_are_refused(tmp_path):
    path = tmp_path / "old.npz"
    kinds, traits = SHAPE
    Advantages.zero(kinds, traits - 1).save(path)
    problem = (
        f"is for {kinds} kinds of decisions and {traits - 1} traits, this version has {kinds} and {traits}"
    )
    with pytest.raises(ValueError, match=problem):
        Advantages.load(path, *SHAPE)
