"""Cards as bits, for counting plans: each suit is a lane of 16 bits in one 64-bit word.

A bit for each rank, the ace at bit 0 and again at bit 13; `p1`, `p2` and `p3` mark the faces held at
least once, twice and three times.
"""

import numpy as np

from jo_env.cards import NUM_FACES, NUM_RANKS
from jo_env.jit import jit

_ONE, _TWO, _FOUR = np.uint64(1), np.uint64(2), np.uint64(4)
_EMPTY = np.uint64(0)
_ACES = np.array([(1 | 1 << 13) << 16 * suit for suit in range(4)], np.uint64)
_FACE_BITS = np.array(
    [(1 << rank | (rank == 0) << 13) << 16 * suit for suit in range(4) for rank in range(13)], np.uint64
)


@jit
def planes(hand):
    """The faces held at least once, twice and three times."""
    p1, p2, p3 = _EMPTY, _EMPTY, _EMPTY
    for face in range(NUM_FACES):
        copies = hand[face]
        if copies > 0:
            p1 |= _FACE_BITS[face]
        if copies > 1:
            p2 |= _FACE_BITS[face]
        if copies > 2:
            p3 |= _FACE_BITS[face]
    return p1, p2, p3


@jit
def rank_count(hand, rank):
    """Cards of a rank held, in any suit."""
    return hand[rank] + hand[NUM_RANKS + rank] + hand[2 * NUM_RANKS + rank] + hand[3 * NUM_RANKS + rank]


@jit
def take_window(p1, p2, p3, window, suit):
    """The planes once a run has taken the cards of a window that are there."""
    used = p1 & window
    if used & _ACES[suit]:
        used |= _ACES[suit]  # one card, two bits
    return (p1 & ~used) | (p2 & used), (p2 & ~used) | (p3 & used), p3 & ~used


@jit
def popcount(x):
    """Bits set (Warren, Hacker's Delight, 5-1)."""
    x = x - ((x >> _ONE) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> _TWO) & np.uint64(0x3333333333333333))
    x = (x + (x >> _FOUR)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))
