"""Threes, fours and goals, sentence by sentence of the rules page."""

import pytest
from tables import GOALS, Table, cards, group, lay_out

from jo_env.jo.actions import LAY_THREE


def may_lay(round: int, goal: str, decks: int = 2) -> bool:
    """Whether a hand of this goal and a two of spades to throw may go down with it."""
    table = lay_out(goal.replace(",", "") + " 2S", "3C", round=round, phase="play", decks=decks)
    return table.may(f"go down {goal}")


# --- threes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("three", ["7C 7D 7S", "7C 7C 7S", "7H 7S 7S", "AC AD AH"])
def test_a_three_is_three_cards_of_one_rank_suits_free_and_copies_allowed(three):
    assert may_lay(1, f"{three}, KC KD KH")


def test_with_more_packs_a_three_may_be_of_one_face():
    assert may_lay(1, "7C 7C 7C, KC KD KH", decks=3)


@pytest.mark.parametrize("no_three", ["7C 7D 8S", "7C 7D", "7C 8C 9C"])
def test_two_of_a_rank_or_three_in_a_row_are_no_three(no_three):
    assert not may_lay(1, f"{no_three}, KC KD KH")
    table = lay_out(no_three + " KC KD KH 2S", "3C", phase="play")
    assert table.lays() == []


def test_a_three_takes_any_further_card_of_its_rank_even_all_there_are():
    groups = {0: ["KC KD KH", "7C 7H 7H"]}
    table = lay_out("7C 7D 7D 7H 7S 7S 2S", "3C", phase="play", groups=groups, decks=3)
    for card in cards("7C 7D 7D 7H 7S 7S"):
        table.play(f"lay off {card} on 0.1")
    assert len(table["groups"][0][1]["cards"]) == 9
    assert not table.may("lay off 2S on 0.1")


# --- fours ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("start", range(11))
@pytest.mark.parametrize("suit", "CDHS")
def test_a_four_is_four_consecutive_cards_of_a_suit_the_ace_low_or_high(start, suit):
    four = " ".join("A23456789TJQKA"[rank] + suit for rank in range(start, start + 4))
    assert may_lay(2, f"8C 8C 8S, {four}", decks=3)


@pytest.mark.parametrize(
    "no_four",
    [
        "4C 5C 6C",  # three cards
        "4C 5C 6C 8C",  # a gap
        "4C 5C 6D 7C",  # two suits
        "4C 5C 5C 6C",  # a copy
        "KH AH 2H 3H",  # round the corner
        "QH KH AH 2H",
        "JH QH KH 2H",
    ],
)
def test_nothing_else_is_a_four(no_four):
    assert not may_lay(2, f"8C 8D 8S, {no_four}")
    table = lay_out(f"8C 8D 8S {no_four} 2S", "3C", round=2, phase="play")
    assert table.lays() == []


def test_a_run_grows_at_both_ends():
    table = lay_out("2H 3H 8H 9H JH 2S", "3C", round=2, phase="play", groups={0: ["KC KD KS", "4H 5H 6H 7H"]})
    assert not table.may("lay off 9H on 0.1")
    assert not table.may("lay off 2H on 0.1")
    assert not table.may("lay off 3H on 0.1 high")
    assert not table.may("lay off 8H on 0.1 low")
    table.play("lay off 3H on 0.1", "lay off 2H on 0.1 low", "lay off 8H on 0.1 high", "lay off 9H on 0.1")
    assert table["groups"][0][1]["cards"] == cards("2H 3H 4H 5H 6H 7H 8H 9H")
    assert not table.may("lay off JH on 0.1")


def test_a_run_takes_no_second_copy_and_no_other_suit():
    table = lay_out("4H 7H 8D 3D 2S", "3C", round=2, phase="play", groups={0: ["KC KD KS", "4H 5H 6H 7H"]})
    assert table.lay_offs() == []


def ace_table(hand: str, run: str) -> Table:
    return lay_out(hand, "3C", round=2, phase="play", groups={0: ["8C 8D 8S", run]})


def test_an_ace_at_either_end_of_one_run_is_two_actions():
    for end, run in (
        ("low", "AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH"),
        ("high", "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"),
    ):
        table = ace_table("AH AH 2S", "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH")
        assert len(table.lay_offs()) == 2
        assert not table.may("lay off AH on 0.1")  # which end?
        table.play(f"lay off AH on 0.1 {end}")
        assert table["groups"][0][1]["cards"] == run.split()
        # Never both: thirteen cards are the longest run.
        assert table.lay_offs() == []


def test_a_run_with_a_low_ace_grows_to_the_king_and_no_further():
    table = ace_table("QH KH AH 2S", "AH 2H 3H 4H 5H 6H 7H 8H 9H TH JH")
    assert len(table.lay_offs()) == 1
    table.play("lay off QH on 0.1", "lay off KH on 0.1")
    assert table.lay_offs() == []


def test_a_run_with_a_high_ace_grows_down_to_the_two_and_no_further():
    table = ace_table("2H 3H AH 2S", "4H 5H 6H 7H 8H 9H TH JH QH KH AH")
    assert len(table.lay_offs()) == 1
    table.play("lay off 3H on 0.1", "lay off 2H on 0.1")
    assert table.lay_offs() == []


def test_the_ace_is_never_in_the_middle():
    assert ace_table("2H 3H 2S", "JH QH KH AH").lay_offs() == []
    assert ace_table("KH QH 2S", "AH 2H 3H 4H").lay_offs() == []
    # Other runs take an ace at one end only.
    low, high = ace_table("AH 2S", "2H 3H 4H 5H"), ace_table("AH 2S", "TH JH QH KH")
    assert len(low.lay_offs()) == len(high.lay_offs()) == 1
    assert low.may("lay off AH on 0.1 low") and high.may("lay off AH on 0.1 high")


# --- goals ----------------------------------------------------------------------------------------

THREES = ["2C 2D 2H", "5C 5D 5S", "QD QH QS"]
FOURS = ["7C 8C 9C TC", "7D 8D 9D TD", "7H 8H 9H TH"]


@pytest.mark.parametrize("round", GOALS)
def test_each_round_has_its_goal_and_no_other_will_do(round):
    for threes, fours in GOALS.values():
        groups = THREES[:threes] + FOURS[:fours]
        table = lay_out(" ".join(groups) + " KS", "3C", round=round, phase="play", buys_used=[1, 0])
        assert table.may("go down " + ", ".join(groups)) == (GOALS[round] == (threes, fours))


@pytest.mark.parametrize("round", GOALS)
def test_a_goal_that_lacks_one_card_may_not_be_begun(round):
    threes, fours = GOALS[round]
    cards = " ".join(THREES[:threes] + FOURS[:fours]).split()
    for i in range(len(cards)):
        rest = " ".join(cards[:i] + cards[i + 1 :])
        assert lay_out(rest + " KS", "3C", round=round, phase="play").lays() == []


@pytest.mark.parametrize(
    "round, goal",
    [
        (1, "7C 7D 7H, 7C 7D 7S"),  # two threes of a rank
        (1, "7C 7C 7S, 8C 8D 8S"),  # neighbours
        (4, "7C 7C 7D, 7D 7H 7H, 8C 8D 8S"),
        (3, "4H 5H 6H 7H, 4H 5H 6H 7H"),  # the same run twice
        (3, "4H 5H 6H 7H, 6H 7H 8H 9H"),  # overlapping
        (3, "4H 5H 6H 7H, 8H 9H TH JH"),  # adjacent
        (3, "AH 2H 3H 4H, JH QH KH AH"),  # both aces
        (7, "4H 5H 6H 7H, 5H 6H 7H 8H, 9H TH JH QH"),
    ],
)
def test_groups_of_one_goal_may_have_the_same_rank_or_suit_overlap_or_touch(round, goal):
    assert may_lay(round, goal)


def test_overlapping_runs_need_a_card_each():
    assert not lay_out("4H 5H 6H 7H 8H 9H 2S", "3C", round=3, phase="play").lays()
    assert not lay_out("7C 7D 7H 7S 7S 2S", "3C", round=1, phase="play").lays()


def test_adjacent_runs_stay_two_groups_and_a_card_may_fit_both():
    """7-T and J-A of hearts on the table: the six and the jack fit the first, the ten the second."""
    table = lay_out("6H JH TH 2S", "3C", round=3, phase="play", groups={0: ["7H 8H 9H TH", "JH QH KH AH"]})
    assert table.may("lay off 6H on 0.0") and table.may("lay off JH on 0.0")
    assert table.may("lay off TH on 0.1")
    assert len(table.lay_offs()) == 3


# --- the order of a go-down -----------------------------------------------------------------------


def test_a_go_down_has_one_spelling():
    """Round 2 with two threes and two fours to choose from: the three first, then the four."""
    table = lay_out("2C 2D 2H 7C 8C 9C TC JC KS", "3C", round=2, phase="play")
    table.step(table.lays()[0])
    assert [entry["kind"] for entry in table["groups"][0]] == ["three"]
    assert table["down"] == [False, False]
    fours = table.lays()
    assert fours == table.legal() and len(fours) == 2  # nothing but the rest of the go-down
    table.step(fours[1])
    assert table["groups"][0] == [group("2C 2D 2H"), group("8C 9C TC JC")]
    assert table["down"] == [True, False]


def test_no_index_is_lower_than_the_one_before():
    """Twos, fives and nines for a goal of two threes: after the fives only the nines may follow."""
    table = lay_out("2C 2D 2H 5C 5D 5H 9C 9D 9H KS", "3C", round=1, phase="play")
    twos, fives = table.lays()  # the nines cannot be the first of two
    assert [(action - LAY_THREE) // 20 for action in (twos, fives)] == [1, 4]
    table.step(fives)
    (nines,) = table.legal()
    assert (nines - LAY_THREE) // 20 == 8


def test_six_cards_of_a_rank_make_two_threes_in_each_way_once():
    """Two twos of clubs, diamonds and hearts: CCD DHH, CCH DDH, CDD CHH, and CDH twice."""
    table = lay_out("2C 2D 2H 2C 2D 2H KS", "3C", round=1, phase="play")
    ways = []
    for first in table.lays():
        then = Table(table.games.copy())
        then.step(first)
        ways += [(first - LAY_THREE - 20, second - LAY_THREE - 20) for second in then.lays()]
    triples = [CCD, CCH, CDD, CDH, CHH, DDH, DHH] = 1, 2, 4, 5, 7, 11, 13
    assert ways == [(CCD, DHH), (CCH, DDH), (CDD, CHH), (CDH, CDH)], triples
