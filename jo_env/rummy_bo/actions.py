"""The blocks of ``Discrete(329)`` and what each action means; fixed by the public contract."""

import numpy as np

from jo_env.cards import NUM_FACES, NUM_RANKS, NUM_SUITS
from jo_env.masks import mask_record

NUM_SUIT_CHOICES = 5  # three of the four suits, or all of them
ALL_FOUR = 4
RUN_SIZE = 3  # a run is laid with three cards

DRAW_STOCK = 0
TAKE_TWO = 1
TAKE_DISCARD = 2
TURN_OVER = 3
LAY_SET = 4
LAY_RUN = LAY_SET + NUM_SUIT_CHOICES * NUM_RANKS
LAY_OFF = LAY_RUN + NUM_FACES
LAY_OFF_LOW = LAY_OFF + NUM_FACES
LAY_OFF_HIGH = LAY_OFF_LOW + NUM_FACES
DISCARD = LAY_OFF_HIGH + NUM_FACES
NUM_ACTIONS = DISCARD + NUM_FACES

# The suits of a set: CDH, CDS, CHS, DHS, and all four.
SUIT_CHOICES = ((0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3), (0, 1, 2, 3))


def _lay_faces() -> np.ndarray:
    """For every lay action its faces, int8[121, 4] padded with -1, a run from low to high."""
    faces = np.full((LAY_OFF, NUM_SUITS), -1, np.int8)
    for rank in range(NUM_RANKS):
        for t, suits in enumerate(SUIT_CHOICES):
            faces[LAY_SET + NUM_SUIT_CHOICES * rank + t, : len(suits)] = [
                NUM_RANKS * suit + rank for suit in suits
            ]
    for suit in range(NUM_SUITS):
        for start in range(NUM_RANKS):
            run = [NUM_RANKS * suit + (start + i) % NUM_RANKS for i in range(RUN_SIZE)]
            faces[LAY_RUN + NUM_RANKS * suit + start, :RUN_SIZE] = run
    return faces


LAY_FACES = _lay_faces()
LAY_SIZES = (LAY_FACES >= 0).sum(1).astype(np.int8)
LAY_CARDS = np.array([sum(1 << int(face) for face in row if face >= 0) for row in LAY_FACES], np.uint64)

MASK = mask_record(NUM_ACTIONS)
