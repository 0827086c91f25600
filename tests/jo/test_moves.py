"""Cards, groups, actions and moves there and back, and those that are none."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from junk import mutated
from random_tables import random_tables
from tables import PACK, Table, cards, group, lay_out, move, new_game

from jo_env import jo
from jo_env.cards import FACE_NAMES, face_name, parse_face
from jo_env.errors import IllegalActionError, TableError, UnknownCardError
from jo_env.jo.actions import DISCARD, LAY_FACES, LAY_OFF, LAY_SIZES, LAY_THREE, NUM_ACTIONS
from jo_env.jo.groups import write_group
from jo_env.jo.notation import group_cards, group_json, parse_group, smallest_lay
from jo_env.jo.points import FACE_POINTS
from jo_env.jo.state import GROUP

# --- cards ----------------------------------------------------------------------------------------


def test_a_face_is_13_times_its_suit_plus_its_rank():
    assert [parse_face(text) for text in ("AC", "2D", "TH", "KS", "KC", "AD")] == [0, 14, 35, 51, 12, 13]
    assert list(FACE_NAMES) == PACK


@pytest.mark.parametrize("face", range(52))
def test_every_face_and_back(face):
    assert parse_face(face_name(face)) == face


@pytest.mark.parametrize("text", ["H7", "10H", "7h", "", " 7H", "1S", "XX", None, 7, ["7H"], {}, 7.0, True])
def test_anything_else_is_no_card(text):
    with pytest.raises(UnknownCardError, match="is not a card; write rank then suit, as in '7H'"):
        parse_face(text)


def test_points_of_a_pack():
    assert FACE_POINTS.sum() == 4 * (15 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 * 4)


# --- the action table -----------------------------------------------------------------------------


def test_the_blocks_of_the_action_table():
    assert (LAY_THREE, LAY_OFF, DISCARD, NUM_ACTIONS) == (4, 308, 380, 432)


@pytest.mark.parametrize(
    "action, text",
    [
        (4, "AC AC AC"),
        (5, "AC AC AD"),
        (7, "AC AC AS"),
        (8, "AC AD AD"),
        (23, "AS AS AS"),
        (4 + 20 * 12 + 19, "KS KS KS"),
        (4 + 20 * 6 + 5, "7C 7D 7H"),
        (264, "AC 2C 3C 4C"),
        (274, "JC QC KC AC"),
        (264 + 11 * 3 + 10, "JS QS KS AS"),
        (264 + 11 * 2 + 3, "4H 5H 6H 7H"),
    ],
)
def test_lay_actions_by_the_contract(action, text):
    assert [FACE_NAMES[face] for face in LAY_FACES[action][: LAY_SIZES[action]]] == cards(text)


def test_the_lay_actions_are_all_threes_and_fours_once():
    laid = {tuple(LAY_FACES[action][: LAY_SIZES[action]]) for action in range(LAY_THREE, LAY_OFF)}
    assert len(laid) == 304


@pytest.mark.parametrize("action", range(LAY_THREE, LAY_OFF))
def test_every_smallest_group_and_back(action):
    laid = np.zeros(1, GROUP)
    write_group(laid[0], action)
    assert smallest_lay(laid[0]) == action
    data = group_json(laid[0])
    assert data["cards"] == [FACE_NAMES[face] for face in LAY_FACES[action][: LAY_SIZES[action]]]
    for cards_written in (data["cards"], data["cards"][::-1]):
        read = parse_group({**data, "cards": cards_written}, "group")
        assert np.array([read], GROUP).tobytes() == laid.tobytes()


def runs():
    line = "A23456789TJQKA"
    for low in range(11):
        for high in range(low + 4, 15):
            if high - low <= 13:
                yield line[low:high]


@pytest.mark.parametrize("ranks", list(runs()))
def test_every_run_and_back(ranks):
    data = {"kind": "four", "cards": [rank + "H" for rank in ranks]}
    run = parse_group(data, "run")
    assert (group_json(run), run.length) == (data, len(ranks))
    assert sum(run.span) == len(ranks)


@pytest.mark.parametrize("text", ["7C 7C 7C", "7C 7D 7H 7H 7S 7S 7S 7S", "KD KD KH KS"])
def test_threes_of_any_size_and_back(text):
    assert group_cards(parse_group(group(text), "three")) == cards(text)


@pytest.mark.parametrize(
    "data",
    [
        {"kind": "three", "cards": cards("7C 7D")},
        {"kind": "three", "cards": cards("7C 7D 8S")},
        {"kind": "three", "cards": []},
        {"kind": "four", "cards": cards("7C 8C 9C")},
        {"kind": "four", "cards": cards("7C 8C 9C TD")},
        {"kind": "four", "cards": cards("7C 8C 9C JC")},
        {"kind": "four", "cards": cards("QC KC AC 2C")},
        {"kind": "four", "cards": cards("KC AC 2C 3C")},
        {"kind": "four", "cards": cards("AC 2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC")},
        {"kind": "four", "cards": []},
        {"kind": "four", "cards": cards("7C 7C 7C 7C")},
        {"kind": "three", "cards": ["7C"] * 300},
        {"kind": "four", "cards": cards("7C 8C 9C XC")},
        {"kind": "five", "cards": cards("7C 7C 7C")},
        {"kind": ["three"], "cards": cards("7C 7C 7C")},
        {"kind": "three", "cards": "7C7C7C"},
        {"kind": "three"},
        {},
        None,
        "7C 7C 7C",
    ],
)
def test_anything_else_is_no_group(data):
    with pytest.raises(TableError, match=r"^groups\[0\]"):
        parse_group(data, "groups[0]")


# --- actions and moves ----------------------------------------------------------------------------


def test_simple_moves():
    table = new_game()
    for action, kind in enumerate(["pass", "buy", "draw_stock", "take_discard"]):
        assert jo.action_move(table.game, action) == {"type": kind}
        assert jo.move_actions(table.game, {"type": kind}) == [action]
    for face in range(52):
        assert jo.action_move(table.game, DISCARD + face) == {"type": "discard", "card": PACK[face]}
        assert jo.move_actions(table.game, {"type": "discard", "card": PACK[face]}) == [DISCARD + face]


def test_every_legal_action_of_many_tables_and_back():
    """Lay actions are parts of a go-down; all others are moves of their own."""
    seen = set()
    for snapshot in random_tables(seed=3, count=150):
        table = Table(*jo.restore(snapshot))
        for action in table.legal():
            seen.add(action)
            spelled = jo.action_move(table.game, action)
            assert json.loads(json.dumps(spelled)) == spelled
            if not LAY_THREE <= action < LAY_OFF:
                assert jo.move_actions(table.game, spelled) == [action]
            else:
                assert spelled["type"] == "go_down" and len(spelled["groups"]) == 1
    places = {(action - LAY_OFF) % 6 for action in seen if LAY_OFF <= action < DISCARD}
    assert places == set(range(6))
    assert len({(action - LAY_OFF) // 6 for action in seen if LAY_OFF <= action < DISCARD}) == 12


def test_the_slots_count_from_the_seat_on_turn():
    """Group 1 of the seat two to the left: slot 3 * 2 + 1."""
    rows = {1: ["KC KD KH", "4H 5H 6H 7H"], 3: ["QC QD QH", "4D 5D 6D 7D"]}
    table = lay_out("2C", "3H 8D QS 2S", "2D", "2H", round=2, turn=1, phase="play", groups=rows)
    actions = [LAY_OFF + 6 * 1 + 4, LAY_OFF + 6 * 6 + 3, LAY_OFF + 6 * 7 + 5]
    assert table.lay_offs() == actions
    moves = [jo.action_move(table.game, action) for action in actions]
    assert moves == [
        {"type": "lay_off", "owner": 1, "group": 1, "card": "3H", "end": "low"},
        {"type": "lay_off", "owner": 3, "group": 0, "card": "QS"},
        {"type": "lay_off", "owner": 3, "group": 1, "card": "8D", "end": "high"},
    ]
    # The end is only needed where both fit.
    assert jo.move_actions(table.game, move("lay off 8D on 3.1")) == actions[2:]


@pytest.mark.parametrize("order", ["7C 7D 7H, KC KD KS", "KS KD KC, 7H 7D 7C"])
def test_a_go_down_may_be_told_in_any_order(order):
    table = lay_out("7C 7D 7H KC KD KS 2S", "3C", phase="play")
    actions = jo.move_actions(table.game, move(f"go down {order}"))
    assert actions == [LAY_THREE + 20 * 6 + 5, LAY_THREE + 20 * 12 + 6]
    for action in actions:
        table.step(action)
    assert table["down"] == [True, False]


def test_a_go_down_with_fours_first_is_laid_threes_first():
    table = lay_out("7C 7D 7H 4S 5S 6S 7S 2S", "3C", round=2, phase="play")
    table.play("go down 4S 5S 6S 7S, 7C 7D 7H")
    assert table["groups"][0] == [group("7C 7D 7H"), group("4S 5S 6S 7S")]


@pytest.mark.parametrize(
    "round, goal",
    [
        (1, "7C 7C 7D 7H 7S, KC KD KD KS"),
        (2, "7C 7D 7H, 3S 4S 5S 6S 7S 8S"),
        (2, "7C 7D 7H 7H, AS 2S 3S 4S 5S"),
        (3, "9H TH JH QH KH AH, 9S TS JS QS KS AS"),
        (3, "2S 3S 4S 5S 6S, 4S 5S 6S 7S 8S"),
        (3, "4S 5S 6S 7S, 4S 5S 6S 7S 8S"),
    ],
)
def test_larger_groups_are_the_go_down_and_the_lay_offs_that_follow_it(round, goal):
    hand = goal.replace(",", "") + " 2H"
    table = lay_out(hand, "3C", round=round, phase="play", buys_used=[3, 0])
    actions = jo.move_actions(table.game, move(f"go down {goal}"))
    threes_and_fours = len(goal.split(","))
    assert all(action < LAY_OFF for action in actions[:threes_and_fours])
    assert all(action >= LAY_OFF for action in actions[threes_and_fours:])
    for action in actions:
        table.step(action)
    laid = [group(text) for text in goal.split(", ")]
    assert table["groups"][0] == laid
    assert table["hands"][0] == ["2H"]


def test_lay_actions_make_one_move():
    table = lay_out("7C 7D 7H KC KD KS 2S", "3C", phase="play")
    goal = move("go down 7C 7D 7H, KC KD KS")
    assert jo.actions_move(table.game, jo.move_actions(table.game, goal)) == goal
    assert jo.actions_move(table.game, [DISCARD]) == move("discard AC")


WRONG_MOVES = [
    None,
    "pass",
    [],
    {},
    {"type": None},
    {"type": "fold"},
    {"type": []},
    {"type": {}},
    {"type": "discard"},
    {"type": "discard", "card": "7h"},
    {"type": "discard", "card": 7},
    {"type": "discard", "card": ["7H"]},
    {"type": "go_down"},
    {"type": "go_down", "groups": []},
    {"type": "go_down", "groups": "7C 7D 7H"},
    {"type": "go_down", "groups": [None]},
    {"type": "go_down", "groups": [group("7C 7D 7H")] * 4},
    {"type": "go_down", "groups": [{"kind": "three", "cards": ["7C", "7D"]}]},
    {"type": "go_down", "groups": [{"kind": "three", "cards": 5}]},
    {"type": "lay_off"},
    {"type": "lay_off", "owner": 0, "group": 0, "card": "2S"},  # does not fit
    {"type": "lay_off", "owner": 0, "group": 2, "card": "KS"},  # no such group
    {"type": "lay_off", "owner": 0, "group": 3, "card": "KS"},
    {"type": "lay_off", "owner": 2, "group": 0, "card": "KS"},  # no such seat
    {"type": "lay_off", "owner": -1, "group": 0, "card": "KS"},
    {"type": "lay_off", "owner": "0", "group": 0, "card": "KS"},
    {"type": "lay_off", "owner": 0.0, "group": 0, "card": "KS"},
    {"type": "lay_off", "owner": 0, "group": True, "card": "KS"},
    {"type": "lay_off", "owner": 0, "group": 0, "card": "KS", "end": "low"},  # a three has no ends
    {"type": "lay_off", "owner": 0, "group": 1, "card": "3H", "end": "high"},  # fits at the other end
    {"type": "lay_off", "owner": 0, "group": 1, "card": "3H", "end": "left"},
    {"type": "lay_off", "owner": 0, "group": 1, "card": "3H", "end": []},
    {"type": "lay_off", "owner": 0, "group": 1, "card": None},
]


@pytest.mark.parametrize("wrong", WRONG_MOVES, ids=str)
def test_wrong_moves_are_refused(wrong):
    table = lay_out("KS 2S 3H", "4C", round=2, phase="play", groups={0: ["KC KD KH", "4H 5H 6H 7H"]})
    before = table.games.tobytes()
    with pytest.raises(IllegalActionError):
        jo.move_actions(table.game, wrong)
    assert table.games.tobytes() == before


def test_an_ace_that_fits_at_both_ends_needs_its_end_named():
    long_run = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"
    table = lay_out("AH 2S", "4C", round=2, phase="play", groups={0: ["KC KD KS", long_run]})
    with pytest.raises(IllegalActionError, match="name the end"):
        jo.move_actions(table.game, move("lay off AH on 0.1"))
    low, high = (jo.move_actions(table.game, move(f"lay off AH on 0.1 {end}"))[0] for end in ("low", "high"))
    assert [low, high] == table.lay_offs() == [LAY_OFF + 6 + 4, LAY_OFF + 6 + 5]
    assert [jo.action_move(table.game, action)["end"] for action in (low, high)] == ["low", "high"]


def test_an_illegal_action_is_described_with_what_would_be_legal():
    table = lay_out("KS 2S", "4C", discard="9C")
    text = jo.describe_illegal(table.game, DISCARD + 51, table.mask())
    assert text == (
        "player_0 may not play 431 (discard KS); legal now: 2 draw stock, 3 take discard "
        "(round 1, turn 1, phase draw)"
    )
    for action in (-1, 432, 1.5, None, "2", True):
        assert "is no action; give an integer from 0 to 431" in jo.describe_illegal(
            table.game, action, table.mask()
        )


def test_after_the_end_no_action_is_legal():
    table = new_game(seats=2, max_turns=1)
    while table["phase"] != "over":
        table.step(table.legal()[0])
    with pytest.raises(IllegalActionError, match="the game is over; no action is legal"):
        table.step(0)


@pytest.mark.parametrize("action", range(NUM_ACTIONS))
def test_every_action_has_a_text(action):
    assert jo.action_text(new_game().game, action)


def test_junk_anywhere_in_a_move_is_refused_or_makes_actions():
    table = lay_out("KS 2S 3H", "4C", round=2, phase="play", groups={0: ["KC KD KH", "4H 5H 6H 7H"]})
    valid = [
        move(text)
        for text in (
            "pass",
            "discard 2S",
            "lay off KS on 0.0",
            "lay off 3H on 0.1 low",
            "go down 7C 7D 7H 7S, 4S 5S 6S 7S",
        )
    ]

    @settings(max_examples=400)
    @given(mutated(valid))
    def check(data):
        try:
            actions = jo.move_actions(table.game, data)
        except IllegalActionError as error:
            assert str(error)
            return
        assert actions and all(0 <= action < NUM_ACTIONS for action in actions)

    check()
