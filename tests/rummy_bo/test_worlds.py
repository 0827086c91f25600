"""Worlds dealt from a view: the seat sees the same, everything adds up, and the rest is luck alone."""

from random import Random

import numpy as np
import pytest

from jo_env import rummy_bo
from jo_env.rummy_bo.worlds import deal_world
from rummy_bo.playing import Play, referee


def deal_worlds(views, seed, games=None):
    """A world for every view."""
    games = np.zeros(len(views), rummy_bo.GAME) if games is None else games
    for i, view in enumerate(views):
        deal_world(view, np.uint64(seed + i), games[i])
    return games


def observe(games):
    views = np.zeros(len(games), rummy_bo.VIEW)
    masks = np.zeros((len(games), rummy_bo.NUM_ACTIONS), np.int8)
    rummy_bo.observe(games, views, masks)
    return views, masks


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_the_seat_sees_the_same_in_every_world(seats):
    play = Play(12, seats=seats, seed=seats, max_turns=80, hands=1)
    for step in range(500):
        worlds = deal_worlds(play.views, step)
        seen, legal = observe(worlds)
        assert seen.tobytes() == play.views.tobytes()  # the observation, and the exact numbers after it
        assert np.array_equal(legal, play.masks)
        worlds["points"][:, 0, :] = 0
        assert referee(worlds, seen, legal) == (0, 0)  # cards, known cards, sizes and flags
        for name in ("acting", "turn", "dealer", "hidden", "scores", "groups"):
            assert np.array_equal(worlds[name], play.games[name]), name
        play.choose()
        play.step()
        rummy_bo.deal_anew(play.games)
        play.observe()


def positions_of_play(seats, num_steps, style=1):
    play = Play(40, style=style, seats=seats, seed=9)
    for _ in range(num_steps):
        play.choose()
        play.step()
        play.observe()
    return play.views[[view.phase != rummy_bo.Phase.OVER for view in play.views]].copy()


def play_out(games, seed):
    """Random play to the end: the points."""
    luck = Random(seed)
    while (games["phase"] != rummy_bo.Phase.OVER).any():
        rows = np.flatnonzero(games["phase"] != rummy_bo.Phase.OVER)
        left = games[rows]
        _, masks = observe(left)
        actions = np.array([luck.choice(np.flatnonzero(mask)) for mask in masks], np.int32)
        rummy_bo.step(left, actions, np.zeros(len(left), np.int8))
        games[rows] = left
    return games["points"].copy()


def test_a_world_is_one_hand_whatever_the_record_held_before():
    views = positions_of_play(3, 30)
    dirty = np.frombuffer(bytes([77]) * len(views) * rummy_bo.GAME.itemsize, rummy_bo.GAME).copy()
    points = play_out(deal_worlds(views, seed=3), seed=1)
    assert np.array_equal(play_out(deal_worlds(views, seed=3, games=dirty), seed=1), points)
    assert points[:, 0].any(1).all() and not points[:, 1:].any()


def test_unseen_cards_are_as_likely_in_every_place():
    view = next(v for v in positions_of_play(4, 12, style=0) if v.stock_size > 5 and not v.turned_over)
    num_worlds = 4000
    worlds = deal_worlds(np.repeat(view, num_worlds), seed=11)
    unseen = view.unseen.astype(float)
    hands = np.zeros((num_worlds, 5, 52), np.int8)
    rummy_bo.hidden_hands(worlds, hands)
    for r in range(1, 4):
        extra = hands[:, r - 1] - view.seats[r].known
        expected = unseen * (view.seats[r].hand_size - view.seats[r].known.sum()) / unseen.sum()
        assert (np.abs(extra.mean(0) - expected) <= 4.5 * np.sqrt(expected / num_worlds)).all()
    cards = worlds["stock"][:, view.stock_size - 1]  # the next to be drawn
    expected = num_worlds * unseen / unseen.sum()
    assert (np.abs(np.bincount(cards, minlength=52) - expected) <= 4.5 * np.sqrt(expected)).all()


def test_a_stock_in_sight_is_as_it_is():
    views = [v for v in positions_of_play(4, 200, style=0) if v.turned_over and v.stock_size > 2]
    assert views
    for view in views:
        worlds = deal_worlds(np.repeat(view, 20), seed=5)
        assert (worlds["stock"] == view.stock).all() and (worlds["discard"] == view.discard).all()
