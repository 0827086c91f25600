"""What a card costs: ace 15, king, queen and jack 10, the others their pips."""

import numpy as np

from jo_env.cards import NUM_SUITS

RANK_POINTS = np.array([15, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10], np.int32)
FACE_POINTS = np.tile(RANK_POINTS, NUM_SUITS)
