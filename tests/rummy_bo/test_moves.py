"""Groups, actions and moves there and back, and those that are none."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from junk import mutated

from jo_env import rummy_bo
from jo_env.cards import FACE_NAMES
from jo_env.errors import IllegalActionError, TableError
from jo_env.rummy_bo.actions import (
    DISCARD,
    LAY_CARDS,
    LAY_FACES,
    LAY_OFF,
    LAY_OFF_HIGH,
    LAY_OFF_LOW,
    LAY_RUN,
    LAY_SET,
    LAY_SIZES,
    NUM_ACTIONS,
)
from jo_env.rummy_bo.groups import write_group
from jo_env.rummy_bo.notation import Group, group_json, parse_group, plain_groups, smallest_lay
from jo_env.rummy_bo.state import GROUP
from rummy_bo.playing import Play
from rummy_bo.tables import PACK, cards, group, lay_out, move, new_game

LAYS = range(LAY_SET, LAY_OFF)


def test_the_blocks_of_the_action_table():
    blocks = (LAY_SET, LAY_RUN, LAY_OFF, LAY_OFF_LOW, LAY_OFF_HIGH, DISCARD, NUM_ACTIONS)
    assert blocks == (4, 69, 121, 173, 225, 277, 329)


@pytest.mark.parametrize(
    "action, text",
    [
        (4, "AC AD AH"),
        (5, "AC AD AS"),
        (6, "AC AH AS"),
        (7, "AD AH AS"),
        (8, "AC AD AH AS"),
        (4 + 5 * 12 + 4, "KC KD KH KS"),
        (4 + 5 * 6 + 2, "7C 7H 7S"),
        (69, "AC 2C 3C"),
        (69 + 11, "QC KC AC"),
        (69 + 12, "KC AC 2C"),
        (69 + 13 * 3 + 12, "KS AS 2S"),
        (69 + 13 * 2 + 3, "4H 5H 6H"),
    ],
)
def test_lay_actions_by_the_table(action, text):
    assert [FACE_NAMES[face] for face in LAY_FACES[action][: LAY_SIZES[action]]] == cards(text)


@pytest.mark.parametrize("action", LAYS)
def test_every_smallest_group_and_back(action):
    laid = np.zeros(1, GROUP)
    write_group(laid[0], action)
    (plain,) = plain_groups(laid)
    assert smallest_lay(plain) == action
    data = group_json(plain)
    assert data["cards"] == [FACE_NAMES[face] for face in LAY_FACES[action][: LAY_SIZES[action]]]
    for cards_written in (data["cards"], data["cards"][::-1]):
        assert parse_group({**data, "cards": cards_written}, "group") == plain


def test_no_two_lay_actions_lay_the_same():
    assert len(set(LAY_CARDS[LAY_SET:].tolist())) == len(LAYS)


def runs():
    for size in range(3, 14):
        for start in range(13 if size < 13 else 1):
            yield " ".join("A23456789TJQKA23456789TJQK"[i] + "H" for i in range(start, start + size))


@pytest.mark.parametrize("text", list(runs()))
def test_every_run_and_back(text):
    read = parse_group({"kind": "run", "cards": cards(text)}, "run")
    assert group_json(read) == {"kind": "run", "cards": cards(text)}
    assert read.length == len(cards(text))


def test_a_run_of_thirteen_is_written_from_its_ace():
    ranks = "89TJQKA234567"
    read = parse_group({"kind": "run", "cards": [rank + "H" for rank in ranks]}, "run")
    assert group_json(read)["cards"][0] == "AH" and read == Group(read.cards, 1, 26, 13)


@pytest.mark.parametrize(
    "data",
    [
        {"kind": "set", "cards": cards("7C 7D")},
        {"kind": "set", "cards": cards("7C 7D 8S")},
        {"kind": "set", "cards": cards("7C 7C 7D")},
        {"kind": "set", "cards": cards("7C 7D 7H 7S 7S")},
        {"kind": "set", "cards": []},
        {"kind": "run", "cards": cards("7C 8C")},
        {"kind": "run", "cards": cards("7C 8C TC")},
        {"kind": "run", "cards": cards("7C 8C 9D")},
        {"kind": "run", "cards": cards("7C 8C 8C")},
        {"kind": "run", "cards": cards("AC 2C KC 5C")},
        {"kind": "run", "cards": []},
        {"kind": "run", "cards": ["7C"] * 14},
        {"kind": "run", "cards": cards("7C 8C XC")},
        {"kind": "three", "cards": cards("7C 7D 7H")},
        {"kind": ["set"], "cards": cards("7C 7D 7H")},
        {"kind": "set", "cards": "7C7D7H"},
        {"kind": "set"},
        {},
        None,
        "7C 7D 7H",
    ],
)
def test_anything_else_is_no_group(data):
    with pytest.raises(TableError, match=r"^groups\[0\]"):
        parse_group(data, "groups[0]")


def test_simple_moves():
    table = new_game()
    for action, kind in enumerate(["draw_stock", "take_two", "take_discard", "turn_over"]):
        assert rummy_bo.action_move(table.game, action) == {"type": kind}
        assert rummy_bo.move_actions(table.game, {"type": kind}) == [action]
    for face in range(52):
        discard = {"type": "discard", "card": PACK[face]}
        assert rummy_bo.action_move(table.game, DISCARD + face) == discard
        assert rummy_bo.move_actions(table.game, discard) == [DISCARD + face]


def test_every_legal_action_of_much_play_and_back():
    seen = set()
    play = Play(24, seats=3, seed=5, style=1)
    for _ in range(600):
        for game, mask in zip(play.games, play.masks, strict=True):
            for action in set(np.flatnonzero(mask).tolist()) - seen:
                seen.add(action)
                spelled = rummy_bo.action_move(game, action)
                assert json.loads(json.dumps(spelled)) == spelled
                assert rummy_bo.move_actions(game, spelled) == [action]
                assert rummy_bo.actions_move(game, [action]) == spelled
                assert not rummy_bo.is_part(action)
        play.choose()
        play.step()
        rummy_bo.deal_anew(play.games)
        play.observe()
    for first, end in ((0, 4), (LAY_SET, LAY_RUN), (LAY_RUN, LAY_OFF), (LAY_OFF, DISCARD)):
        assert len([action for action in seen if first <= action < end]) > (end - first) / 4


def test_a_longer_run_is_its_lay_and_its_lay_offs():
    table = lay_out("KS AS 2S 3S 4S 7D", "3C", phase="play")
    spelled = move("lay KS AS 2S 3S 4S")
    actions = rummy_bo.move_actions(table.game, spelled)
    assert actions == [LAY_RUN + 51, LAY_OFF_HIGH + 41, LAY_OFF_HIGH + 42]
    assert rummy_bo.actions_move(table.game, actions) == spelled


WRONG_MOVES = [
    (None, "None is no move"),
    ("pass", "'pass' is no move"),
    ({}, "move type None; give one of draw_stock, take_two, take_discard, turn_over, lay, lay_off, discard"),
    ({"type": "buy"}, "move type 'buy'"),
    ({"type": []}, "move type"),
    ({"type": "discard"}, "move discard: '' is not a card"),
    ({"type": "discard", "card": "7h"}, "'7h' is not a card"),
    ({"type": "lay"}, "no group; give kind 'set' or 'run'"),
    ({"type": "lay", "kind": "set", "cards": ["7C", "7D"]}, "is no set"),
    ({"type": "lay", "kind": "run", "cards": 5}, "no list of cards"),
    ({"type": "lay_off"}, "group: None; give a whole number from 0 to 1"),
    ({"type": "lay_off", "group": 2, "card": "KS"}, "group: 2"),
    ({"type": "lay_off", "group": True, "card": "KS"}, "group: True"),
    ({"type": "lay_off", "group": 0, "card": "2S"}, "card: 2S does not fit on group 0$"),
    ({"type": "lay_off", "group": 0, "card": "KS", "end": "low"}, "does not fit on group 0 at its low end"),
    ({"type": "lay_off", "group": 1, "card": "3H", "end": "high"}, "does not fit on group 1 at its high end"),
    ({"type": "lay_off", "group": 1, "card": "3H", "end": "left"}, "end: 'left'; give 'low' or 'high'"),
    ({"type": "lay_off", "group": 1, "card": None}, "None is not a card"),
]


@pytest.mark.parametrize(("wrong", "words"), WRONG_MOVES, ids=str)
def test_wrong_moves_are_refused(wrong, words):
    table = lay_out("KS 2S 3H", "4C", phase="play", groups=["KC KD KH", "4H 5H 6H"])
    before = table.games.tobytes()
    with pytest.raises(IllegalActionError, match=words):
        rummy_bo.move_actions(table.game, wrong)
    assert table.games.tobytes() == before


def test_a_lay_off_needs_a_group():
    table = lay_out("KS 2S 3H", "4C", phase="play")
    with pytest.raises(IllegalActionError, match="group: 0, but no group lies on the table"):
        rummy_bo.move_actions(table.game, {"type": "lay_off", "group": 0, "card": "KS"})


def test_the_thirteenth_card_goes_to_the_high_end():
    table = lay_out("3S 2D", "4C", phase="play", groups=["4S 5S 6S 7S 8S 9S TS JS QS KS AS 2S"])
    assert rummy_bo.move_actions(table.game, move("lay off 3S on 0")) == [LAY_OFF_HIGH + 41]


def test_an_illegal_action_is_described_with_what_would_be_legal():
    table = lay_out("KS 2S", "4C", discard="9C JD")
    text = rummy_bo.describe_illegal(table.game, DISCARD + 51, table.mask())
    assert text == (
        "player_0 may not play 328 (discard KS); legal now: 0 draw stock, 1 take two "
        "(hand 1, turn 1, phase draw)"
    )
    for action in (-1, 329, 1.5, None, "2", True):
        told = rummy_bo.describe_illegal(table.game, action, table.mask())
        assert "is no action; give an integer from 0 to 328" in told


def test_after_the_end_no_action_is_legal():
    table = lay_out("KC", "2D", phase="play", num_hands=1).play("discard KC")
    with pytest.raises(IllegalActionError, match="the game is over; no action is legal"):
        table.step(0)


@pytest.mark.parametrize("action", range(NUM_ACTIONS))
def test_every_action_has_a_text(action):
    assert rummy_bo.action_text(new_game().game, action)


@settings(max_examples=300)
@given(mutated([wrong for wrong, _ in WRONG_MOVES if isinstance(wrong, dict)] + [move("lay 4H 5H 6H")]))
def test_junk_in_a_move_is_refused_or_makes_actions(data):
    table = lay_out("KS 2S 3H", "4C", phase="play", groups=["KC KD KH", "4H 5H 6H"])
    try:
        actions = rummy_bo.move_actions(table.game, data)
    except IllegalActionError as error:
        assert str(error)
        return
    assert actions and all(0 <= action < NUM_ACTIONS for action in actions)


def test_groups_of_a_table_are_as_they_were_laid():
    table = lay_out("KS 2S", "4C", phase="play", groups=["4H 5H 6H", "KC KD KH"])
    assert table["groups"] == [group("4H 5H 6H"), group("KC KD KH")]
