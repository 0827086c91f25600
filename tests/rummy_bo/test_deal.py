"""Seats, cards, the deal and the game's hands, sentence by sentence of the rules page."""

from collections import Counter
from itertools import chain

import numpy as np
import pytest

from jo_env import rummy_bo
from jo_env.errors import SettingsError
from rummy_bo import oracle
from rummy_bo.tables import PACK, Table, cards, lay_out, new_game, shoe

SEATS = pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])


def play_out(table: Table) -> None:
    """The first legal action until the hand ends; a dead hand where it may not go on."""
    table.ended = False
    while not table.ended:
        table.news = []
        table.step(next(a for a in reversed(table.legal())))


@pytest.mark.parametrize(("seats", "dealt"), [(2, 10), (3, 7), (4, 7), (5, 6), (6, 6)])
def test_two_to_six_seats_are_dealt_ten_seven_or_six_cards_and_one_is_turned_up(seats, dealt):
    table = new_game(seats=seats)
    assert [len(hand) for hand in table["hands"]] == [dealt] * seats
    assert len(table["discard"]) == 1
    assert Counter(chain(table["stock"], table["discard"], *table["hands"])) == Counter(PACK)
    assert (table["phase"], table["turn"]) == ("draw", (table["dealer"] + 1) % seats)


@SEATS
def test_cards_are_dealt_one_at_a_time_from_the_dealers_left(seats):
    for dealer in range(seats):
        table = new_game(seats=seats, dealer=dealer, shoes=[PACK])
        want = oracle.deal(PACK, seats, dealer)
        assert {key: table[key] for key in want} == want


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"seats": 1}, "seats=1: Rummy Bo is played by 2 to 6 seats"),
        ({"seats": 7}, "seats=7"),
        ({"seats": True}, "seats=True"),
        ({"seats": 4.0}, "seats=4.0"),
        ({"hands": 0}, "hands=0: give a number of hands from 1 to 20"),
        ({"hands": 21}, "hands=21"),
        ({"hands": "5"}, "hands='5'"),
        ({"max_turns": 0}, "max_turns=0"),
        ({"max_turns": 2.5}, "max_turns=2.5"),
    ],
)
def test_settings_that_make_no_game(settings, words):
    with pytest.raises(SettingsError, match=words):
        rummy_bo.new_games(1, **settings)


@pytest.mark.parametrize("shoes", [[[]], [PACK * 2], [PACK[:-1] + ["AC"]], [PACK] * 6, 7, ["AC"]])
def test_a_shoe_is_a_permutation_of_the_pack(shoes):
    with pytest.raises(SettingsError, match="shoe"):
        rummy_bo.set_shoes(rummy_bo.new_games(1)[0], shoes)


def test_a_game_is_five_hands_unless_told_otherwise():
    for hands in (None, 1, 3, 20):
        settings = {} if hands is None else {"hands": hands}
        table = new_game(seats=3, max_turns=1, **settings)
        played = 0
        while table["phase"] != "over":
            play_out(table)
            played += 1
            assert len(table["points"]) == played
        assert played == (hands or 5)
        assert table["acting"] is None and table.legal() == []


@SEATS
def test_the_first_dealer_is_drawn_from_the_seed_unless_named(seats):
    drawn = [new_game(seed=seed, seats=seats)["dealer"] for seed in range(200)]
    assert drawn == [new_game(seed=seed, seats=seats)["dealer"] for seed in range(200)]
    counts = Counter(drawn)
    assert sorted(counts) == list(range(seats)) and min(counts.values()) > 100 / seats
    assert new_game(seed=3, seats=seats, dealer=seats - 1)["dealer"] == seats - 1


@pytest.mark.parametrize("seats", [3, 4, 6])
def test_the_deal_moves_left_with_more_than_two_seats_whoever_wins(seats):
    for winner in range(seats):
        hands = ["2C 5D"] * seats
        spare = iter(cards("2C 5D 3H 9S 4C 7D 8H TS 2D JC QH 6S"))
        hands = [f"{next(spare)} {next(spare)}" for _ in range(seats)]
        hands[winner] = hands[winner].split()[0]
        table = lay_out(*hands, phase="play", turn=winner, dealer=1)
        table.play("discard " + hands[winner])
        assert table["dealer"] == 2 and table["turn"] == 3 % seats


@pytest.mark.parametrize("winner", [0, 1])
@pytest.mark.parametrize("dealer", [0, 1])
def test_with_two_seats_the_winner_of_a_hand_deals_the_next(winner, dealer):
    hands = ["3C 9D", "3H 8S"]
    hands[winner] = "KC"
    table = lay_out(*hands, phase="play", turn=winner, dealer=dealer).play("discard KC")
    assert table.ended and table["dealer"] == winner and table["turn"] == 1 - winner


@pytest.mark.parametrize("dealer", [0, 1])
def test_after_a_dead_hand_the_deal_moves_left_with_two_seats_too(dealer):
    table = lay_out("3C 9D", "3H 8S", phase="play", dealer=dealer, max_turns=2).play("discard 3C")
    assert table.ended and table["dealer"] == 1 - dealer


def test_hands_do_not_depend_on_how_those_before_were_played():
    short, long = (new_game(seed=11, seats=3, hands=2, max_turns=turns) for turns in (3, 60))
    for table in (short, long):
        play_out(table)
    assert short["hands"] == long["hands"] and short["stock"] == long["stock"]


def test_a_hand_without_a_shoe_of_its_own_is_shuffled():
    third = shoe("KC QC KD QD")
    table = new_game(seats=2, dealer=0, hands=3, shoes=[PACK, None, third], max_turns=1)
    assert table["shoes"] == [None, third]
    play_out(table)
    assert table["stock"] not in (PACK[21:][::-1], third[21:][::-1])
    play_out(table)
    assert table["discard"] == [third[20]] and table["stock"] == third[21:][::-1]


def test_the_shoe_is_shuffled_from_the_seed():
    games = rummy_bo.new_games(2000, seats=2)
    rummy_bo.start(games, np.arange(2000).astype(np.uint64), np.full(2000, rummy_bo.NOBODY))
    for place in (0, 30):
        counts = Counter(game["stock"][place] for game in games)
        assert len(counts) == 52 and 15 < min(counts.values()) and max(counts.values()) < 70
