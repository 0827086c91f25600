"""The table of Rummy Bo as data: one `GAME` record per game.

With one pack of 52 different cards, whatever is a set of cards is 52 bits (bits.py). Nothing outgrows its
place: hands, stock, pile and groups share 52 cards, so none of them holds more; a hand has at most 51, since
another seat holds one or the hand is over; and of groups there are at most 17, of three cards each.
"""

from enum import IntEnum

import numpy as np

from jo_env.cards import NUM_FACES
from jo_env.records import record

MIN_SEATS, MAX_SEATS = 2, 6
MAX_HANDS = 50  # of a game
MAX_GROUPS = NUM_FACES // 3
MAX_HAND = NUM_FACES - 1
MAX_RUN = 13
NOBODY = -1
NO_FACE = -1
NO_LAY = 0  # below every lay action
NO_LIMIT = 0  # max_turns=None
POINT_WORTH = 1  # of a point to who gets it: the highest total wins


class Phase(IntEnum):
    """What the seat asked decides: how to draw, what to play, or nothing any more."""

    DRAW = 0
    PLAY = 1
    OVER = 2


DECIDING = frozenset((Phase.DRAW, Phase.PLAY))  # the phases in which somebody is asked


class Event(IntEnum):
    """What everyone sees happen."""

    DRAW = 0
    TAKE = 1
    TURN_OVER = 2
    LAY = 3
    LAY_OFF = 4
    DISCARD = 5


NEWS_SIZE = 6

GROUP = record(
    ("cards", np.uint64),
    ("is_set", np.int8),  # of one rank; else a run
    ("is_new", np.int8),  # laid in this turn
    ("low", np.int8),  # the lowest face of a run
    ("length", np.int8),
    ("padding", np.int8, 4),
)
GAME = record(
    ("phase", np.int32),
    ("acting", np.int32),
    ("turn", np.int32),
    ("num_seats", np.int32),
    ("stock_size", np.int32),
    ("discard_size", np.int32),
    ("turns", np.int32),
    ("max_turns", np.int32),
    ("last_lay", np.int32),  # in this turn
    ("laid_off", np.int32),  # cards, in this turn
    ("num_groups", np.int32),
    ("is_stock_known", np.int32),  # it was turned over before all eyes
    ("taken", np.uint64),  # the cards taken from the pile in this turn
    ("held", np.uint64, MAX_SEATS),
    ("known", np.uint64, MAX_SEATS),  # of those, what everyone knows to be there
    ("thrown", np.uint64, MAX_SEATS),  # discarded since the pile was last turned over
    ("pile", np.uint64),
    ("in_sets", np.uint64),  # cards on the table
    ("in_runs", np.uint64),
    ("fit_sets", np.uint64),  # cards that may be laid off in this turn: on sets,
    ("fit_below", np.uint64),  # at the low ends of runs,
    ("fit_above", np.uint64),  # and at their high ends
    ("hand_size", np.int8, MAX_SEATS),
    ("has_melded", np.int8, MAX_SEATS),  # laid or laid off in an earlier turn of this hand
    ("padding", np.int8, 4),
    ("groups", GROUP, MAX_GROUPS),  # in the order in which they were laid
    ("stock", np.int8, NUM_FACES),  # top last
    ("discard", np.int8, NUM_FACES),  # top last
    ("news", np.int32, NEWS_SIZE),  # the event of the last action: see rules.tell
    ("num_news", np.int32),
    ("dealer", np.int32),
    ("num_finished", np.int32),  # hands played
    ("num_hands", np.int32),
    ("scores", np.int32, MAX_SEATS),  # the sums of `points`
    ("points", np.int32, (MAX_HANDS, MAX_SEATS)),  # of the finished hands
    ("seed", np.uint64),
    ("rng", np.uint64),
    ("shoes", np.int8, (MAX_HANDS, NUM_FACES)),  # from the top, used where has_shoe
    ("has_shoe", np.int8, MAX_HANDS),
    ("more_padding", np.int8, 6),
)
