"""What a hand pays: the points of its cards that form no matched set, in the partition that pays least.

Once it is settled which cards go into sets, the runs follow: of one suit every card among three
neighbours or more, round the corner, is in a run, and no other can be. So the search is over the sets
alone, rank by rank, with what is lost already as a bound. It is exact (tests/rummy_bo/test_payment.py).
"""

import numpy as np

from jo_env.cards import NUM_RANKS
from jo_env.jit import jit
from jo_env.rummy_bo.bits import (
    LANE,
    NONE,
    ONE,
    SUITS,
    cards_in_runs,
    lowest,
    ranks_held_thrice,
    ranks_in,
    suits_of_rank,
)

# Ace 11, king, queen and jack 10, the others their pips.
RANK_POINTS = np.array([11, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10], np.int32)
_LANE_POINTS = np.array(
    [sum(int(RANK_POINTS[r]) for r in range(NUM_RANKS) if lane >> r & 1) for lane in range(1 << NUM_RANKS)],
    np.int16,
)
_13, _26, _39 = np.uint64(13), np.uint64(26), np.uint64(39)
_NO_LIMIT = 1000  # more than all cards of the pack count


@jit
def points_of(cards):
    """The points of the cards, all together."""
    return (
        np.int64(_LANE_POINTS[cards & LANE])
        + _LANE_POINTS[cards >> _13 & LANE]
        + _LANE_POINTS[cards >> _26 & LANE]
        + _LANE_POINTS[cards >> _39 & LANE]
    )


@jit
def least_count(cards):
    """(points, cards) that are left over when the cards are matched as well as can be."""
    ranks = ranks_held_thrice(cards)
    if ranks == NONE:
        loose = cards & ~cards_in_runs(cards)
        return points_of(loose), loose
    return fewest_points(cards, ranks, np.int64(_NO_LIMIT))


@jit
def fewest_points(cards, ranks, limit):
    """The same, if it is less than `limit` (otherwise the points are no less than it).

    `ranks` are those of which a set may still be made of the cards; the others stay out of sets.
    """
    loose = cards & ~cards_in_runs(cards)
    # A set of cards that are in no run takes nothing from anybody.
    free = ranks_held_thrice(loose) & ranks & ~ranks_in(cards & ~loose)
    cards &= ~(free * SUITS)
    loose &= ~(free * SUITS)
    ranks &= ~free
    if points_of(loose & ~(ranks * SUITS)) >= limit:
        return limit, loose
    of_use = ranks & ranks_in(loose)
    if of_use == NONE:
        return points_of(loose), loose
    rank = lowest(of_use)
    ranks &= ~(ONE << np.uint64(rank))
    held = suits_of_rank(cards, rank)
    must = suits_of_rank(loose, rank)  # no set of the rank leaves these out
    best, best_loose = limit, loose
    for choice in range(6):  # all four, four times three of them, none
        suits = 15 if choice == 0 else 0 if choice == 5 else 15 ^ 1 << choice - 1
        if suits & ~held or (suits and must & ~suits):
            continue
        laid = NONE
        for suit in range(4):
            if suits >> suit & 1:
                laid |= ONE << np.uint64(NUM_RANKS * suit + rank)
        points, left = fewest_points(cards & ~laid, ranks, best)
        if points < best:
            best, best_loose = points, left
            if best == 0:
                break
    return best, best_loose
