"""The table of Jo as data: one `GAME` record per game.

The record is arranged by who may know what. `OWN` is for one seat's eyes, `PUBLIC` is what everyone
knows of a seat, `TABLE` what everyone knows of the table; the latter two are small signed bytes, and a
seat's view (view.py) begins with copies of them, so they are the observation as well. The rest of
`GAME` holds the hidden cards, luck, and the exact numbers the rules work with.
"""

from enum import IntEnum

import numpy as np

from jo_env.cards import NUM_FACES, NUM_SUITS
from jo_env.jo.goals import MAX_GROUPS, MAX_ROUNDS
from jo_env.records import record

MIN_SEATS, MAX_SEATS = 2, 4
MIN_DECKS, MAX_DECKS = 2, 4
MAX_CARDS = MAX_DECKS * NUM_FACES
MAX_BUYS = 3
MAX_HAND = 19  # 12 dealt, three buys of two cards, one drawn
MEMORY_CAP = 3  # thrown and declined are counted up to here
NOBODY = -1
NO_FACE = -1
NO_LIMIT = 0  # max_turns=None
POINT_WORTH = -1  # of a point to who gets it: the lowest total wins


class Phase(IntEnum):
    """What the seat asked decides: buy or pass, draw or take, play, or nothing any more."""

    BUY = 0
    DRAW = 1
    PLAY = 2
    OVER = 3


DECIDING = frozenset((Phase.BUY, Phase.DRAW, Phase.PLAY))  # the phases in which somebody is asked


class Event(IntEnum):
    """What everyone sees happen."""

    REQUEST = 0
    PASS = 1
    DRAW = 2
    BUY = 3
    GO_DOWN = 4
    LAY_OFF = 5
    DISCARD = 6
    RECYCLE = 7


MAX_NEWS = 4  # a draw with a recycle before it and a buy and a recycle after it
NEWS_SIZE = 5

GROUP = record(
    ("is_three", np.int8),
    ("is_four", np.int8),
    ("low", np.int8),  # a three's rank; a four's lowest rank, ace low 0
    ("length", np.int8),  # cards in the group
    ("suits", np.int8, NUM_SUITS),  # a three's cards by suit; a four's suit marked 1
    ("span", np.int8, 14),  # ranks covered, marked 1; the last is the high ace
)
OWN = record(
    ("hand", np.int8, NUM_FACES),  # copies of each face held
    ("missing", np.int8),  # cards still missing to the goal
    ("changed_suits", np.int8),  # a bit for each suit changed since `missing` and `lacks` were solved
    ("padding", np.int8, 2),
    ("p1", np.uint64),  # the hand as bits.py has it; bits.count_hand after a hand is written
    ("p2", np.uint64),
    ("p3", np.uint64),
    ("ranks", np.uint64),
    ("pair_used", np.uint64),  # what two runs make of each suit, as it was solved last
    ("pair_lacks", np.uint64),
    ("lacks", np.uint64),  # the faces of which one more copy brings the goal nearer
    ("more_padding", np.int8, 16),  # two whole cache lines for each seat
)
PUBLIC = record(
    ("known", np.int8, NUM_FACES),  # taken or bought, and certainly still in hand
    ("thrown", np.int8, NUM_FACES),  # discarded since the last recycle, up to MEMORY_CAP
    ("declined", np.int8, NUM_FACES),  # passed over on the pile, likewise
    ("groups", GROUP, MAX_GROUPS),
    ("is_seated", np.int8),
    ("hand_size", np.int8),
    ("down", np.int8),
    ("buys_left", np.int8),
    ("has_requested", np.int8),
    ("is_on_turn", np.int8),
    ("is_dealer", np.int8),
    ("threw_top", np.int8),  # put the top card on the pile
    ("score_tens", np.int8),  # points before this hand: tens, and units
    ("score_units", np.int8),
)
TABLE = record(
    ("pile", np.int8, NUM_FACES),  # copies in the discard pile
    ("top", np.int8, NUM_FACES),  # the top discard marked 1
    ("taken", np.int8, NUM_FACES),  # the face taken from the pile in this turn marked 1
    ("num_seats", np.int8, 3),  # 2, 3 or 4, marked 1
    ("current_round", np.int8, MAX_ROUNDS),  # 1 to 7, marked 1; np.record has a method `round`
    ("threes", np.int8),  # the goal
    ("fours", np.int8),
    ("rounds_left", np.int8),  # after this one
    ("phase", np.int8, 3),  # buy, draw or play, marked 1
    ("stock_tens", np.int8),  # cards in the stock: tens, and units
    ("stock_units", np.int8),
    ("turns_tens", np.int8),  # turns finished in this hand: tens (up to 127), and units
    ("turns_units", np.int8),
    ("decks", np.int8),
)
GAME = record(
    # What every decision reads comes first and together, what a hand or a game needs once comes last.
    ("phase", np.int32),
    ("acting", np.int32),
    ("turn", np.int32),
    ("num_seats", np.int32),
    ("stock_size", np.int32),
    ("discard_size", np.int32),
    ("taken", np.int32),
    ("discarded_by", np.int32),
    ("turns", np.int32),
    ("max_turns", np.int32),
    ("groups_laid", np.int32),  # by the seat on turn, in a go-down not yet whole
    ("last_lay", np.int32),  # its last lay action
    ("scores", np.int32, MAX_SEATS),  # the sums of `points`
    ("num_requests", np.int32),
    ("num_news", np.int32),
    ("requests", np.int8, MAX_SEATS),  # in order of asking
    ("has_shoe", np.int8, MAX_ROUNDS),
    ("padding", np.int8, 45),
    ("own", OWN, MAX_SEATS),
    ("public", PUBLIC, MAX_SEATS),
    ("table", TABLE),
    ("hidden", np.int8, NUM_FACES),  # copies that are neither on the table nor known in a hand
    ("news", np.int16, (MAX_NEWS, NEWS_SIZE)),  # events of the last action: see rules.tell
    ("stock", np.int8, MAX_CARDS),  # top last
    ("discard", np.int8, MAX_CARDS),  # top last
    ("decks", np.int32),
    ("dealer", np.int32),
    ("num_finished", np.int32),  # rounds played; rounds[num_finished] is being played
    ("num_rounds", np.int32),
    ("rounds", np.int32, MAX_ROUNDS),
    ("points", np.int32, (MAX_ROUNDS, MAX_SEATS)),  # of the finished rounds
    ("seed", np.uint64),
    ("rng", np.uint64),
    ("shoes", np.int8, (MAX_ROUNDS, MAX_CARDS)),  # from the top, used where has_shoe
    ("more_padding", np.int8, 23),
)
