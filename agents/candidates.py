"""Lists of moves with what a bot thinks of each."""

import numpy as np

MOST_MOVES = 6
NO_MOVE = -1  # pads a list of them


def best_of(moves: np.ndarray, worths: np.ndarray) -> np.ndarray:
    """The first of those worth most, int32[N], of candidates int64[N, MOST_MOVES] padded with NO_MOVE."""
    best = np.where(moves == NO_MOVE, -np.inf, worths).argmax(1)
    return moves[np.arange(len(moves)), best].astype(np.int32)
