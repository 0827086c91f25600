"""Snapshots and views there and back, and those that are none."""

import copy
import json

import numpy as np
import pytest
from hypothesis import given, settings
from junk import mutated
from playing import Play
from random_tables import random_tables
from tables import PACK, Table, all_of, cards, group, lay_out, new_game, shoe

from jo_env import jo
from jo_env.errors import SettingsError, TableError

# --- snapshots and views --------------------------------------------------------------------------


def assert_same_views(one: Table, other: Table, seats=None) -> None:
    for seat in range(one["seats"]) if seats is None else seats:
        views = np.zeros(2, jo.VIEW)
        jo.look(one.game, seat, views[0])
        jo.look(other.game, seat, views[1])
        assert views[0].tobytes() == views[1].tobytes()


def test_a_snapshot_restored_is_the_same_table():
    """Of games under way, with all that the history tells; the luck goes on as before."""
    for seats in (2, 3, 4):
        play = Play(6, seats=seats, seed=seats)
        tables = [Table(play.games[i : i + 1]) for i in range(6)]
        for step in range(300):
            play.choose()
            play.step()
            for i, table in enumerate(tables):
                table.events = [] if play.hand_ended[i] else table.events + jo.news(play.games[i])
            play.observe()
            if step % 29 == 0:
                for table in tables:
                    saved = json.loads(json.dumps(table.snapshot()))
                    again = Table(*jo.restore(saved))
                    assert again.snapshot() == saved
                    assert_same_views(table, again)


def test_a_restored_game_goes_on_as_the_first_one_did():
    """Later shuffles and deals included."""
    play = Play(3, seats=3, seed=5, max_turns=30, rounds=(1, 4, 2))
    jo.set_shoes(play.games[0], [None, shoe("7S 8S"), shoe("9S 2S 2S")])
    jo.start(play.games, np.arange(3).astype(np.uint64), np.full(3, -1))
    play.observe()
    for _ in range(50):
        play.choose()
        play.step()
        play.observe()
    for i in range(3):
        one, other = Table(play.games[i : i + 1]), Table(*jo.restore(jo.snapshot(play.games[i], [])))
        while one["phase"] != "over":
            assert one.snapshot() == other.snapshot()
            legal = one.legal()
            for table in (one, other):
                table.news = []
                table.step(legal[-1])
        assert one.snapshot() == other.snapshot()


def test_a_view_is_all_that_the_seat_needs():
    """look() on the table read from a view is look() on the real one, to the byte."""
    for seats in (2, 3, 4):
        play = Play(6, seats=seats, seed=seats + 10)
        tables = [Table(play.games[i : i + 1]) for i in range(6)]
        for step in range(300):
            play.choose()
            play.step()
            for i, table in enumerate(tables):
                table.events = [] if play.hand_ended[i] else table.events + jo.news(play.games[i])
            play.observe()
            if step % 23 == 0:
                for table in tables:
                    if table["acting"] is None:
                        continue
                    view = json.loads(json.dumps(table.view(table["acting"])))
                    games, seat = jo.game_from_view(view)
                    assert seat == table["acting"]
                    assert_same_views(table, Table(games), [seat])
                    assert jo.view_json(games[0], seat, view["events"]) == view


def test_a_view_holds_nothing_that_the_seat_may_not_know():
    assert set(new_game().view(0)) == {
        "protocol", "game", "seats", "seat", "dealer", "rounds", "round", "turns", "turn", "phase", "hand",
        "hand_sizes", "down", "buys_used", "groups", "discard", "stock_size", "requests", "taken",
        "discarded_by", "scores", "rules", "events",
    }  # fmt: skip


def test_a_snapshot_has_the_keys_of_the_contract():
    assert set(new_game().snapshot()) == {
        "game", "rules", "seats", "rounds", "round", "dealer", "turn", "acting", "phase", "hands", "stock",
        "discard", "groups", "down", "buys_used", "requests", "taken", "discarded_by", "turns", "points",
        "events", "shoes", "rng",
    }  # fmt: skip


CONTRACT_VIEW = json.loads(
    """
{"protocol": 1, "game": "jo", "seats": 4, "seat": 1, "dealer": 0, "rounds": [1, 2, 3, 4, 5, 6, 7], "round": 2,
 "turns": 6, "turn": 3, "phase": "buy",
 "hand": ["AC", "2C", "2D", "4D", "5D", "QH", "7S", "9S", "TS", "JS"], "hand_sizes": [10, 10, 3, 10],
 "down": [false, false, true, false], "buys_used": [0, 0, 0, 0],
 "groups": [[], [], [{"kind": "three", "cards": ["KC", "KD", "KS"]},
                     {"kind": "four", "cards": ["3H", "4H", "5H", "6H"]}], []],
 "discard": ["9C", "KH", "4C", "8D", "JH", "3S", "7S"], "stock_size": 57, "requests": [0], "taken": null,
 "discarded_by": 2, "scores": [35, 0, 12, 88],
 "rules": {"decks": 2, "max_turns": 200}, "events": []}
"""
)


def test_the_view_of_the_contract():
    games, seat = jo.game_from_view(CONTRACT_VIEW)
    assert seat == 1
    assert jo.view_json(games[0], 1, []) == CONTRACT_VIEW
    assert Table(games).legal() == [0, 1]


def test_what_may_be_left_out_of_a_view():
    short = {
        key: CONTRACT_VIEW[key] for key in CONTRACT_VIEW if key not in ("rounds", "turns", "rules", "events")
    }
    games, _ = jo.game_from_view(short)
    unlimited = {"decks": 2, "max_turns": None}
    assert jo.view_json(games[0], 1, []) == {**CONTRACT_VIEW, "turns": 0, "rules": unlimited}


def test_a_limit_of_turns_that_is_not_told_is_none():
    for rules in ({}, {"decks": 2}, {"max_turns": None}, None):
        games, _ = jo.game_from_view({**CONTRACT_VIEW, "turns": 350, "rules": rules})
        assert jo.view_json(games[0], 1, [])["rules"] == {"decks": 2, "max_turns": None}


def test_a_snapshot_may_come_without_its_events():
    table = lay_out("KS 2S", "4C", discard="9C").play("take")
    assert Table(*jo.restore({**table.snapshot(), "events": []}))["hands"] == table["hands"]


def test_a_seat_half_way_through_its_go_down_is_restored_so():
    table = lay_out("7C 7D 7H KC KD KS 2S", "3C", phase="play")
    table.step(table.lays()[0])
    again = Table(*jo.restore(table.snapshot()))
    assert again["groups"][0] == [group("7C 7D 7H")] and again["down"] == [False, False]
    assert again.legal() == table.legal()
    assert_same_views(table, again)


# --- tables that are none -------------------------------------------------------------------------


def full_table() -> Table:
    rows = {2: ["KC KD KS", "3H 4H 5H 6H"]}
    return lay_out("AC 2C 2D 9S", "4D 5D QH", "7S 9S TS", "JS 8H", round=2, turn=0, discard="9C KH 4C",
                   groups=rows, requests=[1], stock="7D", points=[[35, 0, 12, 88]])  # fmt: skip


REQUEST = {"event": "request", "seat": 0}
BAD_SNAPSHOTS = {
    "game": [("rummy_bo", "game: 'rummy_bo'"), (None, "game")],
    "seats": [(3, "give a list of 3"), (5, "seats: 5"), ("4", "seats: '4'"), (None, "seats")],
    "rules": [
        ({"decks": 5, "max_turns": 200}, "rules.decks: 5"),
        ([1], "rules"),
        ({"max_turns": 0}, "rules.max_turns: 0"),
    ],
    "rounds": [([1, 3], "round"), ([], "rounds"), ([2, 8], "rounds")],
    "round": [(1, "round"), (8, "round: 8"), ("2", "round: '2'")],
    "dealer": [(4, "dealer: 4"), (-1, "dealer: -1"), (None, "dealer"), (True, "dealer: True")],
    "turn": [(4, "turn: 4")],
    "acting": [(1, "acting"), (None, "acting"), (9, "acting: 9")],
    "phase": [("deal", "phase: 'deal'"), ([], "phase"), ("over", None)],
    "hands": [([[]] * 3, "3 given for 4"), ([["AC"]] * 4, None), ("AC", "hands")],
    "stock": [
        ([], "on the table"),
        (["7D"] * 300, "stock"),
        (["7X"], "stock: '7X' is not a card"),
        (None, "stock"),
    ],
    "discard": [([], None), (["9C"] * 200, None), (["9C"] * 300, "discard")],
    "groups": [
        ([[], [], [], []], "groups"),
        ([[], [], [group("KC KD KS")], []], "down"),
        ([[], [], [group("KC KD KS"), group("QC QD QS")], []], "down"),
        ([[group("KC KD KS")], [], [], []], None),
        ([[{"kind": "three", "cards": ["KC"] * 200}], [], [], []], None),
        ({}, "groups"),
    ],
    "down": [([True] * 4, "down"), ([0, 0, 1, 0], "down"), (None, "down"), ([False] * 4, "not down")],
    "buys_used": [([4, 0, 0, 0], r"buys_used\[0\]: 4"), ([0] * 3, "buys_used"), ([-1, 0, 0, 0], "buys_used")],
    "requests": [
        ([0], "requests"),  # the seat on turn
        ([2], "requests"),  # down
        ([3], "requests"),  # its own discard
        ([1, 1], "requests"),
        ([3, 1], "requests"),
        ([7], "requests"),
        (None, "requests"),
        ([[]], "requests"),
    ],
    "taken": [("9C", "taken"), ("XX", "taken"), (9, "taken")],
    "discarded_by": [(4, "discarded_by: 4"), ("3", "discarded_by")],
    "turns": [(-1, "turns: -1"), (1.5, "turns"), (200, "turns: 200"), (2**31, "turns"), (None, "turns")],
    "points": [
        ([], "points"),
        ([[1, 2, 3]], r"points\[0\]"),
        ([[-1, 0, 0, 0]], r"points\[0\]\[0\]: -1"),
        ([["1", 0, 0, 0]], "points"),
        (None, "points"),
    ],
    "events": [
        ([7], r"events\[0\]"),
        ([{"event": "sing", "seat": 0}], "'sing' is no event"),
        ([{"event": "pass", "seat": 9}], r"events\[0\].seat: 9"),
        ([{"event": "discard", "seat": 0, "card": "7X"}], r"events\[0\].card"),
        ([{"event": "go_down", "seat": 0, "groups": [7]}], r"events\[0\].groups\[0\]"),
        ([REQUEST, {"event": "go_down", "seat": 0}], r"events\[1\].groups: None"),
        (
            [{"event": "go_down", "seat": 0, "groups": [group("7C 7D 7H")] * 4}],
            r"events\[0\].groups: 4 given",
        ),
        (
            [REQUEST, {"event": "go_down", "seat": 0, "groups": [{"kind": "three"}]}],
            r"\[1\].groups\[0\].cards",
        ),
        ([REQUEST, {"event": "draw", "seat": 1, "from": "discard", "card": None}], r"events\[1\].card: None"),
        ([REQUEST, {"event": "draw", "seat": 1, "from": "discard"}], r"events\[1\].card: None"),
        ([REQUEST, {"event": "draw", "seat": 1, "from": "hand", "card": "AC"}], r"events\[1\].from: 'hand'"),
        ([REQUEST, {"event": "draw", "seat": 1}], r"events\[1\].from: None; give 'stock' or 'discard'"),
        ([REQUEST, {"event": "buy", "seat": 1, "card": None}], r"events\[1\].card: None"),
        ([REQUEST, {"event": "lay_off", "seat": 1, "card": ["AC"]}], r"events\[1\].card"),
        ([REQUEST, {"seat": 1}], r"events\[1\].event: None is no event; give request, pass"),
        ([{"event": "buy", "seat": 0, "card": "AC"}] * 3, r"events\[2\].card: seat 0 would hold more AC"),
        ([{"event": "buy", "seat": 0, "card": "AC"}] * 9, "events"),
        ([{"event": "buy", "seat": 0, "card": "AC"}] * 300, "events"),
        ("pass", "events"),
    ],
    "shoes": [
        ([["AC"]], "shoe"),
        (7, "shoes"),
        ([7], "shoe"),
        ([[7]], "7 is not a card"),
        ("AC", "shoes"),
        ([None] * 7, "shoes"),
        ([["7S" if card == "7H" else card for card in PACK * 2]], "shoe must hold each card 2 times"),
    ],
    "rng": [
        (None, "rng"),
        ({"seed": "0x1"}, "rng"),
        ({"seed": "0x1", "state": 7}, "rng"),
        ({"seed": "0x1", "state": "xyz"}, "rng"),
        ({"seed": "-0x1", "state": "0x1"}, "rng"),
        ({"seed": "0x10000000000000000", "state": "0x1"}, "rng"),
    ],
}


@pytest.mark.parametrize(
    "key, value, text", [(k, v, t) for k, rows in BAD_SNAPSHOTS.items() for v, t in rows]
)
def test_a_snapshot_that_breaks_the_rules_gets_one_clear_error(key, value, text):
    snapshot = full_table().snapshot()
    jo.restore(snapshot)
    with pytest.raises(TableError, match=text):
        jo.restore({**snapshot, key: value})


@pytest.mark.parametrize(
    "key",
    [
        key
        for key in full_table().snapshot()
        if key not in ("events", "shoes", "rules", "taken", "discarded_by", "rounds", "turns")
    ],
)
def test_a_snapshot_without_one_of_its_fields_is_refused(key):
    snapshot = full_table().snapshot()
    del snapshot[key]
    with pytest.raises(TableError):
        jo.restore(snapshot)


@pytest.mark.parametrize("junk", [None, 7, "jo", [], {}, [{}]])
def test_junk_is_no_table(junk):
    with pytest.raises(TableError):
        jo.restore(junk)
    with pytest.raises(TableError):
        jo.game_from_view(junk)


def test_a_card_too_many_or_too_few_breaks_conservation():
    snapshot = full_table().snapshot()
    for key in ("stock", "discard"):
        for pile in (
            snapshot[key][:-1],
            snapshot[key] + ["AC"],
            ["AC" if c != "AC" else "2C" for c in snapshot[key]],
        ):
            with pytest.raises(TableError):
                jo.restore({**snapshot, key: pile})
    hands = copy.deepcopy(snapshot["hands"])
    hands[1][0] = "5D"
    with pytest.raises(TableError, match=r"(4D|5D) is on the table [13] times"):
        jo.restore({**snapshot, "hands": hands})


def test_a_table_at_which_nobody_can_move_is_none():
    """Stranded, dead, begun and never to be completed: no play leads there."""
    stranded = dict(round=3, phase="play", taken="7S", groups={0: ["3H 4H 5H 6H", "8H 9H TH JH"]})
    with pytest.raises(TableError, match="no action is legal"):
        lay_out("7S", "2C", **stranded)
    with pytest.raises(TableError, match="no action is legal"):
        lay_out("2C 3C", "2D", phase="play", groups={0: ["7C 7D 7H"]})


def test_a_hand_in_which_somebody_is_out_is_over():
    with pytest.raises(TableError, match=r"hands"):
        lay_out("2S", "", discard="9C", groups={1: ["KC KD KH", "QC QD QH"]})
    with pytest.raises(TableError, match=r"hands"):
        lay_out("", "2S", phase="play", groups={0: ["KC KD KH", "QC QD QH"]})


def test_requests_that_the_table_cannot_serve_are_refused():
    """One card in the stock and two in the pile: no penalty card for a buyer."""
    threes = {1: ["A", "2", "3"], 2: ["4", "5", "6"], 3: ["7", "8", "9"]}
    loose = cards(all_of("TJQK"))
    hands = [" ".join(loose[i : i + 8]) for i in (0, 8, 16)] + [" ".join(loose[24:29])]
    layout = dict(round=4, turn=1, discard=" ".join(loose[29:31]), stock=loose[31], max_turns=None,
                  groups={seat: [all_of(rank) for rank in row] for seat, row in threes.items()})  # fmt: skip
    assert lay_out(*hands, **layout)["phase"] == "draw"
    with pytest.raises(TableError, match="requests"):
        lay_out(*hands, requests=[0], **{**layout, "turn": 3, "discarded_by": 2})


BAD_VIEWS = {
    "protocol": [(2, "protocol: 2")],
    "game": [("rummy_bo", "game: 'rummy_bo'")],
    "seat": [(0, "seat"), (4, "seat: 4"), (None, "seat"), (3, "seat")],
    "hand": [(["AC"], "hand: 1"), (["XX"] * 10, "'XX' is not a card"), (["AC"] * 10, "AC"), (None, "hand")],
    "hand_sizes": [([10, 10, 3], "hand_sizes"), ([10, 10, 3, 12], "hand_sizes"), ([10, 10, 0, 13], None)],
    "stock_size": [(56, "cards in all"), (-1, "stock_size: -1"), (None, "stock_size"), ("57", "stock_size")],
    "scores": [([1, 2, 3], "scores"), (None, "scores"), ([0, 0, 0, -1], "scores")],
    "discard": [([], None), (["AC"] * 7, "AC")],
    "round": [(9, "round: 9")],
    "turns": [(200, "turns: 200")],
    "rules": [(7, "rules: 7"), ([], r"rules: \[\]"), ({"decks": 9}, "rules.decks: 9")],
    "events": [({"a": 1}, "events"), ([{}], r"events\[0\]")],
}  # fmt: skip


@pytest.mark.parametrize("key, value, text", [(k, v, t) for k, rows in BAD_VIEWS.items() for v, t in rows])
def test_a_view_that_breaks_the_rules_gets_one_clear_error(key, value, text):
    with pytest.raises(TableError, match=text):
        jo.game_from_view({**CONTRACT_VIEW, key: value})


def test_a_card_drawn_from_the_stock_may_be_null():
    event = {"event": "draw", "seat": 3, "from": "stock"}
    views = [CONTRACT_VIEW | {"events": [event | extra]} for extra in ({}, {"card": None})]
    plain, told = (jo.game_from_view(view)[0] for view in views)
    assert (plain == told).all()


@pytest.mark.parametrize("max_turns", [0, -1, 1.0, "9", True, 2**31])
def test_a_limit_of_turns_that_is_none(max_turns):
    with pytest.raises(SettingsError, match="max_turns="):
        jo.new_games(1, max_turns=max_turns)


# --- anything at all in any field -----------------------------------------------------------------


def story(seed: int) -> Table:
    """A table in the middle of a hand, with its history."""
    play = Play(1, seats=4, seed=seed, style=1)
    table = Table(play.games)
    for _ in range(150 + 10 * seed):
        play.choose()
        play.step()
        table.events = [] if play.hand_ended[0] else table.events + jo.news(play.games[0])
        play.observe()
    return table


def assert_playable(table: Table) -> None:
    """Whatever was accepted is a table: its own snapshot is accepted again, and it has a legal action."""
    again = jo.restore(json.loads(json.dumps(table.snapshot())))
    assert jo.snapshot(again[0][0], again[1]) == table.snapshot()
    if table["phase"] != "over":
        for _ in range(8):
            legal = table.legal()
            assert legal
            table.news = []
            table.step(legal[len(legal) // 2])
            if table["phase"] == "over":
                break


@pytest.fixture(scope="module")
def stories():
    half_way = lay_out("7C 7D 7H KC KD KS 2S", "3C", phase="play")
    half_way.step(half_way.lays()[0])
    finished = new_game(seats=2, rounds=(3,), max_turns=1)
    while finished["phase"] != "over":
        finished.step(finished.legal()[0])
    return [full_table(), half_way, finished, new_game(), *(story(seed) for seed in range(6))]


def test_junk_anywhere_in_a_snapshot_is_refused_or_makes_a_table(stories):
    valid = [table.snapshot() for table in stories] + list(random_tables(seed=9, count=10))

    @settings(max_examples=700)
    @given(mutated(valid))
    def check(data):
        try:
            table = Table(*jo.restore(data))
        except TableError as error:
            assert str(error)
            return
        assert_playable(table)

    check()


def test_junk_anywhere_in_a_view_is_refused_or_makes_a_table(stories):
    valid = [table.view(table["acting"]) for table in stories if table["acting"] is not None] + [
        CONTRACT_VIEW
    ]

    @settings(max_examples=700)
    @given(mutated(valid))
    def check(data):
        try:
            games, seat = jo.game_from_view(data)
        except TableError as error:
            assert str(error)
            return
        mask = Table(games).mask()
        assert mask.any() or games[0].phase == jo.Phase.OVER
        json.dumps(jo.view_json(games[0], seat, []))

    check()
