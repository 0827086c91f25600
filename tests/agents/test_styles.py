"""Each style of the planner leans the way that its name says, on the same deals."""

import numpy as np
import pytest

from agents.jo.heuristics import Buyer, Dumper, Hoarder, Planner, Thrifty
from jo_env import jo
from jo_env.jo.actions import BUY, DISCARD, TAKE_DISCARD
from jo_env.jo.points import FACE_POINTS


def habits(bot, seats, num_games=16, rounds=(1, 2, 3, 4, 5, 6, 7)):
    """How `bot` plays seat 0 among planners: what it does in a hand, counted."""
    games = jo.new_games(num_games, seats=seats, rounds=rounds)
    jo.start(games, np.arange(num_games).astype(np.uint64), np.full(num_games, jo.NOBODY))
    views = np.zeros(num_games, jo.VIEW)
    masks = np.zeros((num_games, jo.NUM_ACTIONS), np.int8)
    seeds = np.zeros(num_games, np.uint64)
    ended = np.zeros(num_games, np.int8)
    planner = Planner()
    buys = takes = 0
    thrown = []
    while (games["phase"] != jo.Phase.OVER).any():
        games = games[games["phase"] != jo.Phase.OVER]
        n = len(games)
        jo.observe(games, views[:n], masks[:n])
        actions = planner.choose(views[:n], masks[:n], seeds[:n])
        own = games["acting"] == 0
        actions[own] = bot.choose(views[:n][own], masks[:n][own], seeds[:n][own])
        assert masks[np.arange(n), actions].all()
        buys += (actions[own] == BUY).sum()
        takes += (actions[own] == TAKE_DISCARD).sum()
        is_building = own & (actions >= DISCARD) & (views[:n]["seats"]["down"][:, 0] == 0)
        thrown.append(FACE_POINTS[actions[is_building] - DISCARD])
        jo.step(games, actions, ended[:n])
    num_hands = num_games * len(rounds)
    return {"buys": buys / num_hands, "takes": takes / num_hands, "thrown": np.concatenate(thrown).mean()}


@pytest.mark.parametrize("seats", [2, 4])
def test_styles_buy_and_throw_as_they_are_called(seats):
    planner = habits(Planner(), seats)
    assert planner["buys"] > 0
    assert habits(Buyer(), seats)["buys"] > 1.4 * planner["buys"]
    assert habits(Thrifty(), seats)["buys"] == 0
    assert habits(Dumper(), seats)["thrown"] > planner["thrown"] + 0.5


@pytest.mark.parametrize("seats", [2, 4])
def test_the_hoarder_collects_for_runs(seats):
    fours = {"rounds": (3, 7), "num_games": 32}
    planner, hoarder = habits(Planner(), seats, **fours), habits(Hoarder(), seats, **fours)
    assert hoarder["takes"] > 1.2 * planner["takes"]
    assert hoarder["thrown"] < planner["thrown"]
