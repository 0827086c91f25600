"""Worlds dealt from a view: the seat sees the same, everything adds up, and the rest is luck alone."""

from random import Random

import numpy as np
import pytest
from playing import Play, referee
from random_tables import random_tables

from jo_env import jo
from jo_env.jo.worlds import deal_world


def deal_worlds(views, seed, games=None):
    """A world for every view."""
    games = np.zeros(len(views), jo.GAME) if games is None else games
    for i, view in enumerate(views):
        deal_world(view, np.uint64(seed + i), games[i])
    return games


def observe(games):
    views = np.zeros(len(games), jo.VIEW)
    masks = np.zeros((len(games), jo.NUM_ACTIONS), np.int8)
    jo.observe(games, views, masks)
    return views, masks


def check_worlds(games, views, masks, seed):
    worlds = deal_worlds(views, seed)
    seen, legal = observe(worlds)
    assert seen.tobytes() == views.tobytes()  # the observation, and the exact numbers after it
    assert np.array_equal(legal, masks)
    assert referee(worlds, seen, legal) == (0, 0)  # cards, known cards, sizes, flags and requests
    assert np.array_equal(worlds["public"].tobytes(), games["public"].tobytes())
    for name in ("acting", "turn", "dealer", "discarded_by", "num_requests", "hidden", "scores"):
        assert np.array_equal(worlds[name], games[name]), name
    for world, game in zip(worlds, games, strict=True):
        assert np.array_equal(world.requests[: world.num_requests], game.requests[: game.num_requests])


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_seat_sees_the_same_in_every_world(seats):
    for decks in (2, 4):
        play = Play(12, seats=seats, seed=decks, decks=decks, max_turns=80)
        for step in range(600):
            check_worlds(play.games, play.views, play.masks, seed=step)
            play.choose()
            play.step()
            jo.deal_anew(play.games)
            play.observe()


def test_tables_that_play_never_reaches():
    for snapshot in random_tables(seed=5, count=300):
        games, _ = jo.restore(snapshot)
        check_worlds(games, *observe(games), seed=0)


def positions_of_play(seats, num_steps):
    play = Play(40, style=1, seats=seats, seed=9)
    for _ in range(num_steps):
        play.choose()
        play.step()
        play.observe()
    return play.views.copy()


def play_out(games, seed):
    """Random play to the end: the points."""
    luck = Random(seed)
    ended = np.zeros(len(games), np.int8)
    while (games["phase"] != jo.Phase.OVER).any():
        games_left = np.flatnonzero(games["phase"] != jo.Phase.OVER)
        left = games[games_left]
        _, masks = observe(left)
        actions = np.array([luck.choice(np.flatnonzero(mask)) for mask in masks], np.int32)
        jo.step(left, actions, ended)
        games[games_left] = left
    return games["points"].copy()


def test_a_world_is_one_hand_whatever_the_record_held_before():
    views = positions_of_play(3, 60)
    dirty = np.frombuffer(bytes([77]) * 40 * jo.GAME.itemsize, jo.GAME).copy()
    points = play_out(deal_worlds(views, seed=3), seed=1)
    assert np.array_equal(play_out(deal_worlds(views, seed=3, games=dirty), seed=1), points)
    assert (points[:, 0, :3].max(1) > 0).all() and not points[:, 1:].any()


def test_unseen_cards_are_as_likely_in_every_place():
    view = positions_of_play(4, 60)[0]
    num_worlds = 4000
    worlds = deal_worlds(np.repeat(view, num_worlds), seed=11)
    unseen = view.unseen.astype(float)
    for r in range(1, 4):
        extra = worlds["own"]["hand"][:, (view.seat + r) % 4] - view.seats[r].known
        expected = unseen * (view.seats[r].hand_size - view.seats[r].known.sum()) / unseen.sum()
        assert (np.abs(extra.mean(0) - expected) <= 4.5 * np.sqrt(expected / num_worlds)).all()
    pile = view.table.pile.astype(float)
    pile[view.top] -= 1
    assert pile.sum() > 1
    for cards, among in (
        (worlds["stock"][:, view.stock_size - 1], unseen),  # the next to be drawn
        (worlds["discard"][:, view.discard_size - 2], pile),
    ):
        expected = num_worlds * among / among.sum()
        assert (np.abs(np.bincount(cards, minlength=52) - expected) <= 4.5 * np.sqrt(expected)).all()
