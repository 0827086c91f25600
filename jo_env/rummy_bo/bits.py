"""Cards as 52 bits, one for each face: each suit is a lane of 13, the ace at its lowest bit."""

import numpy as np

from jo_env.bits import popcount
from jo_env.cards import NUM_RANKS
from jo_env.jit import jit

NONE, ONE = np.uint64(0), np.uint64(1)
ALL_CARDS = np.uint64((1 << 52) - 1)
LANE = np.uint64((1 << NUM_RANKS) - 1)
SUITS = np.uint64(1 | 1 << 13 | 1 << 26 | 1 << 39)  # the aces
_KINGS = SUITS << np.uint64(12)
_13, _26, _39, _12 = np.uint64(13), np.uint64(26), np.uint64(39), np.uint64(12)


@jit
def card(face):
    """One card by its face."""
    return ONE << np.uint64(face)


@jit
def moved_down(cards):
    """Every card one rank down, round the corner: an ace becomes the king of its suit."""
    return (cards & ~SUITS) >> ONE | (cards & SUITS) << _12


@jit
def moved_up(cards):
    """Every card one rank up, round the corner."""
    return (cards & ~_KINGS) << ONE | (cards & _KINGS) >> _12


@jit
def face_below(face):
    """The face one rank below, round the corner."""
    return face - 1 if face % NUM_RANKS else face + NUM_RANKS - 1


@jit
def face_above(face):
    """The face one rank above, round the corner."""
    return face + 1 if (face + 1) % NUM_RANKS else face - NUM_RANKS + 1


@jit
def run_starts(cards):
    """Where three neighbours of a suit are held, round the corner: the lowest of the three."""
    second = moved_down(cards)
    return cards & second & moved_down(second)


@jit
def cards_in_runs(cards):
    """The cards that are among three neighbours or more, round the corner."""
    starts = run_starts(cards)
    second = moved_up(starts)
    return starts | second | moved_up(second)


@jit
def ranks_held_thrice(cards):
    """The ranks of which three suits or four are held, in one lane."""
    a, b, c, d = cards, cards >> _13, cards >> _26, cards >> _39
    return (a & b & (c | d) | c & d & (a | b)) & LANE


@jit
def ranks_in(cards):
    """The ranks of which a card is held, in one lane."""
    return (cards | cards >> _13 | cards >> _26 | cards >> _39) & LANE


@jit
def suits_of_rank(cards, rank):
    """The suits of which a rank is held, a bit each."""
    suits = cards >> np.uint64(rank) & SUITS
    return np.int64((suits | suits >> _12 | suits >> np.uint64(24) | suits >> np.uint64(36)) & np.uint64(15))


@jit
def lowest(bits):
    """The place of the lowest bit that is set."""
    return popcount((bits & (~bits + ONE)) - ONE)
