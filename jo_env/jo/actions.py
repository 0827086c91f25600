"""The blocks of ``Discrete(432)`` and what each action means; fixed by the public contract."""

import numpy as np

from jo_env.cards import NUM_FACES, NUM_RANKS, NUM_SUITS
from jo_env.masks import mask_record

NUM_TRIPLES = 20  # multisets of three suits
NUM_STARTS = 11  # A 2 3 4 up to J Q K A
NUM_SLOTS = 12  # three groups for each of four seats, counted from the observer
NUM_PLACES = 6  # where a group may take a card: a suit of a three, the low or high end of a four
LOW_END, HIGH_END = 4, 5

PASS = 0
BUY = 1
DRAW_STOCK = 2
TAKE_DISCARD = 3
LAY_THREE = 4
LAY_FOUR = LAY_THREE + NUM_TRIPLES * NUM_RANKS
LAY_OFF = LAY_FOUR + NUM_STARTS * NUM_SUITS
DISCARD = LAY_OFF + NUM_PLACES * NUM_SLOTS
NUM_ACTIONS = DISCARD + NUM_FACES

# The 20 suit triples in lexicographic order (CCC, CCD, ... SSS), as suits.
TRIPLES = np.array([(a, b, c) for a in range(4) for b in range(a, 4) for c in range(b, 4)], np.int8)


def _lay_faces() -> tuple[np.ndarray, np.ndarray]:
    """For every lay action its faces, int8[308, 4] padded with -1, and which copy of it each card is."""
    faces = np.full((LAY_OFF, 4), -1, np.int8)
    for rank in range(NUM_RANKS):
        for t, triple in enumerate(TRIPLES):
            faces[LAY_THREE + NUM_TRIPLES * rank + t, :3] = [NUM_RANKS * suit + rank for suit in triple]
    for suit in range(NUM_SUITS):
        for start in range(NUM_STARTS):
            run = [NUM_RANKS * suit + rank % NUM_RANKS for rank in range(start, start + 4)]
            faces[LAY_FOUR + NUM_STARTS * suit + start] = run
    copies = np.array([[(row[: i + 1] == row[i]).sum() for i in range(4)] for row in faces], np.int8)
    return faces, copies


LAY_FACES, LAY_COPIES = _lay_faces()
LAY_SIZES = (LAY_FACES >= 0).sum(1).astype(np.int8)

MASK = mask_record(NUM_ACTIONS)
