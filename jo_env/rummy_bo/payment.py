"""What a hand pays: the least count of its cards that form no matched set.

Exact over all ways to part the hand into sets of a rank and runs. Within a suit, once it is settled which
cards go to sets, all that lie in a row of three or more (round the corner) are covered: a table says which.
So only the sets are searched: of each rank with three or four cards none, one of the triples, or all four.
"""

import numpy as np

from jo_env.cards import NUM_RANKS, NUM_SUITS
from jo_env.jit import jit
from jo_env.rummy_bo.actions import LAY_CARDS, LAY_SET, NUM_SETS
from jo_env.rummy_bo.bits import NONE, ONE, SUIT, in_ranks, lowest, ranks_with_three

# Ace 11, king, queen and jack 10, the others their pips.
RANK_POINTS = np.array([11, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10], np.int32)
FACE_POINTS = np.tile(RANK_POINTS, NUM_SUITS)


def _loose() -> np.ndarray:
    """What lies in no row of three or more, of the cards of a suit: uint64[8192]."""
    cards = np.arange(1 << NUM_RANKS)
    held = cards[:, None] >> np.arange(NUM_RANKS) & 1
    starts = held & np.roll(held, -1, 1) & np.roll(held, -2, 1)
    covered = starts | np.roll(starts, 1, 1) | np.roll(starts, 2, 1)
    return ((held & ~covered) << np.arange(NUM_RANKS)).sum(1).astype(np.uint64)


_LOOSE = _loose()
# The points, or the number, of the cards of a suit: int64[8192].
POINTS = (np.arange(1 << NUM_RANKS)[:, None] >> np.arange(NUM_RANKS) & 1) @ RANK_POINTS.astype(np.int64)
COUNTS = (np.arange(1 << NUM_RANKS)[:, None] >> np.arange(NUM_RANKS) & 1).sum(1).astype(np.int64)


@jit
def loose_cards(cards):
    """The cards that lie in no row of three or more of their suit."""
    loose = NONE
    for suit in range(NUM_SUITS):
        shift = np.uint64(NUM_RANKS * suit)
        loose |= _LOOSE[cards >> shift & SUIT] << shift
    return loose


@jit
def worth(cards, values):
    """The sum over the suits of a table by the cards of a suit, as `POINTS` and `COUNTS`."""
    total = 0
    for suit in range(NUM_SUITS):
        total += values[cards >> np.uint64(NUM_RANKS * suit) & SUIT]
    return total


@jit
def least_left(cards, values):
    """The cards in no matched set, in the partition of the hand that leaves the least `worth`."""
    open_ranks = ranks_with_three(cards)
    best_left = loose_cards(cards)
    best = worth(best_left, values)
    if best == 0 or open_ranks == NONE:
        return best_left
    # Depth first over the ranks: the cards left for runs, the next choice of each rank, the ranks still open.
    left = np.zeros(NUM_RANKS + 1, np.uint64)
    choice = np.zeros(NUM_RANKS + 1, np.int64)
    ranks = np.zeros(NUM_RANKS + 1, np.uint64)
    left[0], ranks[0] = cards, open_ranks
    choice[0] = NUM_SETS
    depth = 0
    while depth >= 0:
        rest = ranks[depth] & (ranks[depth] - ONE)
        took = choice[depth]
        if took < 0 or best == 0:
            depth -= 1
            continue
        choice[depth] = took - 1
        now = left[depth]
        if took > 0:  # a set of all four first, then of three, then none
            laid = LAY_CARDS[LAY_SET + NUM_SETS * lowest(ranks[depth]) + took - 1]
            if now & laid != laid:
                continue
            now &= ~laid
        # Taking cards away never covers another: what is loose now and of no open rank stays loose.
        loose = loose_cards(now)
        if worth(loose & ~in_ranks(rest), values) >= best:
            continue
        if rest == NONE:
            best, best_left = worth(loose, values), loose
            continue
        depth += 1
        left[depth], ranks[depth], choice[depth] = now, rest, NUM_SETS
    return best_left


@jit
def least_count(cards):
    """The points that a hand pays: those of its cards outside matched sets, where they are least."""
    return worth(least_left(cards, POINTS), POINTS)
