"""A turn, sentence by sentence of the rules page: buying, drawing, going down, laying off, discarding."""

import pytest
from tables import all_of, cards, lay_out, new_game

from jo_env.errors import IllegalActionError

FOUR_HANDS = ("2C 3D 9S", "4C 5C 9H", "6D 7D 9D", "8H TH 9C")
DOWN = ["KC KD KH", "QC QD QH"]


def answer_all(table, answer="pass") -> list[int]:
    """The seats asked to buy, in order."""
    asked = []
    while table["phase"] == "buy":
        asked.append(table["acting"])
        table.play(answer)
    return asked


# --- the buy window -------------------------------------------------------------------------------


@pytest.mark.parametrize("turn, asked", [(0, [1, 2, 3]), (1, [2, 3, 0]), (2, [3, 0, 1]), (3, [0, 1, 2])])
def test_the_turned_up_card_is_offered_from_the_left_of_the_seat_on_turn_round_to_its_right(turn, asked):
    table = new_game(seats=4, dealer=(turn - 1) % 4)
    assert (table["turn"], table["phase"]) == (turn, "buy")
    assert answer_all(table) == asked
    assert (table["acting"], table["phase"]) == (turn, "draw")


@pytest.mark.parametrize("seats", [2, 3])
def test_at_two_and_three_seats_likewise(seats):
    table = new_game(seats=seats, dealer=0)
    assert answer_all(table) == [seat % seats for seat in range(2, seats + 1)]


def test_a_seat_asked_may_buy_or_pass_and_nothing_else():
    table = new_game(seats=4)
    assert table.legal() == [0, 1]
    table.play("buy")
    assert table.legal() == [0, 1]


def test_requests_are_public_at_once():
    table = new_game(seats=4, dealer=3)
    table.play("buy")
    assert table.news == [{"event": "request", "seat": 1}]
    for seat in (2, 3, 0):  # those asked later, and the seat on turn
        assert table.view(seat)["requests"] == [1]
        assert table.view(seat)["events"] == [{"event": "request", "seat": 1}]
    table.play("pass")
    assert table.news == [{"event": "pass", "seat": 2}]
    assert table.view(3)["requests"] == [1]


def test_every_eligible_seat_is_asked_even_when_a_nearer_one_has_asked():
    table = new_game(seats=4, dealer=3)
    assert answer_all(table, "buy") == [1, 2, 3]
    assert table["requests"] == [1, 2, 3]


def test_nobody_may_buy_its_own_discard():
    table = lay_out(*FOUR_HANDS, phase="play", turn=0, discard="JS")
    table.play("discard 2C")
    assert table["turn"] == 1
    assert answer_all(table) == [2, 3]  # not seat 0, which threw it


def test_at_two_seats_only_the_turned_up_card_can_be_bought():
    table = new_game(seats=2, dealer=1)
    assert answer_all(table) == [1]
    table.play("draw")
    table.play("discard " + table["hands"][0][0])
    assert (table["phase"], table["acting"]) == ("draw", 1)


def test_a_seat_that_is_down_may_not_buy():
    table = lay_out(*FOUR_HANDS, phase="play", groups={2: DOWN}, discard="JS")
    table.play("discard 2C")
    assert answer_all(table) == [3]


@pytest.mark.parametrize("used", range(4))
def test_a_seat_may_buy_three_times_a_hand(used):
    table = lay_out(*FOUR_HANDS, phase="play", discard="JS", buys_used=[3, 3, used, 0])
    table.play("discard 2C")
    assert answer_all(table) == ([3] if used == 3 else [2, 3])


def test_a_fourth_buy_is_not_offered_and_the_next_hand_begins_with_three_again():
    table = lay_out("2C", "4C 5C", "9S", phase="play", groups={0: DOWN}, discard="JS", buys_used=[0, 3, 0])
    table.play("discard 2C")
    assert table.ended
    assert table["buys_used"] == [0, 0, 0]
    assert len(answer_all(table)) == 2


PENALTY = {  # (cards in the stock, cards in the pile): whether a discard may be bought
    (0, 1): False,
    (0, 2): False,
    (0, 3): True,
    (0, 4): True,
    (1, 1): False,
    (1, 2): False,
    (1, 3): True,
    (2, 1): True,
    (2, 2): True,
    (2, 3): True,
    (3, 1): True,
}


def scarce(stock: int, pile: int):
    """Seat 2 is about to throw the last jack on a pile; seat 3 comes next, and only seat 0 may buy.

    Three seats are down with all cards from ace to nine; tens, jacks, queens and kings are shared out.
    """
    loose = all_of("TJQK").split()
    loose.remove("JS")
    shares = [loose.pop() for _ in range(stock)], [loose.pop() for _ in range(pile - 1)]
    hands = [loose[:8], loose[8:16], ["JS", *loose[16:22]], loose[22:]]
    return lay_out(
        *map(" ".join, hands),
        round=4,
        phase="play",
        turn=2,
        groups={
            seat: [all_of(rank) for rank in ranks] for seat, ranks in ((1, "A23"), (2, "456"), (3, "789"))
        },
        stock=" ".join(shares[0]),
        discard=" ".join(shares[1]),
    )


@pytest.mark.parametrize("stock, pile", PENALTY)
def test_a_seat_may_buy_only_if_the_table_can_supply_the_penalty_card(stock, pile):
    table = scarce(stock, pile)
    table.play("discard JS")
    assert (len(table["stock"]), len(table["discard"]), table["turn"]) == (stock, pile, 3)
    if not PENALTY[stock, pile]:
        assert (table["phase"], table["acting"]) == ("draw", 3)
        return
    assert (table["phase"], table["acting"]) == ("buy", 0)
    held = len(table["hands"][0]), len(table["hands"][3])
    table.play("buy", "draw")
    assert "JS" in table["hands"][0]
    assert (len(table["hands"][0]), len(table["hands"][3])) == (held[0] + 2, held[1] + 1)
    assert len(table["stock"]) + len(table["discard"]) == stock + pile - 3
    assert table["buys_used"][0] == 1


def test_where_nobody_may_buy_the_seat_on_turn_draws_at_once():
    table = lay_out(*FOUR_HANDS, phase="play", discard="JS", buys_used=[0, 0, 3, 3])
    table.play("discard 2C")
    assert (table["phase"], table["acting"]) == ("draw", 1)


# --- the draw -------------------------------------------------------------------------------------


def test_the_seat_on_turn_takes_the_top_discard_or_draws_the_top_stock_card():
    table = lay_out(*FOUR_HANDS, discard="JS JD", stock="QS QD")
    assert table.draws() == {"draw", "take"}
    taken = lay_out(*FOUR_HANDS, discard="JS JD", stock="QS QD").play("take")
    assert taken["hands"][0] == cards("2C 3D JD 9S")
    assert (taken["discard"], taken["stock"][-2:], taken["taken"]) == (["JS"], ["QD", "QS"], "JD")
    assert taken["discarded_by"] is None
    table.play("draw")
    assert table["hands"][0] == cards("2C 3D 9S QS")
    assert (table["discard"], table["stock"][-1], table["taken"]) == (["JS", "JD"], "QD", None)
    assert table["discarded_by"] == 3


def test_the_seat_on_turn_has_first_claim_and_requests_then_lapse():
    table = lay_out(*FOUR_HANDS, discard="JS JD", requests=[1, 2])
    table.play("take")
    assert "JD" in table["hands"][0]
    assert table["requests"] == []
    assert table["buys_used"] == [0, 0, 0, 0]
    assert [len(hand) for hand in table["hands"]] == [4, 3, 3, 3]
    table.play("discard 9S")
    assert (table["acting"], table["requests"]) == (2, [])


@pytest.mark.parametrize(
    "turn, requests, buyer",
    [
        (0, [1, 2], 1),
        (0, [2], 2),
        (2, [3, 0], 3),
        (2, [0], 0),
        (3, [0, 1], 0),
        (3, [1], 1),
        (1, [2, 3], 2),
        (1, [3], 3),
    ],
)
def test_the_requesting_seat_nearest_to_the_left_gets_the_top_discard(turn, requests, buyer):
    table = lay_out(*FOUR_HANDS, turn=turn, discard="JS JD", stock="QS QD", requests=requests)
    table.play("draw")
    assert table["hands"][buyer].count("JD") == 1
    assert table["discard"] == ["JS"]
    assert table["buys_used"] == [int(seat == buyer) for seat in range(4)]
    assert table["requests"] == []
    assert table["discarded_by"] is None
    assert [len(hand) for hand in table["hands"]] == [
        3 + 2 * (seat == buyer) + (seat == turn) for seat in range(4)
    ]


def test_the_buyer_gets_its_penalty_card_after_the_card_that_the_seat_on_turn_drew():
    table = lay_out(*FOUR_HANDS, discard="JS JD", stock="QS QD 2S", requests=[2])
    table.play("draw")
    assert "QS" in table["hands"][0]
    assert sorted(set(table["hands"][2]) - set(cards("6D 7D 9D"))) == ["JD", "QD"]
    assert table["stock"][-1] == "2S"


def test_everyone_sees_who_bought_which_discard_and_the_stock_cards_stay_hidden():
    table = lay_out(*FOUR_HANDS, discard="JS JD", stock="QS QD 2S", requests=[2])
    table.play("draw")
    assert table.news == [
        {"event": "draw", "seat": 0, "from": "stock"},
        {"event": "buy", "seat": 2, "card": "JD"},
    ]
    for seat in range(4):
        view = table.view(seat)
        assert view["buys_used"] == [0, 0, 1, 0]
        assert view["hand_sizes"] == [4, 3, 5, 3]
        seen = str(view)
        assert ("'QS'" in seen) == (seat == 0)
        assert ("'QD'" in seen) == (seat == 2)


def test_everyone_sees_the_card_that_is_taken():
    table = lay_out(*FOUR_HANDS, discard="JS JD").play("take")
    assert table.news == [{"event": "draw", "seat": 0, "from": "discard", "card": "JD"}]
    assert all(table.view(seat)["taken"] == "JD" for seat in range(4))


def test_without_requests_nobody_buys():
    table = lay_out(*FOUR_HANDS, discard="JS JD").play("draw")
    assert table["discard"] == ["JS", "JD"]
    assert table["buys_used"] == [0] * 4


# --- going down -----------------------------------------------------------------------------------

GOAL = "7C 7D 7S KC KD KH"


def test_going_down_is_optional():
    table = lay_out(GOAL + " 2S 3S", "4C", phase="play")
    assert table.discards() == set((GOAL + " 2S 3S").split())


def test_a_go_down_lays_the_whole_goal_in_one_turn_and_is_told_when_it_is_whole():
    table = lay_out(GOAL + " 2S 3S", "4C", phase="play")
    table.step(table.lays()[0])
    assert table.news == []
    assert table["down"] == [False, False]
    assert table["hands"][0] == cards("KC KD KH 2S 3S")
    # Never a part of it: nothing but the second three may follow.
    assert table.legal() == table.lays() and len(table.lays()) == 1
    table.step(table.lays()[0])
    assert table["down"] == [True, False]
    groups = [{"kind": "three", "cards": ["7C", "7D", "7S"]}, {"kind": "three", "cards": ["KC", "KD", "KH"]}]
    assert table.news == [{"event": "go_down", "seat": 0, "groups": groups}]
    assert table["hands"][0] == ["2S", "3S"]
    assert table["phase"] == "play"


def test_a_part_of_the_goal_may_not_be_laid():
    table = lay_out("7C 7D 7S KC KD 2S", "4C", phase="play")
    assert table.lays() == []
    with pytest.raises(IllegalActionError, match="player_0 may not play"):
        table.play("go down 7C 7D 7S")


def test_a_seat_goes_down_once_a_hand():
    table = lay_out("8C 8D 8S 9C 9D 9S 2S", "4C", phase="play", groups={0: DOWN})
    assert table.lays() == []
    with pytest.raises(IllegalActionError):
        table.play("go down 8C 8D 8S, 9C 9D 9S")


def test_a_seat_goes_down_after_its_draw_and_in_its_own_turn_only():
    before = lay_out(GOAL + " 2S", "4C", discard="9S")
    assert before.lays() == []
    asked = lay_out("4C", GOAL + " 2S", "5C", phase="buy", discard="9S")
    assert asked["acting"] == 1 and asked.lays() == []


def test_every_seat_goes_down_for_itself():
    table = lay_out(GOAL + " 2S 3S", "4C", phase="play", groups={1: ["QC QD QH", "JC JD JH"]})
    table.play("go down 7C 7D 7S, KC KD KH")
    assert table["down"] == [True, True]


# --- laying off -----------------------------------------------------------------------------------


def test_once_down_a_seat_lays_off_from_that_same_turn_on():
    table = lay_out(GOAL + " 7H 2S", "4C", phase="play")
    assert not table.may("lay off 7H on 0.0")
    table.play("go down 7C 7D 7S, KC KD KH", "lay off 7H on 0.0")
    assert table["groups"][0][0]["cards"] == ["7C", "7D", "7H", "7S"]
    assert table.news == [{"event": "lay_off", "seat": 0, "owner": 0, "group": 0, "card": "7H"}]
    assert table["phase"] == "play" and table["acting"] == 0


def test_any_number_of_cards_goes_on_any_group_ones_own_or_anothers():
    table = lay_out(
        "6H 3H 7H 8S 4C 9S 2S",
        "5C 5D",
        "TC TD",
        round=2,
        phase="play",
        groups={
            0: ["4D 4H 4S", "9C TC JC QC"],
            1: ["8C 8D 8H", "4H 5H 6H 7H"],
            2: ["9D 9H 9H", "5S 6S 7S 8S"],
        },
    )
    table.play("lay off 3H on 1.1", "lay off 8S on 1.0", "lay off 9S on 2.1", "lay off 4C on 0.0")
    assert table["hands"][0] == ["6H", "7H", "2S"]
    assert table["groups"][1][1]["cards"] == cards("3H 4H 5H 6H 7H")
    assert table["groups"][1][0]["cards"] == cards("8C 8D 8H 8S")
    assert table["groups"][2][1]["cards"] == cards("5S 6S 7S 8S 9S")
    assert table.lay_offs() == []
    assert table["turn"] == 0


def test_one_card_may_have_several_places():
    table = lay_out(
        "9S 2S",
        "5C",
        round=2,
        phase="play",
        groups={0: ["9C 9D 9H", "TS JS QS KS"], 1: ["9D 9H 9C", "5S 6S 7S 8S"]},
    )
    assert [table.may(f"lay off 9S on {place}") for place in ("0.0", "0.1", "1.0", "1.1")] == [True] * 4
    assert len(table.lay_offs()) == 4


def test_a_seat_that_is_not_down_lays_nothing_off():
    table = lay_out("KS 2S", "5C", phase="play", groups={1: DOWN})
    assert table.lay_offs() == []
    with pytest.raises(IllegalActionError, match="lay off KS on player_1's group 0"):
        table.play("lay off KS on 1.0")


def test_lay_offs_are_made_in_ones_own_turn_only_and_after_the_draw():
    table = lay_out("KS 2S", "5C", "6C", groups={0: DOWN}, discard="9S")
    assert table.lay_offs() == []
    waiting = lay_out("5C 6C", "KS 2S", "7C", phase="play", groups={1: DOWN})
    assert waiting.lay_offs() == []


# --- the discard ----------------------------------------------------------------------------------


def test_one_discard_ends_the_turn_and_the_turn_passes_to_the_left():
    table = lay_out(*FOUR_HANDS, phase="play", turn=2, discard="JS")
    table.play("discard 7D")
    assert table["discard"] == ["JS", "7D"]
    assert table["discarded_by"] == 2
    assert table["hands"][2] == ["6D", "9D"]
    assert (table["turn"], table["turns"]) == (3, 2)
    assert table.news == [{"event": "discard", "seat": 2, "card": "7D"}]
    answer_all(table)
    table.play("draw", "discard TH")
    assert table["turn"] == 0


def test_only_a_card_in_hand_may_be_discarded():
    table = lay_out(*FOUR_HANDS, phase="play", discard="JS")
    assert table.discards() == {"2C", "3D", "9S"}


def test_the_face_just_taken_may_not_be_thrown_back_in_the_same_turn():
    table = lay_out("2C 3D JD", *FOUR_HANDS[1:], discard="JS JD").play("take")
    assert table["hands"][0].count("JD") == 2
    assert table.discards() == {"2C", "3D"}  # the face: neither copy of it
    with pytest.raises(IllegalActionError, match="discard JD"):
        table.play("discard JD")


def test_in_a_later_turn_the_taken_face_is_a_card_like_any_other():
    table = lay_out("2C 3D", "4C 5C", discard="JS JD").play(
        "take", "discard 2C", "draw", "discard 4C", "draw"
    )
    assert "JD" in table.discards()
    assert table["taken"] is None


def test_a_card_drawn_from_the_stock_may_be_thrown_at_once():
    table = lay_out("2C 3D", "4C 5C", discard="JS JD", stock="JD").play("draw")
    assert "JD" in table.discards()


def test_a_bought_card_is_not_taken():
    table = lay_out(*FOUR_HANDS, discard="JS JD", requests=[1]).play("draw", "discard 2C")
    answer_all(table)
    table.play("draw")
    assert (table["acting"], table["taken"]) == (1, None)
    assert "JD" in table.discards()
    table.play("discard JD")


def test_the_taken_face_may_be_laid_and_laid_off():
    table = lay_out("7C 7D KC KD KH 2S", "4C", discard="7S").play("take")
    table.play("go down 7C 7D 7S, KC KD KH")
    assert table.discards() == {"2S"}
    table = lay_out("2S 3S", "4C", groups={0: DOWN}, discard="KS").play("take", "lay off KS on 0.0")
    assert table.discards() == {"2S", "3S"}
