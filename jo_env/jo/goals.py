"""The seven rounds of Jo as one table."""

import numpy as np

# round:              1   2   3   4   5   6   7
THREES = np.array([0, 2, 1, 0, 3, 2, 1, 0], np.int32)
FOURS = np.array([0, 0, 1, 2, 0, 1, 2, 3], np.int32)
CARDS_DEALT = np.array([0, 10, 10, 10, 10, 12, 12, 12], np.int32)

ALL_ROUNDS = (1, 2, 3, 4, 5, 6, 7)
MAX_ROUNDS = len(ALL_ROUNDS)
MAX_GROUPS = 3
