"""The blocks of ``Discrete(329)`` and what each action means; the same for 2 to 6 seats.

One pack: at most one set of a rank lies on the table, at most one run begins right above a face and at most
one ends right below it. So the card says where it is laid off.
"""

import numpy as np

from jo_env.cards import NUM_FACES, NUM_RANKS, NUM_SUITS

NUM_SETS = 5  # of a rank: the four triples of suits CDH, CDS, CHS, DHS, and all four suits
NUM_STARTS = 13  # A 2 3 up to Q K A and, round the corner, K A 2

DRAW_STOCK = 0  # two cards from the stock, or its last one
TAKE_TWO = 1  # the two top discards
TAKE_DISCARD = 2  # the top discard, at an empty stock
TURN_OVER = 3  # the pile becomes the stock; draw one card
LAY_SET = 4
LAY_RUN = LAY_SET + NUM_SETS * NUM_RANKS
ADD_TO_SET = LAY_RUN + NUM_STARTS * NUM_SUITS
ADD_BELOW = ADD_TO_SET + NUM_FACES  # at the low end of a run
ADD_ABOVE = ADD_BELOW + NUM_FACES
DISCARD = ADD_ABOVE + NUM_FACES
NUM_ACTIONS = DISCARD + NUM_FACES

SET_SUITS = ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3), (0, 1, 2, 3))


def _lay_cards() -> np.ndarray:
    """The cards of every lay action, a bit each: uint64[ADD_TO_SET], 0 for the draws."""
    cards = [0] * LAY_SET
    for rank in range(NUM_RANKS):
        cards += [sum(1 << NUM_RANKS * suit + rank for suit in suits) for suits in SET_SUITS]
    for suit in range(NUM_SUITS):
        for start in range(NUM_STARTS):
            cards.append(sum(1 << NUM_RANKS * suit + (start + i) % NUM_RANKS for i in range(3)))
    return np.array(cards, np.uint64)


LAY_CARDS = _lay_cards()

# The mask of one decision, int8[329], as a record: compiled code hands it on without counting references.
MASK = np.dtype((np.record, [("actions", np.int8, NUM_ACTIONS)]))
