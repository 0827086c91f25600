"""The seats, the packs, the seven rounds and the deal, sentence by sentence of the rules page."""

from collections import Counter
from itertools import chain

import numpy as np
import pytest
from tables import GOALS, PACK, Table, cards, new_game, shoe

from jo_env import jo
from jo_env.errors import SettingsError


def play_out(table: Table) -> None:
    """Draw and throw the first card that may go, until the hand ends."""
    while not table.ended:
        table.news = []
        table.step(table.legal()[0])


# --- seats and packs ------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_two_to_four_seats(seats):
    table = new_game(seats=seats)
    assert len(table["hands"]) == table["seats"] == seats


@pytest.mark.parametrize("seats", [1, 5, 0, -1, 2.0, True, None, "2"])
def test_no_other_number_of_seats(seats):
    with pytest.raises(SettingsError, match=r"seats=.*2, 3 or 4"):
        jo.new_games(1, seats=seats)


def all_cards(table: Table) -> Counter:
    return Counter(chain(table["stock"], table["discard"], *table["hands"]))


@pytest.mark.parametrize("decks", [2, 3, 4])
def test_several_packs_without_jokers_are_shuffled_together(decks):
    table = new_game(decks=decks)
    assert all_cards(table) == Counter(PACK * decks)


def test_two_packs_unless_named():
    assert new_game()["rules"]["decks"] == 2
    assert len(new_game()["stock"]) == 104 - 40 - 1


@pytest.mark.parametrize("decks", [1, 5, 0, 2.0, True, None])
def test_no_other_number_of_packs(decks):
    with pytest.raises(SettingsError, match=r"decks=.*2, 3 or 4"):
        jo.new_games(1, decks=decks)


def test_the_shoe_is_shuffled_from_the_seed():
    """Over many seeds every place of the shoe sees every face about as often."""
    games = jo.new_games(2000, seats=2)
    jo.start(games, np.arange(2000).astype(np.uint64), np.full(2000, jo.NOBODY))
    first_cards = Counter(int(game.stock[game.stock_size - 1]) for game in games)
    last_cards = Counter(int(game.stock[0]) for game in games)
    for counts in (first_cards, last_cards):
        assert len(counts) == 52
        assert 15 < min(counts.values()) and max(counts.values()) < 70  # 38.5 expected, spread 6.2
    assert new_game(seed=5).snapshot() == new_game(seed=5).snapshot()
    assert new_game(seed=5)["stock"] != new_game(seed=6)["stock"]


# --- the rounds -----------------------------------------------------------------------------------


@pytest.mark.parametrize("round", range(1, 8))
def test_every_round_deals_its_number_of_cards(round):
    dealt = {1: 10, 2: 10, 3: 10, 4: 10, 5: 12, 6: 12, 7: 12}[round]
    table = new_game(rounds=(round,), seats=3)
    assert [len(hand) for hand in table["hands"]] == [dealt] * 3
    assert len(table["discard"]) == 1
    assert len(table["stock"]) == 104 - 3 * dealt - 1


def test_the_rounds_are_played_in_the_order_given():
    table = new_game(rounds=(7, 2, 5), max_turns=1)
    for number in (7, 2, 5):
        assert table["round"] == number
        assert len(table["hands"][0]) == (10 if number < 5 else 12)
        assert (table.game.table.threes, table.game.table.fours) == GOALS[number]
        table.ended = False
        play_out(table)
    assert table["phase"] == "over"
    assert table["acting"] is None
    assert table.legal() == []


@pytest.mark.parametrize("rounds", [(), (0,), (8,), (1,) * 8, "123", None, (1.0,), (True,)])
def test_only_rounds_there_are(rounds):
    with pytest.raises(SettingsError, match="rounds="):
        jo.new_games(1, rounds=rounds)


# --- the deal -------------------------------------------------------------------------------------

SHOE = shoe(
    "AC 2C 3C AD 2D 3D AH 2H 3H AS 2S 3S 4C 5C 6C 4D 5D 6D 4H 5H 6H 4S 5S 6S 7C 8C 9C 7D 8D 9D KS QS JS"
)


def test_cards_are_dealt_one_at_a_time_from_the_dealers_left():
    table = new_game(seats=3, dealer=1, shoes=[SHOE])
    # Seat 2 sits at the dealer's left: it gets the 1st, 4th, 7th ... card, then seat 0, then the dealer.
    assert table["hands"][2] == cards("AC 4C 7C AD 4D 7D AH 4H AS 4S")
    assert table["hands"][0] == cards("2C 5C 8C 2D 5D 8D 2H 5H 2S 5S")
    assert table["hands"][1] == cards("3C 6C 9C 3D 6D 9D 3H 6H 3S 6S")


def test_then_one_card_is_turned_up_and_the_rest_is_the_stock_its_next_card_on_top():
    table = new_game(seats=3, dealer=1, shoes=[SHOE])
    assert table["discard"] == ["KS"]
    assert table["discarded_by"] is None
    assert table["stock"] == SHOE[31:][::-1]
    table.play("pass", "pass", "draw")
    assert "QS" in table["hands"][2]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_seat_at_the_dealers_left_has_the_first_turn(seats):
    for dealer in range(seats):
        table = new_game(seats=seats, dealer=dealer)
        assert table["dealer"] == dealer
        assert table["turn"] == (dealer + 1) % seats


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_deal_moves_one_seat_to_the_left_each_round(seats):
    table = new_game(seats=seats, dealer=seats - 1, max_turns=3)
    for round in range(7):
        assert table["dealer"] == (seats - 1 + round) % seats
        assert table["turn"] == (seats + round) % seats
        table.ended = False
        play_out(table)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_first_dealer_is_drawn_from_the_seed_unless_named(seats):
    drawn = [new_game(seed=seed, seats=seats)["dealer"] for seed in range(200)]
    again = [new_game(seed=seed, seats=seats)["dealer"] for seed in range(200)]
    assert drawn == again
    counts = Counter(drawn)
    assert sorted(counts) == list(range(seats))
    assert min(counts.values()) > 150 / seats
    assert new_game(seed=3, seats=seats, dealer=seats - 1)["dealer"] == seats - 1


def test_a_round_without_a_shoe_of_its_own_is_shuffled():
    third = shoe("KC QC KD QD KH QH KS QS JC TC JD TD JH TH JS TS 9C 8C 9D 8D 2S")
    table = new_game(seats=2, dealer=0, rounds=(1, 2, 3), shoes=[SHOE, None, third], max_turns=1)
    assert table["hands"][1][:3] == ["AC", "3C", "4C"]
    assert table["shoes"] == [None, third]
    play_out(table)
    assert table["stock"] not in (SHOE[21:][::-1], third[21:][::-1])
    table.ended = False
    play_out(table)
    assert table["hands"][1] == cards("9C JC KC 9D JD KD JH KH JS KS")
    assert table["discard"] == ["2S"]


def test_shoes_do_not_depend_on_how_the_rounds_before_were_played():
    """The seed fixes every deal, though the longer first hand here has its pile shuffled on the way."""
    short, long = (new_game(seed=11, rounds=(1, 2), max_turns=turns) for turns in (1, 70))
    for table in (short, long):
        play_out(table)
    assert short["hands"] == long["hands"]
    assert short["stock"] == long["stock"]


@pytest.mark.parametrize(
    "shoes",
    [
        [[]],
        [PACK],  # one pack where two are played
        [PACK * 3],
        [shoe("")[:-1]],
        [["KS" if card == "KC" else card for card in PACK * 2]],
        [PACK * 2] * 8,
    ],
)
def test_a_shoe_is_a_permutation_of_the_packs(shoes):
    with pytest.raises(SettingsError, match="shoe"):
        jo.set_shoes(jo.new_games(1)[0], shoes)
