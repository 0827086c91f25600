"""The table of Rummy Bo as data: one `GAME` record per game.

The record is arranged by who may know what, as Jo's is. `OWN` is for one seat's eyes, `PUBLIC` is what
everyone knows of a seat, `TABLE` what everyone knows of the table; the latter two are small signed bytes,
and a seat's view (view.py) begins with copies of them, so they are the observation as well. The rest of
`GAME` holds the hidden cards, luck, and the exact numbers the rules work with.

One pack, so a set of cards is 52 bits, one for each face, and no pile, hand or table has more than 52
cards: every number of cards fits a byte. All cards of the pack count 380 points, so a hand pays at most
760 (double), and a game of MAX_HANDS hands at most 15200: far below what int32 holds.
"""

from enum import IntEnum

import numpy as np

from jo_env.cards import NUM_FACES
from jo_env.records import record

MIN_SEATS, MAX_SEATS = 2, 6
MAX_HANDS = 20  # of a game
MAX_HAND = NUM_FACES - 1  # cards of a hand: all but one, which another seat holds
MAX_GROUPS = 17  # of three cards each
NUM_DRAWN = 2  # cards a turn
NOBODY = -1
NO_FACE = -1
NO_LIMIT = 0  # max_turns=None
POINT_WORTH = 1  # of a point to who gets it: the highest total wins
DEALT = np.array([0, 0, 10, 7, 7, 6, 6], np.int32)  # cards to each seat, by the number of seats


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


MAX_NEWS = 2  # the pile turned over, and a card drawn
NEWS_SIZE = 5

GROUP = record(
    ("cards", np.uint64),
    ("is_run", np.int8),
    ("low", np.int8),  # the face that a run begins with; a set's rank
    ("length", np.int8),  # cards in the group
    ("padding", np.int8, 5),
)
OWN = record(
    ("cards", np.uint64),  # the hand
    ("loose", np.uint64),  # its cards that no group takes, in the partition that pays least
    ("least_count", np.int32),  # their points
    ("has_changed", np.int32),  # since these two were counted
)
PUBLIC = record(
    ("known", np.int8, NUM_FACES),  # taken from the pile or from a stock in sight, and still in hand
    ("thrown", np.int8, NUM_FACES),  # discarded in this hand: 2 while it lies in the pile, 1 from then on
    ("is_seated", np.int8),
    ("hand_size", np.int8),
    ("has_melded", np.int8),  # laid or laid off in an earlier turn: it can no longer go rummy
    ("is_on_turn", np.int8),
    ("is_dealer", np.int8),
    ("score_tens", np.int8),  # points before this hand: tens, and units, both negative below zero
    ("score_units", np.int8),
)
TABLE = record(
    ("pile", np.int8, NUM_FACES),  # in the discard pile
    ("top", np.int8, NUM_FACES),  # the top discard marked 1
    ("second", np.int8, NUM_FACES),  # the card below it
    ("taken", np.int8, NUM_FACES),  # taken from the pile in this turn
    ("in_sets", np.int8, NUM_FACES),  # on the table, in a set
    ("in_runs", np.int8, NUM_FACES),  # on the table, in a run
    ("fits_set", np.int8, NUM_FACES),  # a set takes it
    ("fits_low", np.int8, NUM_FACES),  # a run takes it at its low end
    ("fits_high", np.int8, NUM_FACES),  # a run takes it at its high end
    ("next", np.int8, NUM_FACES),  # the top card of a stock in sight
    ("after_next", np.int8, NUM_FACES),  # the card below it
    ("num_seats", np.int8, MAX_SEATS - 1),  # 2 to 6, marked 1
    ("phase", np.int8, 2),  # draw or play, marked 1
    ("turned_over", np.int8),  # the pile has been, so the stock is in sight
    ("stock_size", np.int8),
    ("discard_size", np.int8),
    ("turns_tens", np.int8),  # turns finished in this hand: tens (up to 127), and units
    ("turns_units", np.int8),
    ("hands_left", np.int8),  # after this one
    ("laid", np.int8),  # groups laid in this turn: the last ones on the table
    ("laid_off", np.int8),  # cards laid off in this turn
)
GAME = record(
    # What every decision reads comes first and together, what a hand or a game needs once comes last.
    ("phase", np.int32),
    ("acting", np.int32),
    ("turn", np.int32),
    ("num_seats", np.int32),
    ("stock_size", np.int32),
    ("discard_size", np.int32),
    ("turned_over", np.int32),
    ("turns", np.int32),
    ("max_turns", np.int32),
    ("num_groups", np.int32),
    ("laid", np.int32),
    ("laid_off", np.int32),
    ("first_lay", np.int32),  # the lowest lay action still open in this turn; LAY_OFF when none is
    ("num_news", np.int32),
    ("hidden", np.uint64),  # neither on the table nor known in a hand, nor in a stock in sight
    ("taken", np.uint64),  # taken from the pile in this turn
    ("fits_set", np.uint64),  # what the groups take, as in `TABLE`
    ("fits_low", np.uint64),
    ("fits_high", np.uint64),
    ("scores", np.int32, MAX_SEATS),  # the sums of `points`
    ("own", OWN, MAX_SEATS),
    ("public", PUBLIC, MAX_SEATS),
    ("table", TABLE),
    ("padding", np.int8, 3),
    ("groups", GROUP, MAX_GROUPS),  # in the order in which they were laid
    ("stock", np.int8, NUM_FACES),  # top last; NO_FACE beyond its size
    ("discard", np.int8, NUM_FACES),  # likewise
    ("news", np.int16, (MAX_NEWS, NEWS_SIZE)),  # events of the last action: see rules.tell
    ("has_shoe", np.int8, MAX_HANDS),
    ("dealer", np.int32),
    ("num_finished", np.int32),  # hands played
    ("num_hands", np.int32),
    ("points", np.int32, (MAX_HANDS, MAX_SEATS)),  # received in the finished hands
    ("seed", np.uint64),
    ("rng", np.uint64),
    ("shoes", np.int8, (MAX_HANDS, NUM_FACES)),  # from the top, used where has_shoe
    ("more_padding", np.int8, 36),
)
