"""Who decides in a seat of a live table, and when."""

import pytest

from agents.serving.seats import Holder, Seat, SeatError


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def seat(clock):
    return Seat(lambda request: {"move": {"type": "pass"}, "think_ms": 700, **request}, "hard", 30.0, clock)


def test_the_computer_fills_an_empty_seat_and_paces_its_moves(seat):
    decision = seat.decide({"phase": "buy"}, seed=7)
    assert decision.move == {"type": "pass"} and decision.play_at == pytest.approx(100.7)
    assert decision.answer["level"] == "hard" and decision.answer["seed"] == 7
    assert decision.answer["view"] == {"phase": "buy"} and seat.covers_at == 100


def test_a_person_decides_alone(seat, clock):
    seat.sit_down()
    clock.now += 1e6
    assert seat.decide({}) is None and seat.covers_at is None


def test_an_absent_person_is_covered_after_the_grace_and_has_the_next_decision(seat, clock):
    seat.sit_down()
    seat.go_away()
    clock.now += 29
    assert seat.decide({}) is None and seat.covers_at == 130
    clock.now += 1
    assert seat.decide({}) is not None
    seat.come_back()
    assert seat.decide({}) is None
    seat.go_away()  # a new absence has a grace of its own
    assert seat.decide({}) is None and seat.covers_at == 160


def test_the_hand_of_one_who_left_is_finished(seat):
    seat.sit_down()
    seat.leave()
    assert seat.decide({}) is not None
    seat.sit_down()  # another waits for the hand to end
    assert seat.decide({}) is not None
    seat.end_hand()
    assert seat.holder is Holder.PERSON and seat.decide({}) is None
    seat.go_away()
    seat.leave()
    seat.end_hand()
    assert seat.holder is Holder.NOBODY


def test_what_cannot_happen(seat):
    for event in (seat.go_away, seat.come_back, seat.leave):
        with pytest.raises(SeatError, match=f"{event.__name__}: the seat is held by nobody"):
            event()
    seat.sit_down()
    with pytest.raises(SeatError, match=r"sit_down: the seat is taken \(person\)"):
        seat.sit_down()
    seat.leave()
    seat.sit_down()
    with pytest.raises(SeatError, match="sit_down: the seat is taken"):
        seat.sit_down()


def test_a_view_that_is_refused(clock):
    error = {"code": "bad_view", "message": "hand: too many", "field": "hand"}
    with pytest.raises(SeatError, match="decide: bad_view: hand: too many"):
        Seat(lambda request: {"id": 0, "error": error}, clock=clock).decide({})
