"""How turns, hands and games end, sentence by sentence of the rules page.

A move is legal only if the turn can still be finished; going out; the empty stock; the dead hand; scoring.
"""

import numpy as np
import pytest
from tables import Table, all_of, cards, lay_out, new_game

from jo_env import jo
from jo_env.errors import IllegalActionError

DOWN = ["KC KD KH", "QC QD QH"]
RUN_3_TO_6 = "3S 4S 5S 6S"  # takes the seven of spades at its high end
RUN_8_TO_J = "8S 9S TS JS"  # takes it at its low end


def on_offer(hand: str, top: str, *groups: str, others: list[str] | None = None) -> Table:
    """Round 3: seat 0 is down with these two runs, holds a hand, and may take the top discard."""
    rows = {0: list(groups)} | ({1: others} if others else {})
    return lay_out(hand, "2C 3C 4C", round=3, discard=f"KD {top}", groups=rows)


# --- a turn that cannot be finished may not be begun ----------------------------------------------


def test_no_take_that_leaves_only_copies_of_the_taken_face():
    assert on_offer("7S", "7S", "3H 4H 5H 6H", "8H 9H TH JH").draws() == {"draw"}


def test_one_card_more_is_enough_to_take():
    table = on_offer("7S 9D", "7S", "3H 4H 5H 6H", "8H 9H TH JH")
    assert table.draws() == {"draw", "take"}
    assert table.play("take").discards() == {"9D"}


def test_a_take_is_legal_if_every_copy_of_the_taken_face_can_be_laid_off():
    """Two sevens of spades in hand after the take."""
    one_place = on_offer("7S", "7S", RUN_3_TO_6, "8H 9H TH JH")
    assert one_place.draws() == {"draw"}
    two_places = on_offer("7S", "7S", RUN_3_TO_6, RUN_8_TO_J)
    assert two_places.draws() == {"draw", "take"}
    two_places.play("take")
    assert two_places.legal() == two_places.lay_offs() and len(two_places.legal()) == 2
    two_places.play("lay off 7S on 0.1")
    assert two_places.legal() == two_places.lay_offs() and len(two_places.legal()) == 1
    two_places.play("lay off 7S on 0.0")
    assert two_places.ended
    assert two_places["points"] == [[0, 0], [0, 0], [0, 9]]


def test_the_places_may_be_on_anybodys_groups():
    hearts = ["3H 4H 5H 6H", "8H 9H TH JH"]
    assert on_offer("7S", "7S", *hearts, others=[RUN_3_TO_6, RUN_8_TO_J]).draws() == {"draw", "take"}
    assert on_offer("7S", "7S", RUN_3_TO_6, hearts[0], others=[RUN_8_TO_J, hearts[1]]).draws() == {
        "draw",
        "take",
    }


def test_a_three_takes_all_copies():
    table = lay_out("7S 7S", "2C", decks=3, discard="7S", groups={0: ["7C 7D 7H", "KC KD KH"]})
    assert table.draws() == {"draw", "take"}
    table.play("take", "lay off 7S on 0.0", "lay off 7S on 0.0", "lay off 7S on 0.0")
    assert table.ended


def test_a_run_takes_one_ace_only_though_it_fits_at_both_ends():
    long_run = "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS"
    assert on_offer("AS", "AS", long_run, "8H 9H TH JH").draws() == {"draw"}
    assert on_offer("AS", "AS", long_run, "2S 3S 4S 5S").draws() == {"draw", "take"}


def test_a_seat_that_is_not_down_cannot_lay_off_what_it_takes():
    table = lay_out("7S", "2C", round=3, discard="7S", groups={1: [RUN_3_TO_6, RUN_8_TO_J]})
    assert table.draws() == {"draw"}


def test_with_another_card_to_throw_anybody_may_take():
    table = lay_out("9D", "2C", discard="7S")
    assert table.draws() == {"draw", "take"}


# --- no lay-off may strand ------------------------------------------------------------------------


def playing(hand: str, taken: str | None, *groups: str) -> Table:
    """Round 3: seat 0 is down with these two runs and in play with a hand."""
    return lay_out(
        hand, "2C 3C 4C", round=3, phase="play", taken=taken, discard="KD", groups={0: list(groups)}
    )


def test_no_lay_off_of_the_last_card_that_may_be_discarded():
    """9H would fit, but then only the taken seven is left."""
    table = playing("9H 7S", "7S", "5H 6H 7H 8H", "TC JC QC KC")
    assert table.lay_offs() == []
    assert table.discards() == {"9H"}
    with pytest.raises(IllegalActionError, match="lay off 9H"):
        table.play("lay off 9H on 0.0")
    # Had the seven come from the stock, nothing would be amiss.
    assert playing("9H 7S", None, "5H 6H 7H 8H", "TC JC QC KC").may("lay off 9H on 0.0")


def test_a_lay_off_may_make_the_place_for_the_taken_card():
    """8S fits on 9-Q, and then the taken seven fits on 8-Q."""
    table = playing("8S 7S", "7S", "9S TS JS QS", "TC JC QC KC")
    assert not table.may("lay off 7S on 0.0")
    table.play("lay off 8S on 0.0")
    assert table.legal() == table.lay_offs()
    table.play("lay off 7S on 0.0")
    assert table.ended
    # At the high end the same: 6S on 2-5, then the seven.
    assert playing("6S 7S", "7S", "2S 3S 4S 5S", "TC JC QC KC").may("lay off 6S on 0.0")


def test_the_place_made_serves_one_copy_only():
    table = playing("8S 7S 7S", "7S", "9S TS JS QS", "TC JC QC KC")
    assert not table.may("lay off 8S on 0.0")
    assert table.discards() == {"8S"}
    assert playing("8S 7S 7S", "7S", "9S TS JS QS", RUN_3_TO_6).may("lay off 8S on 0.0")


def test_the_taken_card_may_be_laid_off_while_another_card_is_left():
    table = playing("9D 7S 7S", "7S", RUN_3_TO_6, "TC JC QC KC")
    table.play("lay off 7S on 0.0")
    assert table.discards() == {"9D"} and table.lay_offs() == []
    # And if the last other card fits as well, it must be thrown: it is the only card that may be.
    table = playing("9C 7S 7S", "7S", RUN_3_TO_6, "TC JC QC KC").play("lay off 7S on 0.0")
    assert not table.may("lay off 9C on 0.1")
    assert table.discards() == {"9C"}


def test_no_lay_off_of_one_copy_that_strands_the_other():
    """Both places count: with one seven laid on the first run, the second run must take the other."""
    table = playing("7S 7S", "7S", RUN_3_TO_6, RUN_8_TO_J)
    assert len(table.lay_offs()) == 2
    table.play("lay off 7S on 0.0")
    assert len(table.legal()) == 1
    # The run takes one of two aces, at either end; the two of hearts must be kept to be thrown.
    table = playing("AS AS 2H", "AS", "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS", "3H 4H 5H 6H")
    assert table.may("lay off AS on 0.0 low") and table.may("lay off AS on 0.0 high")
    assert not table.may("lay off 2H on 0.1")


def test_the_last_lay_off_of_all_is_no_stranding():
    table = playing("7S", "7S", RUN_3_TO_6, "TC JC QC KC")
    assert len(table.legal()) == 1
    table.play("lay off 7S on 0.0")
    assert table.ended


# --- no go-down may strand ------------------------------------------------------------------------


def going_down(hand: str, taken: str | None, round: int = 3, others: list[str] | None = None) -> Table:
    return lay_out(
        hand,
        "2C",
        round=round,
        phase="play",
        taken=taken,
        discard="KD",
        groups={1: others} if others else None,
    )


def test_no_go_down_that_leaves_only_a_taken_face_that_fits_nowhere():
    """The run takes one five of hearts; the other, just taken, fits nowhere."""
    table = going_down("4H 5H 5H 6H 7H 9C TC JC QC", "5H")
    assert table.lays() == []
    assert table.discards() == set(cards("4H 6H 7H 9C TC JC QC"))
    assert going_down("4H 5H 5H 6H 7H 9C TC JC QC", None).may("go down 4H 5H 6H 7H, 9C TC JC QC")


def test_a_further_card_to_throw_makes_it_legal():
    table = going_down("4H 5H 5H 6H 7H 9C TC JC QC 2D", "5H")
    table.play("go down 4H 5H 6H 7H, 9C TC JC QC")
    assert table.discards() == {"2D"}


def test_the_taken_face_may_fit_on_the_new_group_only():
    """Three sevens laid, the fourth, just taken, goes on them; and so with a run."""
    table = going_down("7C 7D 7S 7S KC KD KH", "7S", round=1)
    table.play("go down 7C 7D 7S, KC KD KH")
    assert table.legal() == table.lay_offs() and len(table.legal()) == 1
    table.play("lay off 7S on 0.0")
    assert table.ended
    assert going_down("4H 5H 6H 7H 8H 9C TC JC QC", "8H").may("go down 4H 5H 6H 7H, 9C TC JC QC")


def test_the_taken_face_may_fit_on_anothers_group_only():
    others = ["6H 7H 8H 9H", "2D 3D 4D 5D"]
    table = going_down("4H 5H 5H 6H 7H 9C TC JC QC", "5H", others=others)
    table.play("go down 4H 5H 6H 7H, 9C TC JC QC")
    assert len(table.legal()) == 1
    assert table.play("lay off 5H on 1.0").ended


def test_several_copies_of_the_taken_face_after_a_go_down():
    """Two eights are left beside 4-7: one place. Laid as 5-8, a four is left to throw."""
    table = going_down("4H 5H 6H 7H 8H 8H 9C TC JC QC", "8H")
    assert not table.may("go down 4H 5H 6H 7H, 9C TC JC QC")
    assert table.may("go down 5H 6H 7H 8H, 9C TC JC QC")
    assert len(table.lays()) == 1
    # With a second place for it both will do.
    others = ["9H TH JH QH", "2D 3D 4D 5D"]
    table = going_down("4H 5H 6H 7H 8H 8H 9C TC JC QC", "8H", others=others)
    table.play("go down 4H 5H 6H 7H, 9C TC JC QC", "lay off 8H on 0.1", "lay off 8H on 1.0")
    assert table.ended


def test_a_go_down_once_begun_can_always_be_completed():
    """Eight hearts make two runs in one way only: 4-7 and 8-J. No run that spoils this may be laid first."""
    table = going_down("4H 5H 6H 7H 8H 9H TH JH 2C", None)
    (first,) = table.lays()
    table.step(first)
    assert table.lays() == table.legal() and len(table.legal()) == 1


def test_a_lay_may_be_refused_for_what_must_follow_it():
    """Two sevens of diamonds: the three may not use up the one that the run needs."""
    table = going_down("7C 7D 7S 4D 5D 6D 2C", None, round=2)
    assert table.lays() == []  # the run and the three would share the seven
    table = going_down("7C 7D 7H 7S 4D 5D 6D 2C", None, round=2)
    assert len(table.lays()) == 1 and table.may("go down 7C 7H 7S, 4D 5D 6D 7D")


# --- going out ------------------------------------------------------------------------------------


@pytest.mark.parametrize("round", [1, 7])
def test_going_out_by_discard(round):
    groups = {0: DOWN if round == 1 else ["3H 4H 5H 6H", "8H 9H TH JH", "TC JC QC KC"]}
    table = lay_out("2S", "AC KS", "9D", phase="play", round=round, groups=groups, discard="KD")
    table.play("discard 2S")
    assert table.ended
    assert table["points"][-1] == [0, 25, 9]


@pytest.mark.parametrize("round", [1, 7])
def test_going_out_by_lay_off_owes_no_discard(round):
    groups = {0: DOWN if round == 1 else ["3H 4H 5H 6H", "8H 9H TH JH", "TC JC QC KC"]}
    card, place = ("KS", "0.0") if round == 1 else ("QH", "0.1")
    table = lay_out(card, "AC TS", "9D", phase="play", round=round, groups=groups, discard="KD")
    table.play(f"lay off {card} on {place}")
    assert table.ended
    assert table["points"][-1] == [0, 25, 9]


@pytest.mark.parametrize(
    "round, goal",
    [
        (1, "7C 7D 7S, KC KD KH"),
        (2, "7C 7D 7S, 9C TC JC QC"),
        (3, "2H 3H 4H 5H, 9C TC JC QC"),
        (4, "7C 7D 7S, 8C 8D 8S, KC KD KH"),
        (7, "2H 3H 4H 5H, 9C TC JC QC, 9D TD JD QD"),
    ],
)
def test_going_out_by_the_go_down_itself(round, goal):
    table = lay_out(goal.replace(",", ""), "AC TS", "9S", phase="play", round=round, discard="KS")
    table.play(f"go down {goal}")
    assert table.ended
    assert table["points"][-1] == [0, 25, 9]


def test_no_part_of_a_go_down_goes_out():
    """The hand does not end while the goal is not whole, nor may it be left so."""
    table = lay_out("7C 7D 7S", "2C", phase="play", discard="KD")
    assert table.lays() == []


def test_the_hand_ends_at_once_and_the_next_round_is_dealt():
    table = lay_out("2S", "AC", "9D", phase="play", groups={0: DOWN}, discard="KD")
    table.play("discard 2S")
    assert (table["round"], table["phase"]) == (2, "buy")
    assert table["groups"] == [[], [], []] and table["down"] == [False] * 3
    assert [len(hand) for hand in table["hands"]] == [10] * 3


def test_going_out_may_be_done_by_whoever_goes_down_in_the_same_turn():
    table = lay_out("7C 7D 7S KC KD KH 7H 2S", "2C", phase="play", discard="KD")
    table.play("go down 7C 7D 7S, KC KD KH", "lay off 7H on 0.0")
    assert not table.ended
    table.play("discard 2S")
    assert table.ended


# --- the largest hand -----------------------------------------------------------------------------


def test_the_largest_possible_hand_is_nineteen_cards():
    """Twelve dealt, three discards bought with a penalty card each, and the card drawn."""
    table = new_game(seats=4, dealer=3, rounds=(5,))
    while table["buys_used"][1] < 3 or table["phase"] != "play" or table["acting"] != 1:
        match table["phase"]:
            case "buy":
                table.play("buy" if table["acting"] == 1 else "pass")
            case "draw":
                table.play("draw")
            case "play":
                table.play("discard " + table["hands"][table["acting"]][0])
    assert len(table["hands"][1]) == 19
    assert table.game.public[1].hand_size == 19
    assert table.discards() == set(table["hands"][1])
    assert table["turns"] == 5  # the fifth card it was offered is the third it bought
    again = Table(*jo.restore(table.snapshot()))
    assert again.snapshot() == table.snapshot()


# --- the empty stock ------------------------------------------------------------------------------


def last_of_stock(stock: str, requests: list[int] | None = None) -> Table:
    """Three seats near the end of the stock; all the rest lies in the pile under KD, JS and JD."""
    return lay_out(
        "2C 3D", "4C 5C", "6D 7D", rest="discard", discard="KD JS JD", stock=stock, requests=requests or []
    )


def test_the_pile_is_shuffled_when_a_card_is_due_and_not_earlier():
    table = last_of_stock("QS").play("draw")
    pile = table["discard"]
    assert table["stock"] == [] and pile[-3:] == ["KD", "JS", "JD"] and len(pile) == 97
    assert table.news == [{"event": "draw", "seat": 0, "from": "stock"}]
    table.play("discard 2C")
    assert table["stock"] == [] and len(table["discard"]) == 98
    # The next card is due now, in the turn of seat 1.
    while table["phase"] == "buy":
        table.play("pass")
    table.play("draw")
    assert table["discard"] == ["2C"]
    assert len(table["stock"]) == 96
    assert table.news[0] == {"event": "recycle"}
    assert len(table["hands"][1]) == 3
    assert sorted(table["stock"] + table["hands"][1]) == sorted([*pile, "4C", "5C"])


def test_a_take_leaves_the_pile_as_it_is():
    table = last_of_stock("").play("take")
    assert table["stock"] == [] and table["discard"][-2:] == ["KD", "JS"]
    assert {"event": "recycle"} not in table.news


def test_the_new_stock_is_shuffled_by_the_luck_of_the_table():
    base = last_of_stock("").snapshot()
    base.update(phase="draw", acting=0)
    stocks = []
    for state in ("0x1", "0x1", "0x2"):
        table = Table(*jo.restore({**base, "rng": {"seed": "0x7", "state": state}})).play("draw")
        stocks.append(table["stock"])
    assert stocks[0] == stocks[1] != stocks[2]
    assert stocks[0] != base["discard"][:-2] and stocks[0] != base["discard"][:-2][::-1]


def test_the_penalty_card_may_be_the_first_of_a_new_stock():
    """One card in the stock: seat 0 draws it, seat 1 gets JD and is due its penalty card."""
    table = last_of_stock("QS", requests=[1])
    pile = table["discard"]
    table.play("draw")
    assert "QS" in table["hands"][0] and "JD" in table["hands"][1]
    assert table.news == [
        {"event": "draw", "seat": 0, "from": "stock"},
        {"event": "buy", "seat": 1, "card": "JD"},
        {"event": "recycle"},
    ]
    assert table["discard"] == ["JS"]  # the top card once the bought one is gone
    penalty = list(table["hands"][1])
    for card in ("4C", "5C", "JD"):
        penalty.remove(card)
    assert sorted(table["stock"] + penalty) == sorted(pile[:-2])


def test_with_an_empty_stock_the_buyer_still_gets_the_card_it_asked_for():
    """The new stock is made without the top card, which is then bought; no pile is left."""
    table = last_of_stock("", requests=[1]).play("draw")
    assert "JD" in table["hands"][1] and len(table["hands"][1]) == 4
    assert table["discard"] == []
    assert table.news[0] == {"event": "recycle"}
    assert table.news[2] == {"event": "buy", "seat": 1, "card": "JD"}
    table.play("discard 2C")
    assert table["discard"] == ["2C"]


def exhausted(mover: str, next_hand: str, *next_groups: str) -> Table:
    """No stock, no pile: seat 3 has taken the last card and throws; seat 0 comes next."""
    rows = {1: [all_of("A"), all_of("2"), all_of("3")], 2: [all_of("4"), all_of("5"), all_of("6")]}
    rows |= {3: [all_of("7"), all_of("8"), all_of("9")], 0: list(next_groups)}
    loose = all_of("TJQK").split()
    for card in " ".join([mover, next_hand, *next_groups]).split():
        loose.remove(card)
    hands = [next_hand, " ".join(loose[:10]), " ".join(loose[10:20]), " ".join([mover, *loose[20:]])]
    return lay_out(*hands, round=4, phase="play", turn=3, groups=rows, buys_used=[0, 3, 3, 3])


def test_where_nothing_can_be_drawn_the_seat_on_turn_may_still_take():
    table = exhausted("JS", "KD KH").play("discard JS")
    assert (table["stock"], table["discard"]) == ([], ["JS"])
    assert table["phase"] == "draw"
    assert table.draws() == {"take"}
    table.play("take")
    assert (table["discard"], table.discards()) == ([], {"KD", "KH"})


def test_the_hand_is_dead_if_the_seat_on_turn_can_neither_draw_nor_take():
    """Seat 0 holds the other jack of spades and nothing else: it could not finish its turn with both."""
    table = exhausted("JS", "JS")
    held = [list(hand) for hand in table["hands"]]
    table.play("discard JS")
    assert table.ended
    # Nobody has gone out: everyone scores what it holds.
    assert table["points"][-1] == [10, *[10 * len(hand) for hand in held[1:3]], 10 * len(held[3]) - 10]
    assert (table["round"], table["turns"]) == (5, 0)


def test_the_hand_lives_if_the_taken_face_could_be_laid_off():
    table = exhausted("JS", "JS", "TC TD TH", "QC QD QH", "JC JD JH").play("discard JS")
    assert not table.ended
    assert table.draws() == {"take"}
    assert table.play("take", "lay off JS on 0.2", "lay off JS on 0.2").ended


# --- the dead hand --------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("max_turns", [1, 7])
def test_a_hand_dies_right_after_the_discard_that_ends_its_last_turn(seats, max_turns):
    table = new_game(seats=seats, max_turns=max_turns, rounds=(1,))
    turns = 0
    while not table.ended:
        held = table["hands"]
        card = None
        match table["phase"]:
            case "buy":
                table.play("pass")
            case "draw":
                table.play("draw")
            case "play":
                card = held[table["acting"]][0]
                seat = table["acting"]
                table.play(f"discard {card}")
                turns += 1
    assert turns == max_turns
    worth = {"A": 15, "T": 10, "J": 10, "Q": 10, "K": 10} | {str(pips): pips for pips in range(2, 10)}
    held[seat].remove(card)
    # Nobody has gone out: every seat scores what it holds.
    assert table["points"] == [[sum(worth[card[0]] for card in hand) for hand in held]]
    assert min(table["points"][0]) > 0


def test_a_discard_that_goes_out_in_the_last_turn_still_goes_out():
    table = lay_out("2S", "AC", "9D", phase="play", groups={0: DOWN}, discard="KD", max_turns=5, turns=4)
    table.play("discard 2S")
    assert table["points"] == [[0, 15, 9]]


def test_a_dead_hand_has_no_winner():
    table = lay_out("2S 3S", "AC", "9D", phase="play", groups={0: DOWN}, discard="KD", max_turns=5, turns=4)
    table.play("discard 2S")
    assert table.ended
    assert table["points"] == [[3, 15, 9]]
    assert table["round"] == 2 and table["turns"] == 0


def test_the_limit_is_off_with_none():
    table = new_game(seats=2, max_turns=None, rounds=(1,))
    assert table["rules"]["max_turns"] is None
    for _ in range(250):
        while table["phase"] != "play":
            table.play("pass" if table["phase"] == "buy" else "draw")
        table.play("discard " + table["hands"][table["acting"]][0])
        assert not table.ended
    assert table["turns"] == 250


def test_the_limit_is_two_hundred_turns_unless_set():
    assert new_game()["rules"]["max_turns"] == 200


# --- scoring --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rank, worth", [("A", 15), ("K", 10), ("Q", 10), ("J", 10), ("T", 10), ("9", 9), ("2", 2)]
)
@pytest.mark.parametrize("suit", "CDHS")
def test_what_a_card_costs(rank, suit, worth):
    table = lay_out("2S", rank + suit, phase="play", groups={0: ["5C 5D 5H", "6C 6D 6H"]}, discard="KD")
    assert table.play("discard 2S")["points"] == [[0, worth]]


def test_whoever_is_down_still_pays_for_the_cards_in_hand():
    table = lay_out("2S", "AC 3C", phase="play", groups={0: DOWN, 1: ["5C 5D 5H", "6C 6D 6H"]}, discard="KD")
    assert table.play("discard 2S")["points"] == [[0, 18]]


def test_a_discard_that_goes_out_is_not_paid_for_by_anybody():
    table = lay_out("AS", "AC AC", phase="play", groups={0: DOWN}, discard="KD")
    assert table.play("discard AS")["points"] == [[0, 30]]


def final(points: list[list[int]], hands: list[str]) -> Table:
    """The last discard of a game of two rounds: seat 0 goes out."""
    table = lay_out(
        *hands,
        round=2,
        rounds=[1, 2],
        phase="play",
        groups={0: ["5C 5D 5H", "6C 7C 8C 9C"]},
        discard="KD",
        points=points,
    )
    return table.play(f"discard {hands[0]}")


@pytest.mark.parametrize(
    "before, hands, rewards",
    [
        ([5, 7, 9], ["2S", "3D", "4D"], [1, -0.5, -0.5]),
        ([13, 10, 9], ["2S", "3D", "4D"], [0, 0, 0]),
        ([13, 10, 10], ["2S", "3D", "4D"], [0.5, 0.5, -1]),
        ([20, 1, 1], ["2S", "3D", "4D"], [-0.5, 1, -0.5]),
        ([20, 1, 1], ["2S", "3D", "3H"], [-1, 0.5, 0.5]),
        ([4, 1, 1], ["2S", "3D", "3H"], [0, 0, 0]),
        ([20, 1], ["2S", "3D"], [-1, 1]),
        ([4, 1], ["2S", "3D"], [0, 0]),
        ([4, 1, 9, 9], ["2S", "3D", "3H", "4H"], [0.5, 0.5, -0.5, -0.5]),
    ],
)
def test_the_lowest_total_wins_and_equal_lowest_totals_share_the_win(before, hands, rewards):
    table = final([before], hands)
    assert table["phase"] == "over"
    got = np.full((1, 4), 9, np.float32)
    jo.win_rewards(table.games, np.ones(1, np.int8), got)
    assert got[0, : len(before)].tolist() == rewards
    assert not got[0, len(before) :].any()


def test_a_hand_rewards_the_mean_of_the_others_points_less_ones_own():
    table = final([[5, 7, 9]], ["2S", "KD KH", "4D"])
    assert table["points"] == [[5, 7, 9], [0, 20, 4]]
    got = np.full((1, 4), 9, np.float32)
    jo.points_rewards(table.games, np.ones(1, np.int8), got)
    assert got[0].tolist() == pytest.approx([0.12, -0.18, 0.06, 0])
    jo.points_rewards(table.games, np.zeros(1, np.int8), got)
    assert not got.any()


def test_points_add_up_over_the_rounds():
    table = new_game(seats=3, max_turns=2, rounds=(1, 2, 3))
    while table["phase"] != "over":
        table.news = []
        table.step(table.legal()[0])
    assert len(table["points"]) == 3
    totals = [sum(row[seat] for row in table["points"]) for seat in range(3)]
    assert table.view(0)["scores"] == totals
