"""Snapshots and views there and back, and those that are none."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from junk import mutated

from jo_env import rummy_bo
from jo_env.errors import TableError
from rummy_bo import oracle
from rummy_bo.playing import Play
from rummy_bo.tables import PACK, Table, cards, group, lay_out, new_game, shoe


def same_views(one: Table, other: Table, seats=None) -> bool:
    seats = range(one["seats"]) if seats is None else seats
    return all(one.look(seat).tobytes() == other.look(seat).tobytes() for seat in seats)


def played(seats: int, num_steps: int, seed: int, **settings):
    """Tables under way with their history, after each of so many steps."""
    play = Play(6, seats=seats, seed=seed, **settings)
    tables = [Table(play.games[i : i + 1]) for i in range(6)]
    for step in range(num_steps):
        play.choose()
        play.step()
        for i, table in enumerate(tables):
            table.events = [] if play.hand_ended[i] else table.events + rummy_bo.news(play.games[i])
        play.observe()
        yield step, tables


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_a_snapshot_restored_is_the_same_table(seats):
    """Of games under way, with all that the history tells; the luck goes on as before."""
    phases = set()
    for step, tables in played(seats, 400, seats):
        if step % 29 == 0:
            for table in tables:
                saved = json.loads(json.dumps(table.snapshot()))
                again = Table(*rummy_bo.restore(saved))
                assert again.snapshot() == saved
                assert same_views(table, again)
                phases.add((saved["phase"], saved["turned_over"], saved["laid"] > 0, saved["laid_off"] > 0))
    assert len(phases) > 4


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_a_view_is_all_that_the_seat_needs(seats):
    """look() on the table read from a view is look() on the real one, to the byte."""
    in_sight = 0
    for step, tables in played(seats, 400, seats + 10):
        if step % 23 == 0:
            for table in tables:
                seat = table["acting"]
                if seat is None:
                    continue
                view = json.loads(json.dumps(table.view(seat)))
                in_sight += view["stock"] is not None
                games, read = rummy_bo.game_from_view(view)
                assert read == seat
                assert same_views(table, Table(games), [seat])
                assert Table(games).legal() == table.legal()
                assert rummy_bo.view_json(games[0], seat, view["events"]) == view
    assert in_sight > 3


def test_a_restored_game_goes_on_as_the_first_one_did():
    """Later shuffles and deals included."""
    for seed in range(3):
        one = new_game(seed, seats=3, hands=3, max_turns=30, shoes=[None, shoe("7S 8S"), shoe("9S 2S")])
        for _ in range(40):
            one.step(one.legal()[-1])
        other = Table(*rummy_bo.restore(one.snapshot()))
        while one["phase"] != "over":
            assert one.snapshot() == other.snapshot()
            action = one.legal()[-1]
            one.step(action)
            other.step(action)
        assert one.snapshot() == other.snapshot()


def test_the_keys_of_snapshots_and_views():
    table = new_game()
    assert set(table.snapshot()) == set(oracle.KEYS)
    assert set(table.view(0)) == {
        "protocol", "game", "seats", "seat", "dealer", "num_hands", "hand_number", "turns", "turn", "phase",
        "hand", "hand_sizes", "melded", "groups", "laid", "laid_off", "discard", "stock_size", "stock",
        "taken", "scores", "rules", "events",
    }  # fmt: skip


def test_a_snapshot_may_come_without_its_events():
    table = lay_out("KS 2S", "4C", discard="9C 3D").play("take two")
    assert Table(*rummy_bo.restore({**table.snapshot(), "events": []}))["hands"] == table["hands"]


def full_table() -> Table:
    return lay_out(
        "AC 2C 2D 9S", "4D 5D QH", "7S TS 6H", "JS 8H", turn=0, phase="play", discard="9C TH 4C",
        groups=["KC KD KS", "3H 4H 5H", "7C 7D 7H"], laid=1, stock="JD", hand_number=2, taken=["9S"],
        points=[[35, -10, -5, -20]], max_turns=200,
    )  # fmt: skip


def test_what_may_be_left_out_of_a_view():
    view = lay_out("AC 2C", "3D 4D", phase="play", discard="9C").view(0)
    short = {
        key: view[key]
        for key in view
        if key not in ("protocol", "num_hands", "hand_number", "turns", "rules", "events", "stock")
    }
    games, _ = rummy_bo.game_from_view(short)
    assert rummy_bo.view_json(games[0], 0, []) == {**view, "turns": 0, "rules": {"max_turns": None}}


DRAW = {"event": "draw", "seat": 1, "from": "stock", "count": 2}
BAD_SNAPSHOTS = {
    "game": [("jo", "game: 'jo'; this is 'rummy_bo'"), (None, "game")],
    "seats": [(3, "points"), (7, "seats=7"), ("4", "seats='4'"), (None, "seats")],
    "rules": [([1], "rules"), ({"max_turns": 0}, "max_turns=0")],
    "num_hands": [
        (0, "num_hands: 0; give a whole number from 1 to 20"),
        ("5", "num_hands"),
        (1, "hand_number: 2"),
    ],
    "hand_number": [
        (3, "points: 1 rows, but 2 hands are finished"),
        (0, "hand_number: 0"),
        ("2", "hand_number"),
    ],
    "dealer": [(4, "dealer: 4"), (None, "dealer"), (True, "dealer: True")],
    "turn": [(4, "turn: 4"), (1, "acting: 0; give 1 in phase play with turn 1")],
    "acting": [
        (1, "acting: 1; give 0 in phase play with turn 0"),
        (None, "acting: None"),
        (False, "acting: False"),
    ],
    "phase": [
        ("buy", "phase: 'buy'; give one of draw, play, over"),
        ([], "phase"),
        ("draw", "laid"),
        ("over", None),
    ],
    "hands": [
        ([[]] * 3, "3 given for 4"),
        ([["AC"]] * 4, r"hands\[1\]: AC is there, but also in hands\[0\]"),
        ("AC", "hands"),
    ],
    "stock": [
        ([], "JD is nowhere|is nowhere; the table holds one pack"),
        (["7X"], "stock: '7X' is not a card"),
        (None, "stock"),
    ],
    "turned_over": [(None, "turned_over: None; give true or false"), (1, "turned_over: 1")],
    "discard": [
        ([], "nowhere"),
        (["9C"] * 2, "discard: 9C is there, but also in discard"),
        (["KC"], r"discard: KC is there, but also in groups\[0\]"),
    ],
    "groups": [
        ([], "laid: 1; give a whole number from 0 to 0"),
        ([group("KC KD KS")] * 2, r"groups\[1\]: KC is there, but also in groups\[0\]"),
        ([group("KC KD KS")] * 18, "groups: 18 given"),
        ([{"kind": "set", "cards": ["KC"]}], r"groups\[0\]: .* is no set"),
        ({}, "groups"),
    ],
    "laid": [
        (-1, "laid: -1"),
        (4, "laid: 4"),
        (2, r"laid: the last 2 groups do not lie in the order of their actions|laid"),
        (3, "laid: the last 3 groups"),
        (None, "laid"),
    ],
    "laid_off": [
        (1, "laid_off: 1, but the groups have grown by 0 to 0 cards in this turn"),
        (-1, "laid_off"),
        (None, "laid_off"),
    ],
    "melded": [
        ([False] * 4, "melded: .*, but 2 groups lie on the table"),
        ([1, 0, 0, 0], "melded"),
        (None, "melded"),
    ],
    "taken": [
        (["9C"], "taken: .*have left the pile"),
        (["XX"], "taken"),
        (["AC", "2C", "9S"], "2 cards at most"),
        (["4D"], "taken: seat 0"),
        (None, "taken"),
    ],
    "turns": [
        (-1, "turns: -1"),
        (1.5, "turns"),
        (200, "turns: 200; with max_turns=200 the hand is over"),
        (None, "turns"),
    ],
    "points": [
        ([], "points: 0 rows"),
        ([[1, 2, 3]], r"points\[0\]"),
        ([[5, 0, 0, 0]], r"points\[0\]: .*the others have paid"),
        ([[0] * 4] * 6, "6 rows, but the game has 5 hands"),
        ([[5000, 0, 0, -5000]], r"points\[0\]\[0\]: 5000"),
        (None, "points"),
    ],
    "events": [
        ([7], r"events\[0\]: 7 is no object"),
        ([{"event": "buy", "seat": 0}], "'buy' is no event; give draw, turn_over, lay, lay_off, discard"),
        ([{"event": "draw", "seat": 9, "from": "stock"}], r"events\[0\].seat: 9"),
        ([{"event": "turn_over"}], r"events\[0\].seat: None"),
        ([{"event": "discard", "seat": 0, "card": "7X"}], r"events\[0\].card"),
        ([DRAW, {"event": "lay", "seat": 0, "kind": "set", "cards": []}], r"events\[1\]: .* is no set"),
        ([{"event": "draw", "seat": 1}], r"events\[0\].from: None; give 'stock' or 'discard'"),
        ([{"event": "draw", "seat": 1, "from": "discard"}], r"events\[0\].cards: None"),
        ([{"event": "draw", "seat": 1, "from": "discard", "cards": ["4D", "5D", "QH"]}], "one card or two"),
        ([{"event": "draw", "seat": 1, "from": "discard", "cards": ["AC"]}], "into the hand of seat 1"),
        ([{"event": "draw", "seat": 1, "from": "discard", "cards": ["9C"]}], "into the hand of seat 1"),
        ([{"event": "discard", "seat": 0, "card": "AC"}], "they leave AC in the pile, where it is not"),
        ("draw", "events"),
    ],
    "shoes": [
        ([["AC"]], "shoe"),
        (7, "shoes"),
        ([[7]], "7 is not a card"),
        ([None] * 5, "5 given for 3 hands"),
        ([["7S"] * 52], "shoe"),
    ],
    "rng": [
        (None, "rng"),
        ({"seed": "0x1"}, "rng"),
        ({"seed": "0x1", "state": "xyz"}, "rng"),
        ({"seed": "-0x1", "state": "0x1"}, "rng"),
    ],
}


@pytest.mark.parametrize(
    "key, value, text", [(k, v, t) for k, rows in BAD_SNAPSHOTS.items() for v, t in rows]
)
def test_a_snapshot_that_breaks_the_rules_gets_one_clear_error(key, value, text):
    snapshot = full_table().snapshot()
    rummy_bo.restore(snapshot)
    with pytest.raises(TableError, match=text):
        rummy_bo.restore({**snapshot, key: value})


OPTIONAL = ("events", "shoes", "rules", "turns", "num_hands")


@pytest.mark.parametrize("key", [key for key in full_table().snapshot() if key not in OPTIONAL])
def test_a_snapshot_without_one_of_its_fields_is_refused(key):
    snapshot = full_table().snapshot()
    del snapshot[key]
    with pytest.raises(TableError):
        rummy_bo.restore(snapshot)


@pytest.mark.parametrize("junk", [None, 7, "rummy_bo", [], {}, [{}]])
def test_junk_is_no_table(junk):
    for read in (rummy_bo.restore, rummy_bo.game_from_view):
        with pytest.raises(TableError):
            read(junk)


def test_a_table_at_which_nobody_can_move_is_none():
    with pytest.raises(TableError, match="phase: play, but no action is legal for seat 0"):
        lay_out("7S", "2C", phase="play", taken=["7S"])
    with pytest.raises(TableError, match="discard: empty in phase draw"):
        lay_out("7S", "2C")


def test_a_hand_in_which_somebody_is_out_is_over():
    with pytest.raises(TableError, match="hands: seat 1 holds no card; the hand would be over"):
        lay_out("2S", "", discard="9C")


def test_what_was_laid_in_this_turn_lies_in_its_one_spelling():
    groups = ["7C 7D 7H", "2S 3S 4S 5S"]
    table = lay_out("KC 9D", "3C", phase="play", groups=groups, laid=2, laid_off=1)
    assert Table(*rummy_bo.restore(table.snapshot())).legal() == table.legal()
    for fields in (
        {"groups": groups[::-1], "laid": 2, "laid_off": 1},
        {"groups": groups, "laid": 2, "laid_off": 0},
        {"groups": groups, "laid": 2, "laid_off": 2},
    ):
        with pytest.raises(TableError, match="laid"):
            lay_out("KC 9D", "3C", phase="play", **fields)


def view_of_play() -> dict:
    table = lay_out("AC 2C 3D", "4D 5D QH", phase="draw", discard="9C TH 4C", groups=["KC KD KS"])
    return table.view(0)


BAD_VIEWS = {
    "protocol": [(2, "protocol: 2; this is protocol 1")],
    "game": [("jo", "game: 'jo'")],
    "seat": [(1, "seat: seat 1 has nothing to decide"), (4, "seat: 4"), (None, "seat")],
    "hand": [
        (["AC"], "hand: 1 cards, but"),
        (["XX"] * 3, "'XX' is not a card"),
        (["9C", "2C", "3D"], "hand: 9C"),
        (None, "hand"),
    ],
    "hand_sizes": [([3], "hand_sizes"), ([3, 4], "cards in all"), ([3, 0], None)],
    "stock_size": [(56, "stock_size"), (-1, "stock_size: -1"), (None, "stock_size"), ("40", "stock_size")],
    "stock": [(["JD"], "stock: 1 cards, but stock_size is 40"), (7, "stock")],
    "scores": [([1], "scores"), (None, "scores")],
    "discard": [([], "discard: empty in phase draw"), (["9C"] * 3, "9C")],
    "hand_number": [(9, "hand_number: 9")],
    "rules": [(7, "rules: 7"), ([], r"rules: \[\]")],
    "events": [
        ({"a": 1}, "events"),
        ([{}], r"events\[0\]"),
        ([{"event": "draw", "seat": 1, "from": "discard", "cards": ["3D"]}], "into the hand of seat 1"),
    ],
}


@pytest.mark.parametrize("key, value, text", [(k, v, t) for k, rows in BAD_VIEWS.items() for v, t in rows])
def test_a_view_that_breaks_the_rules_gets_one_clear_error(key, value, text):
    rummy_bo.game_from_view(view_of_play())
    with pytest.raises(TableError, match=text):
        rummy_bo.game_from_view({**view_of_play(), key: value})


# --- anything at all in any field -----------------------------------------------------------------


def assert_playable(table: Table) -> None:
    """Whatever was accepted is a table: its own snapshot is accepted again, and it has a legal action."""
    again = rummy_bo.restore(json.loads(json.dumps(table.snapshot())))
    assert rummy_bo.snapshot(again[0][0], again[1]) == table.snapshot()
    for _ in range(8):
        if table["phase"] == "over":
            break
        legal = table.legal()
        assert set(legal) == oracle.legal_actions(table.snapshot())
        table.step(legal[len(legal) // 2])


@pytest.fixture(scope="module")
def stories():
    over = lay_out("KC", "2D 3D", phase="play", num_hands=1).play("discard KC")
    turned = lay_out("KC 7D", "2D 3D", discard="AC 4C 9S", rest=1).play("turn over")
    under_way = [table for step, tables in played(4, 120, 3) if step == 119 for table in tables]
    return [full_table(), over, turned, new_game(), *under_way]


def test_junk_anywhere_in_a_snapshot_is_refused_or_makes_a_table(stories):
    valid = [table.snapshot() for table in stories]

    @settings(max_examples=500)
    @given(mutated(valid))
    def check(data):
        try:
            table = Table(*rummy_bo.restore(data))
        except TableError as error:
            assert str(error)
            return
        assert_playable(table)

    check()


def test_junk_anywhere_in_a_view_is_refused_or_makes_a_table(stories):
    valid = [table.view(table["acting"]) for table in stories if table["acting"] is not None]

    @settings(max_examples=500)
    @given(mutated(valid))
    def check(data):
        try:
            games, seat = rummy_bo.game_from_view(data)
        except TableError as error:
            assert str(error)
            return
        mask = Table(games).mask()
        assert mask.any() or games[0].phase == rummy_bo.Phase.OVER
        json.dumps(rummy_bo.view_json(games[0], seat, []))

    check()


def test_the_largest_pile_there_can_be():
    """All cards but one in each hand; turned over, it is the stock."""
    pile = [card for card in PACK if card not in ("2C", "3C")]
    table = lay_out("2C", "3C", discard=" ".join(pile))
    assert len(table["discard"]) == 50 and table["stock"] == []
    table.play("turn over")
    assert len(table["stock"]) == 49 and table["hands"][0] == cards("AC 2C")
    assert np.count_nonzero(table.look(0)[0].stock >= 0) == 49
