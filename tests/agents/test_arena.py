"""Matches: the same at any batch size, fair to every place of a line-up, open to bots that speak JSON."""

import numpy as np
import pytest

from agents.arena import Estimate, Result, play_games, play_mirrored
from agents.jo.heuristics import Greedy, Random
from jo_env import jo
from jo_env.bots import BatchBot
from jo_env.errors import IllegalActionError, SettingsError


class Spoken:
    """A bot that only speaks JSON."""

    def __init__(self, bot):
        self._bot = bot

    def act(self, view):
        return self._bot.act(view)


class Illegal(BatchBot):
    def choose(self, views, masks, seeds):
        return np.full(len(views), -1)


class Stubborn:
    def act(self, view):
        return {"type": "draw_stock"}


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_play_does_not_depend_on_the_batch(seats):
    lineup = [Greedy(), Random(), Greedy(), Random()][:seats]
    results = [play_mirrored(jo, lineup, 5, seed=3, rounds=(1, 4), batch=batch) for batch in (1, 3, 64)]
    for result in results[1:]:
        assert np.array_equal(result.points, results[0].points)
        assert result.num_decisions == results[0].num_decisions
    other = play_mirrored(jo, lineup, 5, seed=4, rounds=(1, 4))
    assert not np.array_equal(other.points, results[0].points)


@pytest.mark.parametrize("seats", [2, 4])
def test_every_place_of_the_lineup_gets_every_seat_of_every_deal(seats):
    # The greedy bot has no luck of its own, so identical bots play identical games in all rotations.
    result = play_mirrored(jo, [Greedy()] * seats, 6, seed=1, rounds=(1, 2))
    for deal in range(6):
        by_place = [sorted(result.worths[deal, :, place]) for place in range(seats)]
        assert all(worths == by_place[0] for worths in by_place)
    assert np.allclose(result.win_share().mean, 1 / seats)


def test_a_bot_that_speaks_json_plays_as_its_batched_self():
    """Views, events and moves of several actions (go-downs) all take the slow path here."""
    batched = play_mirrored(jo, [Greedy(), Random(), Greedy()], 3, seed=7, rounds=(2, 5), batch=4)
    spoken = play_mirrored(
        jo, [Spoken(Greedy()), Random(), Spoken(Greedy())], 3, seed=7, rounds=(2, 5), batch=4
    )
    assert np.array_equal(batched.points, spoken.points)


class Choosing(Spoken):
    """A bot that has `choose` without being a BatchBot."""

    def __init__(self, choose):
        self.choose = choose

    def act(self, view):
        raise AssertionError("asked in JSON")


class Muttering:
    def act(self, view):
        return {"type": "discard", "card": "XX"}


def test_a_bot_is_batched_if_it_has_choose():
    loose = play_mirrored(jo, [Choosing(Greedy().choose), Random()], 2, seed=5, rounds=(1,))
    assert np.array_equal(
        loose.points, play_mirrored(jo, [Greedy(), Random()], 2, seed=5, rounds=(1,)).points
    )


@pytest.mark.parametrize(
    ("bot", "words"),
    [
        (Choosing(lambda views, masks, seeds: np.full(len(views), -1)), r"player_\d: -1 is no action"),
        (Choosing(lambda views, masks, seeds: np.full(len(views), 432)), r"player_\d: 432 is no action"),
        (Choosing(lambda views, masks, seeds: np.full(len(views), 2**32)), r"player_\d: 4294967296 is no"),
        (Choosing(lambda views, masks, seeds: np.zeros(len(views))), r"choose.. gave float64\[\d\]"),
        (Choosing(lambda views, masks, seeds: 0), r"choose.. gave int64\[\]; give integers, one for each"),
        (Muttering(), r"player_\d: move discard: 'XX' is not a card"),
        (Spoken(Muttering()), r"player_\d: move discard: 'XX' is not a card"),
        (Spoken(Illegal()), r"player_\d: Illegal: player_\d: -1 is no action"),
    ],
)
def test_a_bot_that_breaks_the_rules_is_named(bot, words):
    with pytest.raises(IllegalActionError, match=f"^{type(bot).__name__}: {words}"):
        play_mirrored(jo, [bot, bot], 1, seed=0)


def test_an_illegal_move_is_named():
    with pytest.raises(IllegalActionError, match=r"Stubborn: player_\d may not play 2 \(draw stock\)"):
        play_mirrored(jo, [Stubborn(), Stubborn()], 1, seed=0)


def test_nothing_to_play_is_refused():
    with pytest.raises(SettingsError, match="0 games"):
        play_games(jo, [Greedy()], np.zeros(0, np.int64), np.zeros((0, 2), np.int64), seed=0)


def test_random_bots_share_the_wins():
    result = play_mirrored(jo, [Random()] * 3, 40, seed=2, rounds=(1,), max_turns=60)
    estimate = result.win_share()
    assert estimate.mean.sum() == pytest.approx(1)
    assert (np.abs(estimate.mean - 1 / 3) < 2 * estimate.margin).all()


def test_statistics_by_hand():
    # Two deals, one rotation, one round, three bots.
    points = np.array([[[[0, 10, 20]]], [[[5, 5, 30]]]], np.int32)
    result = Result(points, 0, -1)
    assert np.array_equal(result.worths[:, 0], [[0, -10, -20], [-5, -5, -30]])
    assert np.allclose(result.win_share().mean, [0.75, 0.25, 0])
    assert np.allclose(result.mean_points().mean, [2.5, 7.5, 25])
    assert np.allclose(result.mean_rank().mean, [1.25, 1.75, 3])
    # The deals are what is independent: values 1 and 0.5, spread 0.3536, over the root of two deals.
    assert result.win_share().margin[0] == pytest.approx(1.96 * 0.25)
    assert np.isinf(Estimate.over_deals(np.ones((1, 2))).margin).all()


def test_points_ahead_are_against_the_mean_of_the_others():
    points = np.random.default_rng(3).integers(0, 90, (6, 3, 7, 3)).astype(np.int32)
    ahead = Result(points, 1, -1).points_ahead()
    own, total = points[..., :1], points.sum(3, keepdims=True)
    by_deal = ((total - own) / 2 - own).mean((1, 2))[:, 0]
    assert np.isclose(ahead.mean[0], by_deal.mean())
    assert np.isclose(ahead.margin[0], 1.96 * by_deal.std(ddof=1) / 6**0.5)
    assert np.isclose(ahead.mean.sum(), 0)
