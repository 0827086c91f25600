"""What the network reads beside the observation, by hand and against plain recomputation."""

import numpy as np
import pytest

from agents.jo.features import (
    FAVOR,
    FITS,
    FITS_AFTER,
    LAYOUT,
    NEEDED,
    NUM_DESCRIBED,
    NUM_LAYS,
    ODDS_GAINED,
    ODDS_LOST,
    ODDS_NOW,
    OUTS,
    OUTS_WITH_TOP,
    OUTS_WITHOUT,
    PLANNED,
    PLANNED_LAY,
    USE_TO_NEXT,
    USE_TO_OTHERS,
    describe,
    features_of,
)
from agents.jo.heuristics import Greedy, Planner
from jo_env import jo
from jo_env.cards import FACE_NAMES
from jo_env.jo.actions import BUY, DISCARD, LAY_THREE, TAKE_DISCARD
from jo_env.jo.solver import solve

FACES = {name: face for face, name in enumerate(FACE_NAMES)}


def look_at(view):
    games, _ = jo.game_from_view(view)
    views, masks = np.zeros(1, jo.VIEW), np.zeros((1, jo.NUM_ACTIONS), np.int8)
    jo.observe(games, views, masks)
    return views


def view(phase, hand, **changes):
    """Seat 0 of two in round 1 (two threes), on turn, nothing on the pile but the king of spades."""
    made = {
        "protocol": 1, "game": "jo", "seats": 2, "seat": 0, "dealer": 1, "round": 1, "turns": 0, "turn": 0,
        "phase": phase, "hand": hand.split(), "hand_sizes": [len(hand.split()), 10], "down": [False, False],
        "buys_used": [0, 0], "groups": [[], []], "discard": ["KS"], "stock_size": 83, "requests": [],
        "taken": None, "discarded_by": None, "scores": [0, 0], "events": [],
    }  # fmt: skip
    return made | changes


def test_each_discard_is_tried_out():
    # Fives are whole, sevens and nines a card short: without a nine the sevens do as well.
    row = describe(look_at(view("play", "5C 5D 5H 7C 7D 9C 9D QS AS 2H 3S", stock_size=82)))[0]
    needed = {name for name, face in FACES.items() if row[NEEDED + face]}
    assert needed == {"5C", "5D", "5H"}
    outs = {name: row[OUTS_WITHOUT + face] for name, face in FACES.items() if row[OUTS_WITHOUT + face]}
    # Any seven or nine, six unseen of each; without a seven only the nines; without a five, fives too.
    assert outs == {"5C": 17, "5D": 17, "5H": 17, "7C": 6, "7D": 6, "9C": 6, "9D": 6} | dict.fromkeys(
        ("QS", "AS", "2H", "3S"), 12
    )
    assert row[OUTS] == row[OUTS_WITH_TOP] == 0


def test_the_top_is_tried_out():
    hand = "5C 5D 5H 7C 7D QS AS 2H 3S KC"
    row = describe(look_at(view("draw", hand)))[0]
    assert (row[OUTS], row[OUTS_WITH_TOP]) == (6, 12)  # sevens; with the king of spades kings as well
    assert not row[NEEDED : OUTS_WITHOUT + 52].any()


def marked(row, block):
    return {name: int(row[block + face]) for name, face in FACES.items() if row[block + face]}


def test_the_odds_of_each_discard():
    row = describe(look_at(view("play", "5C 5D 5H 7C 7D 9C 9D QS AS 2H 3S", stock_size=82)))[0]
    lost = marked(row, ODDS_LOST)
    # A loose card could only become a three with two more; a pair less leaves one rank to wait for; a
    # whole three broken is worst.
    assert 0 < lost["QS"] == lost["AS"] < lost["7C"] == lost["9C"] < lost["5C"] == lost["5D"]
    assert 64 < row[ODDS_NOW] < 127  # 12 outs of 83, and two dozen cards to come
    assert not row[ODDS_GAINED]


def test_the_odds_of_the_top():
    # A king on top makes a second rank to wait for; a two changes nothing but the size of the hand.
    hand = "5C 5D 5H 7C 7D QS AS 3H 4S KC"
    drawing = describe(look_at(view("draw", hand)))[0]
    assert drawing[ODDS_GAINED] > 0 and 0 < drawing[ODDS_NOW] < 127
    assert describe(look_at(view("draw", hand, discard=["2D"])))[0][ODDS_GAINED] < 0
    assert (
        not drawing[ODDS_LOST : ODDS_LOST + 52].any() and not drawing[USE_TO_NEXT : USE_TO_OTHERS + 52].any()
    )


def test_what_others_may_collect():
    row = describe(look_at(view("play", "5C 5D 5H 7C 7D 9C 9D QS AS 2H 3S", stock_size=82)))[0]
    # Of a rank as many are unseen as the hand does not hold (of kings one lies on the pile).
    use = marked(row, USE_TO_NEXT)
    assert (
        use["5C"] == round(100 * 5 / 8)
        and use["7C"] == round(100 * 6 / 8)
        and use["QS"] == round(100 * 7 / 8)
    )
    assert not marked(row, USE_TO_OTHERS)  # there are two seats


def test_cards_that_the_table_may_come_to_take():
    three = {"kind": "three", "cards": ["KC", "KD", "KH"]}
    run = {"kind": "four", "cards": ["4S", "5S", "6S", "7S"]}
    seen = view(
        "play", "9S 2S 8S 9D", round=2, groups=[[three, run], []], down=[True, False], hand_sizes=[4, 10]
    )
    seen |= {"stock_size": 104 - 4 - 10 - 7 - 1}
    row = describe(look_at(seen))[0]
    # One eight of spades is in the own hand, so one is unseen; both threes of spades are.
    assert marked(row, FITS_AFTER) == {"9S": 1, "2S": 2}


def test_faces_that_the_table_takes():
    groups = [
        [],
        [{"kind": "three", "cards": ["KC", "KD", "KH"]}, {"kind": "four", "cards": ["AS", "2S", "3S", "4S"]}],
    ]
    seen = view(
        "draw", "5C 5D 7H 7C 7D QS 9S 2H 3S", round=2, groups=groups, down=[False, True], hand_sizes=[9, 3]
    )
    seen |= {"stock_size": 104 - 9 - 3 - 7 - 1}
    row = describe(look_at(seen))[0]
    assert {name for name, face in FACES.items() if row[FITS + face]} == {"KC", "KD", "KH", "KS", "5S"}


@pytest.mark.parametrize(("seats", "rounds"), [(2, [2, 3, 4]), (3, [5, 7]), (4, [6, 7])])
def test_like_plain_recomputation_in_whole_hands(seats, rounds):
    games = jo.new_games(20, seats=seats, rounds=rounds)
    views, masks = np.zeros(20, jo.VIEW), np.zeros((20, jo.NUM_ACTIONS), np.int8)
    ended, bot = np.zeros(20, np.int8), Greedy()
    jo.start(games, np.arange(20).astype(np.uint64), np.full(20, jo.NOBODY))
    tried = 0
    for step in range(300):
        jo.observe(games, views, masks)
        before = views.copy()
        rows = describe(views)
        assert (views == before).all()  # hands were put back
        if step % 10 == 0:
            for seen, row in zip(views, rows, strict=True):
                tried += compare(seen, row)
        jo.step(games, bot.choose(views, masks, np.zeros(20, np.uint64)), ended)
    assert tried > 50


def compare(seen, row):
    """Recompute the discards of one view; how many were tried."""
    nearer, tried = np.zeros(52, np.int8), 0
    threes, fours = int(seen["table"]["threes"]), int(seen["table"]["fours"])
    plays = seen["phase"] == jo.Phase.PLAY and not seen["seats"]["down"][0] and seen["groups_laid"] == 0
    for face in range(52):
        hand = seen["own"]["hand"].copy()
        needed = outs = 0
        if plays and hand[face]:
            hand[face] -= 1
            needed = int(solve(hand, threes, fours, nearer) > seen["own"]["missing"])
            outs = int(seen["unseen"].astype(int) @ nearer)
            tried += 1
        assert (row[NEEDED + face], row[OUTS_WITHOUT + face]) == (needed, outs)
    return tried


def test_what_the_planner_would_do():
    games = jo.new_games(16, seats=4)
    views, masks = np.zeros(16, jo.VIEW), np.zeros((16, jo.NUM_ACTIONS), np.int8)
    ended, planner, no_luck = np.zeros(16, np.int8), Planner(), np.zeros(16, np.uint64)
    jo.start(games, np.arange(16).astype(np.uint64), np.full(16, jo.NOBODY))
    seen = set()
    for _ in range(400):
        jo.observe(games, views, masks)
        actions = planner.choose(views, masks, no_luck)
        rows = describe(views)
        assert (
            features_of(views)[:, LAYOUT.planned :] == rows[:, PLANNED_LAY : PLANNED_LAY + NUM_LAYS]
        ).all()
        for row, mask, action in zip(rows, masks, actions, strict=True):
            laid = np.flatnonzero(row[PLANNED_LAY:]) + LAY_THREE
            assert laid.tolist() == ([action] if LAY_THREE <= action < DISCARD else [])
            assert row[PLANNED] == (action in (BUY, TAKE_DISCARD))
            favor = row[FAVOR : FAVOR + 52]
            if action >= DISCARD:
                assert favor[action - DISCARD] == favor.max() == 127
                assert not favor[mask[DISCARD:] == 0].any()
            else:
                assert not favor.any()
            seen.add((int(row[PLANNED]), int((favor > 0).sum())))
        jo.step(games, actions, ended)
    assert len({number for _, number in seen}) > 8 and {planned for planned, _ in seen} == {0, 1}


def test_layout_covers_every_feature_once():
    end = 0
    for _, offset, size in LAYOUT.blocks:
        assert offset == end
        end += size
    assert end == NUM_DESCRIBED
