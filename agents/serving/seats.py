"""A seat at a live table: when the computer decides in it, and when its move is to be played."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from agents.serving.guard import Clock
from jo_env.fields import Json


class Holder(Enum):
    """Who holds a seat."""

    NOBODY = "nobody"  # the computer fills it
    PERSON = "person"
    AWAY = "away"  # a person whom the computer covers when the grace is over
    LEFT = "left"  # a person who is not coming back: the computer finishes the hand


class SeatError(ValueError):
    """What cannot happen to a seat in the state it is in."""


@dataclass(frozen=True)
class Decision:
    """A move of the computer, to be played at `play_at` by the seat's clock."""

    move: Json
    play_at: float
    answer: Json


class Seat:
    """One seat of one table, for servers in Python; `clock` counts seconds.

    Whenever the table asks the seat, ask `decide`: it gives the computer's move, or None while it is for the
    person to decide. What it has once decided stands, also where the person comes back meanwhile; the next
    decision is the person's. `answer` is a service's, as `Service.answer`.
    """

    def __init__(
        self,
        answer: Callable[[Json], Json],
        level: str = "expert",
        grace: float = 30.0,
        clock: Clock = time.monotonic,
    ) -> None:
        self.answer = answer
        self.level = level
        self.grace = grace
        self.clock = clock
        self.holder = Holder.NOBODY
        self._away_since = 0.0
        self._is_taken_next = False  # a person waits for the hand of one who left to end

    # --- what happens to it -----------------------------------------------------------------------

    def sit_down(self) -> None:
        """A person takes the seat: at once, or after the hand that the computer finishes for another."""
        if self.holder in (Holder.PERSON, Holder.AWAY) or self._is_taken_next:
            raise SeatError(f"sit_down: the seat is taken ({self.holder.value})")
        if self.holder is Holder.LEFT:
            self._is_taken_next = True
        else:
            self.holder = Holder.PERSON

    def go_away(self) -> None:
        """The person no longer answers, for instance because the connection is lost."""
        self._expect("go_away", Holder.PERSON)
        self.holder, self._away_since = Holder.AWAY, self.clock()

    def come_back(self) -> None:
        """The person is there again and has the next decision."""
        self._expect("come_back", Holder.AWAY)
        self.holder = Holder.PERSON

    def leave(self) -> None:
        """The person gives up the seat."""
        self._expect("leave", Holder.PERSON, Holder.AWAY)
        self.holder = Holder.LEFT

    def end_hand(self) -> None:
        """A hand of the table has ended: a seat that was left is free, or goes to whoever waits for it."""
        if self.holder is Holder.LEFT:
            self.holder = Holder.PERSON if self._is_taken_next else Holder.NOBODY
            self._is_taken_next = False

    # --- what it does -----------------------------------------------------------------------------

    @property
    def covers_at(self) -> float | None:
        """When the computer decides next, by the clock; None while a person does."""
        if self.holder is Holder.PERSON:
            return None
        return self._away_since + self.grace if self.holder is Holder.AWAY else self.clock()

    def decide(self, view: Json, **more: object) -> Decision | None:
        """The computer's move for a view, or None where it is not for the computer to decide (yet).

        `more` goes into the request: a seed, a deadline, moves that were rejected. Raises `SeatError` for a
        view that the service refuses.
        """
        at = self.covers_at
        if at is None or self.clock() < at:
            return None
        answer = self.answer({"id": 0, "view": view, "level": self.level, **more})
        if "error" in answer:
            raise SeatError(f"decide: {answer['error']['code']}: {answer['error']['message']}")
        return Decision(answer["move"], self.clock() + answer["think_ms"] / 1000, answer)

    def _expect(self, event: str, *holders: Holder) -> None:
        if self.holder not in holders:
            raise SeatError(f"{event}: the seat is held by {self.holder.value}")
