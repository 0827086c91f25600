"""Fixed positions have the lines of play that they had."""

import numpy as np
import pytest
from tables import PACK, Table, lay_out, new_game

from jo_env import jo


def lines_from(table: Table, depth: int) -> list[int]:
    """How many sequences of 1, 2, ... `depth` legal actions there are, as perft counts chess moves."""
    games, counts = table.games.copy(), []
    for _ in range(depth):
        views, masks = np.zeros(len(games), jo.VIEW), np.zeros((len(games), jo.NUM_ACTIONS), np.int8)
        jo.observe(games, views, masks)
        rows, actions = np.nonzero(masks)
        games = games[rows]
        jo.step(games, actions.astype(np.int32), np.zeros(len(games), np.int8))
        counts.append(len(games))
    return counts


POSITIONS = {
    "the deal, 2 seats": (lambda: new_game(seats=2, dealer=0, shoes=[PACK * 2]), [2, 4, 42, 84, 926, 1852]),
    "the deal, 3 seats": (
        lambda: new_game(seats=3, dealer=0, shoes=[PACK * 2]),
        [2, 4, 8, 84, 168, 336, 3704, 7408],
    ),
    "the deal, 4 seats": (
        lambda: new_game(seats=4, dealer=0, shoes=[PACK * 2]),
        [2, 4, 8, 16, 168, 336, 672, 1344],
    ),
    "many ways down": (
        lambda: lay_out("7C 7C 7D 7D 7H 7S KC KD KH KS KS", "2C 3C", phase="play", discard="9D"),
        [18, 91, 656, 2812],
    ),
    "threes and fours": (
        lambda: lay_out(
            "4C 4D 4H 5H 5H 6H 7H 8H 9H TH JC", "2C 3C 4S", round=2, phase="play", discard="9D", taken="5H"
        ),
        [10, 21, 74, 150, 1350, 2708],
    ),
    "lay-offs on all sides": (
        lambda: lay_out(
            "2H 7H 8H AS AS KC",
            "3D 9D",
            "4D 4S 5S",
            round=2,
            groups={
                0: ["KD KH KS", "3H 4H 5H 6H"],
                1: ["AC AD AH", "2S 3S 4S 5S"],
                2: ["8C 8D 8S", "TH JH QH KH"],
            },
            discard="2D AH",
        ),
        [2, 26, 196, 1232, 6393],
    ),
    "the last card of the stock": (
        lambda: lay_out(
            "2C 3D", "4C 5C", "6D 7D", rest="discard", discard="KD JS JD", stock="QS", requests=[1]
        ),
        [2, 5, 10, 20, 74, 148, 296, 908, 1816, 3632],
    ),
}


@pytest.mark.parametrize("name", POSITIONS)
def test_the_number_of_legal_lines(name):
    make, counts = POSITIONS[name]
    table = make()
    found = lines_from(table, len(counts))
    per_action = {}
    if found != counts:  # where the difference lies
        for action in table.legal():
            then = Table(table.games.copy())
            then.step(action)
            per_action[jo.action_text(table.game, action)] = lines_from(then, len(counts) - 1)
    assert found == counts, per_action
