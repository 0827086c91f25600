"""A turn, sentence by sentence of the rules page: drawing, laying, laying off, discarding, and the end."""

import pytest

from jo_env.errors import IllegalActionError
from rummy_bo.tables import all_of, cards, group, lay_out, new_game

HANDS = ("2C 5D 9S", "4C 8D 9H")

# --- the draw -------------------------------------------------------------------------------------


def test_two_cards_are_drawn_from_the_stock():
    table = lay_out(*HANDS, discard="KD JS", stock="7H 8H").play("draw")
    assert table["hands"][0] == cards("2C 5D 7H 8H 9S")
    assert table.news == [{"event": "draw", "seat": 0, "from": "stock", "count": 2}]
    assert table["phase"] == "play" and table["acting"] == 0
    assert table.discards() == {"2C", "5D", "7H", "8H", "9S"}


def test_or_the_two_top_cards_of_the_pile_and_neither_may_be_discarded_that_turn():
    table = lay_out(*HANDS, discard="KD 7H JS").play("take two")
    assert table["hands"][0] == cards("2C 5D 7H 9S JS")
    assert table["discard"] == ["KD"] and table["taken"] == ["7H", "JS"]
    assert table.news == [{"event": "draw", "seat": 0, "from": "discard", "cards": ["JS", "7H"]}]
    assert table.discards() == {"2C", "5D", "9S"}
    with pytest.raises(IllegalActionError, match=r"player_0 may not play 326 \(discard JS\); legal now: "):
        table.play("discard JS")
    table.play("discard 2C").play("draw").play("discard 4C")
    assert table["taken"] == []
    table.play("draw").play("discard JS")  # in a later turn it may


@pytest.mark.parametrize(
    ("stock", "pile", "draws"),
    [
        (5, 3, {"draw", "take two"}),
        (5, 2, {"draw", "take two"}),
        (5, 1, {"draw"}),  # only when it holds two or more
        (1, 2, {"draw", "take two"}),
        (1, 1, {"draw"}),
        (0, 3, {"take", "turn over"}),  # two choices only
        (0, 1, {"take", "turn over"}),
    ],
)
def test_which_draws_there_are(stock, pile, draws):
    loose = cards("AC AD AH AS KC KD KH KS QC QD")
    table = lay_out(
        "2C", "3C", discard=" ".join(loose[:pile]), stock=" ".join(loose[pile : pile + stock]), rest=1
    )
    assert len(table["stock"]) == stock
    assert table.draws() == draws


def test_a_stock_of_one_card_gives_that_one():
    table = lay_out(*HANDS, discard="KD JS", stock="7H", rest=1).play("draw")
    assert table["hands"][0] == cards("2C 5D 7H 9S")
    assert table["stock"] == []
    assert table.news == [{"event": "draw", "seat": 0, "from": "stock", "count": 1}]


def test_at_an_empty_stock_the_top_discard_may_be_taken_under_the_same_ban():
    table = lay_out(*HANDS, discard="KD JS", rest=1).play("take")
    assert table["hands"][0] == cards("2C 5D 9S JS")
    assert table["discard"] == ["KD"] and table["taken"] == ["JS"]
    assert table.discards() == {"2C", "5D", "9S"}


def test_or_the_pile_is_turned_over_unshuffled_its_oldest_card_on_top():
    table = lay_out(*HANDS, discard="KD 7H QC JS", rest=1).play("turn over")
    assert table["hands"][0] == cards("2C 5D KD 9S")  # one card, the oldest
    assert table["stock"] == cards("JS QC 7H")  # the next card last
    assert table["discard"] == [] and table["taken"] == []
    assert table.discards() == {"2C", "5D", "KD", "9S"}  # no ban
    assert table.news == [
        {"event": "turn_over", "seat": 0},
        {"event": "draw", "seat": 0, "from": "stock", "count": 1, "cards": ["KD"]},
    ]


def test_the_pile_is_then_empty_until_the_discard_and_play_goes_on_two_a_turn():
    table = lay_out(*HANDS, discard="KD 7H QC JS", rest=1).play("turn over", "discard 9S")
    assert table["discard"] == ["9S"]
    assert table.draws() == {"draw"}  # one card in the pile
    table.play("draw")
    assert set(cards("7H QC")) <= set(table["hands"][1])
    assert table["stock"] == ["JS"]


def test_a_pile_of_one_card_can_be_turned_over():
    table = lay_out(*HANDS, discard="KD", rest=1).play("turn over")
    assert table["stock"] == [] and table["discard"] == []
    table.play("discard KD")
    assert table.draws() == {"take", "turn over"}


def test_after_that_everyone_knows_the_stock_and_what_is_drawn_from_it():
    table = lay_out(*HANDS, discard="KD 7H QC JS", rest=1)
    assert table.view(1)["stock"] is None
    table.play("turn over")
    assert table.view(0)["stock"] == table.view(1)["stock"] == cards("JS QC 7H")
    view = table.look(1)[0]
    assert [view.table.next.argmax(), view.table.after_next.argmax()] == [32, 11]  # 7H, then QC
    assert view.seats[1].known.argmax() == 25 and view.seats[1].known.sum() == 1  # KD
    table.play("discard 9S", "draw")
    assert table.news[0]["cards"] == ["7H", "QC"]
    assert table.look(0)[0].seats[1].known.sum() == 2


# --- laying and laying off ------------------------------------------------------------------------


def may_lay(text: str) -> bool:
    return lay_out(text + " 6S", "3S", phase="play").may("lay " + text)


@pytest.mark.parametrize("text", ["7C 7D 7H", "7C 7D 7S", "7C 7H 7S", "7D 7H 7S", "7C 7D 7H 7S"])
def test_a_set_is_three_or_four_cards_of_a_rank(text):
    assert may_lay(text)


@pytest.mark.parametrize("start", range(13))
@pytest.mark.parametrize("suit", "CDH")
def test_a_run_is_three_cards_of_a_suit_round_the_corner_too(start, suit):
    ranks = "A23456789TJQKA2"[start : start + 3]
    assert may_lay(" ".join(rank + suit for rank in ranks))


@pytest.mark.parametrize("text", ["7C 8C", "7C 8C TC", "7C 8C 9D", "7C 7D", "KC AC 3C"])
def test_nothing_else_is_a_matched_set(text):
    assert lay_out(text + " 6S", "3S", phase="play").lays() == set()


def test_any_number_of_groups_may_be_laid_in_a_turn_at_any_time():
    table = lay_out("7C 7D 7H 2S 3S 4S 9D KC", "3C", phase="play").play("lay 7C 7D 7H", "lay 2S 3S 4S")
    assert table["groups"] == [group("7C 7D 7H"), group("2S 3S 4S")]
    assert table["laid"] == 2 and table["hands"][0] == ["KC", "9D"]
    assert table.news == [{"event": "lay", "seat": 0, "kind": "run", "cards": cards("2S 3S 4S")}]


def test_groups_are_laid_in_the_order_of_their_actions_and_before_all_lay_offs():
    hand = "7C 7D 7H 2S 3S 4S 5S KC KS"
    table = lay_out(hand, "3C", phase="play").play("lay 2S 3S 4S")
    assert table.lays() == set()  # the set would have come first
    table = lay_out(hand, "3C", phase="play").play("lay 7C 7D 7H", "lay 2S 3S 4S", "lay off 5S on 1")
    assert table["laid_off"] == 1 and table.lays() == set()


def test_a_longer_run_is_one_move_and_several_actions():
    table = lay_out("2S 3S 4S 5S 6S KC", "3C", phase="play").play("lay 2S 3S 4S 5S 6S")
    assert table["groups"] == [group("2S 3S 4S 5S 6S")]
    assert (table["laid"], table["laid_off"]) == (1, 2)


def test_a_set_laid_takes_its_fourth_card_in_a_later_turn():
    table = lay_out("7C 7D 7H 7S KC 2C", "3C 5D", phase="play").play("lay 7C 7D 7H")
    assert table.lay_offs() == set()
    table.play("discard 2C", "draw", "discard 3C", "draw", "lay off 7S on 0")
    assert table["groups"] == [group("7C 7D 7H 7S")]


def test_a_run_laid_grows_at_its_high_end_only_until_a_later_turn():
    table = lay_out("3S 4S 5S 2S 6S KC 2C", "3C 5D", phase="play").play("lay 3S 4S 5S")
    assert table.lay_offs() == {"6S on 0 high"}
    table.play("discard 2C", "draw", "discard 3C", "draw")
    assert {"2S on 0 low", "6S on 0 high"} <= table.lay_offs()


def test_cards_may_be_laid_off_on_any_groups_without_a_meld_of_ones_own():
    table = lay_out("7S 4D 8D KC 2C", "3C 5C", phase="play", groups=["7C 7D 7H"])
    assert table.lay_offs() == {"7S on 0"}
    table = lay_out("7S 4D 8D KC 2C", "3C 5C", phase="play", groups=["7C 7H 7D", "QS KS AS"])
    table.play("lay off 7S on 0")
    assert table.news == [{"event": "lay_off", "seat": 0, "group": 0, "card": "7S"}]


def test_runs_go_round_the_corner_when_they_grow():
    table = lay_out("2S JS 3S KC", "3C 5C", phase="play", groups=["QS KS AS"])
    assert table.lay_offs() == {"2S on 0 high", "JS on 0 low"}
    table.play("lay off 2S on 0", "lay off JS on 0", "lay off 3S on 0")
    assert table["groups"][0]["cards"] == cards("JS QS KS AS 2S 3S")
    assert table.events[-1] == {"event": "lay_off", "seat": 0, "group": 0, "card": "3S", "end": "high"}


def test_two_runs_side_by_side_stay_two_groups():
    table = lay_out("3S 4S 5S 6S 7S 8S KC 2D", "3C 9D", phase="play").play("lay 3S 4S 5S", "lay 6S 7S 8S")
    assert table["groups"] == [group("3S 4S 5S"), group("6S 7S 8S")]
    table.play("discard KC", "draw", "discard 3C")
    assert not table.look(0)[0].table.fits_high[44] and table.look(0)[0].table.fits_high[47]  # 6S, 9S


def test_a_run_has_thirteen_cards_at_most_and_the_last_goes_to_its_high_end():
    long = "4S 5S 6S 7S 8S 9S TS JS QS KS AS"
    table = lay_out("2S 3S KC", "3C", phase="play", groups=[long])
    assert table.lay_offs() == {"2S on 0 high", "3S on 0 low"}
    table.play("lay off 2S on 0")
    assert table.lay_offs() == {"3S on 0 high"}
    table.play("lay off 3S on 0")
    assert table["groups"][0]["cards"] == cards("AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS")
    assert table.lay_offs() == set() and not table.look(0)[0].fits_high


# --- the end of a turn ----------------------------------------------------------------------------


def test_one_card_is_discarded_and_the_turn_passes_to_the_left():
    table = lay_out("2C 3D", "4C 5C", "8H 9H", phase="play", turn=1).play("discard 4C")
    assert table["discard"] == ["4C"]
    assert (table["turn"], table["acting"], table["phase"], table["turns"]) == (2, 2, "draw", 2)


def test_a_move_is_legal_only_if_the_turn_can_be_finished():
    # Two banned cards and one to throw: it may not be laid off, unless the others can follow it.
    table = lay_out("7S 9D KC", "3C", phase="play", groups=["7C 7D 7H"], taken=["9D", "KC"])
    assert table.lay_offs() == set() and table.discards() == {"7S"}
    table = lay_out("7S 9D TD", "3C", phase="play", groups=["7C 7D 7H"], taken=["9D"])
    assert table.lay_offs() == {"7S on 0"}


def test_banned_cards_may_be_the_rest_if_all_can_be_laid_off_one_after_the_other():
    groups = ["7C 7D 7H", "4S 5S 6S"]
    for taken, may in (("8S 9S", False), ("2S 3S", True), ("3S KC", False)):
        hand = f"7S {taken}"
        table = lay_out(hand, "3C", phase="play", groups=groups, taken=taken.split())
        assert ("7S on 0" in table.lay_offs()) == may, taken
    table = lay_out("7S 8S 9S", "3C", phase="play", groups=groups, taken=["8S", "9S"])
    assert table.may("lay off 7S on 1") and not table.may("lay off 7S on 0")
    table.play("lay off 7S on 1", "lay off 8S on 1", "lay off 9S on 1")
    assert table.ended


def test_a_lay_that_would_strand_is_refused_where_another_is_not():
    hand = "7C 7D 7H 7S"
    table = lay_out(hand, "3C", phase="play", taken=["7H", "7S"])
    assert table.lays() == {"7C 7D 7H 7S", "7C 7H 7S", "7D 7H 7S"}  # or a seven to throw
    table = lay_out("3S 4S 5S 2S", "3C", phase="play", taken=["2S"])
    assert table.lays() == {"2S 3S 4S"}


# --- going out and scores -------------------------------------------------------------------------


def test_the_first_seat_without_a_card_wins_with_a_discard_or_without():
    for hand, moves in (
        ("KC", ["discard KC"]),
        ("7S", ["lay off 7S on 0"]),
        ("2S 3S 4S", ["lay 2S 3S 4S"]),
        ("2S 3S 4S 5S", ["lay 2S 3S 4S 5S"]),
        ("2S 3S 4S KC", ["lay 2S 3S 4S", "discard KC"]),
    ):
        table = lay_out(hand, "3C QD", "AH", phase="play", groups=["7C 7D 7H"], melded=[True, False, False])
        table.play(*moves)
        assert table.ended
        assert table["points"] == [[24, -13, -11]]


def test_the_others_may_not_lay_off_at_the_end_but_their_matched_sets_do_not_count():
    table = lay_out("KC", "7S 2H 3H 4H 5D", phase="play", groups=["7C 7D 7H"], melded=[True, False])
    assert table.play("discard KC")["points"] == [[12, -12]]


def test_rummy_doubles():
    """All cards gone in one turn, nothing laid in an earlier one; lay-offs in that turn do not spoil it."""
    for melded in (False, True):
        table = lay_out("2S 3S 4S 7S", "QD", phase="play", groups=["7C 7D 7H"], melded=[melded, True]).play(
            "lay 2S 3S 4S", "lay off 7S on 0"
        )
        assert table["points"] == [[10, -10] if melded else [20, -20]]


def test_a_lay_off_in_an_earlier_turn_spoils_rummy_and_so_does_a_lay():
    for first in ("lay off 7S on 0", "lay 2S 3S 4S"):
        hand = "7S 2S 3S 4S KC"
        table = lay_out(hand, "3C JD", phase="play", groups=["7C 7D 7H"], stock="8D 8H QD TD")
        assert table["melded"] == [False, True]
        table.play(first)
        assert table["melded"] == [False, True]  # from the end of the turn on
        table.play("discard KC")
        assert table["melded"] == [True, True]


def test_a_dead_hand_has_no_winner_and_each_seat_loses_its_own_least_count():
    table = lay_out("KC 2D", "7C 7D 7H 5D", "AH", phase="play", turns=9, max_turns=10).play("discard 2D")
    assert table.ended and table["points"] == [[-10, -5, -11]]
    out = lay_out("KC", "7C 7D 7H 5D", "AH", phase="play", turns=9, max_turns=10).play("discard KC")
    assert out["points"] == [[32, -10, -22]]  # whoever goes out on the last turn wins, here with rummy


def test_a_hand_may_last_for_ever_without_a_limit():
    table = lay_out("KC 2D", "5D 6S", phase="play", turns=10**6, max_turns=None).play("discard 2D")
    assert not table.ended


def test_the_highest_total_wins():
    table = lay_out("KC", "QD", phase="play", num_hands=2, hand_number=2, points=[[-50, 50]])
    table.play("discard KC")
    assert table["phase"] == "over"
    assert table.game.scores[:2].tolist() == [-30, 30]


def test_points_of_cards():
    for rank, points in zip("A23456789TJQK", [11, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10], strict=True):
        table = lay_out("4C" if rank != "4" else "5C", rank + "D", phase="play", melded=[False, False])
        table.play("discard " + table["hands"][0][0])
        assert table["points"] == [[2 * points, -2 * points]]


def test_a_hand_of_fifty_cards_plays():
    """Nearly the whole pack in one hand: 49 cards, two drawn, and all that it can lay."""
    table = lay_out("2C", "3C", discard="4C 5C", rest=0).play("take")
    assert len(table["hands"][0]) == 50
    table = lay_out(" ".join(c for c in cards(all_of("A23456789TJQK")) if c != "3C"), "3C", phase="play")
    assert len(table["hands"][0]) == 51
    for _ in range(60):
        if table.ended:
            break
        table.step(table.legal()[0])
    assert table.ended and table["points"][0][0] == 6
    assert new_game(seats=6)["phase"] == "draw"
