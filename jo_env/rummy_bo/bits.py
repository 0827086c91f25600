"""Cards as bits: with one pack a hand is 52 bits, one for each face, 13 to a suit."""

import numpy as np

from jo_env.cards import NUM_FACES, NUM_RANKS
from jo_env.jit import jit

NONE = np.uint64(0)
ONE = np.uint64(1)
ALL_FACES = np.uint64((1 << NUM_FACES) - 1)
SUIT = np.uint64((1 << NUM_RANKS) - 1)  # the lane of the lowest suit
_LOWS = np.uint64(sum(1 << NUM_RANKS * suit for suit in range(4)))  # the ace of every suit
_HIGHS = np.uint64(sum(1 << NUM_RANKS * suit + NUM_RANKS - 1 for suit in range(4)))  # the king
_TOP = np.uint64(NUM_RANKS - 1)
_S12, _S24, _S36, _FOUR = np.uint64(12), np.uint64(24), np.uint64(36), np.uint64(15)
_S13, _S26, _S39 = np.uint64(13), np.uint64(26), np.uint64(39)
_1, _2, _4, _56 = np.uint64(1), np.uint64(2), np.uint64(4), np.uint64(56)
_TWO_BITS = np.uint64(0x5555_5555_5555_5555)
_FOUR_BITS = np.uint64(0x3333_3333_3333_3333)
_EIGHT_BITS = np.uint64(0x0F0F_0F0F_0F0F_0F0F)
_BYTES = np.uint64(0x0101_0101_0101_0101)
# The place of the only bit of a word, by a de Bruijn sequence (Leiserson, Prokop and Randall, 1998).
_SEQUENCE, _S58 = np.uint64(0x03F79D71B4CB0A89), np.uint64(58)


def _places() -> np.ndarray:
    places = np.zeros(64, np.int64)
    for i in range(64):
        places[(int(_SEQUENCE) << i & (1 << 64) - 1) >> 58] = i
    return places


_PLACES = _places()
# Four bits as four bytes: uint32[16].
FOUR_BYTES = np.array([sum((n >> i & 1) << 8 * i for i in range(4)) for n in range(16)], np.uint32)


@jit
def bit(face):
    """The set that holds one face."""
    return ONE << np.uint64(face)


@jit
def popcount(cards):
    """How many bits are set."""
    cards -= cards >> _1 & _TWO_BITS
    cards = (cards & _FOUR_BITS) + (cards >> _2 & _FOUR_BITS)
    cards = cards + (cards >> _4) & _EIGHT_BITS
    return np.int64(cards * _BYTES >> _56)


@jit
def lowest(cards):
    """The lowest face of a set that is not empty."""
    return _PLACES[((cards & (~cards + ONE)) * _SEQUENCE) >> _S58]


@jit
def above(cards):
    """The faces that follow on these in their suits, the ace on the king."""
    return (cards & ~_HIGHS) << _1 | (cards & _HIGHS) >> _TOP


@jit
def below(cards):
    """The faces that go before these in their suits, the king before the ace."""
    return (cards & ~_LOWS) >> _1 | (cards & _LOWS) << _TOP


@jit
def run_starts(cards):
    """The faces from which three in a row are held, round the corner."""
    second = below(cards)
    return cards & second & below(second)


@jit
def ranks_with_three(cards):
    """The ranks, a bit each, of which three or more are held."""
    a, b, c, d = cards & SUIT, cards >> _S13 & SUIT, cards >> _S26 & SUIT, cards >> _S39
    return a & b & (c | d) | c & d & (a | b)


@jit
def of_rank(cards, rank):
    """The suits of which this rank is held, four bits."""
    cards >>= np.uint64(rank)
    return (
        cards & _1
        | cards >> np.uint64(12) & _2
        | cards >> np.uint64(24) & _4
        | cards >> np.uint64(36) & np.uint64(8)
    )


@jit
def in_ranks(ranks):
    """All cards of these ranks."""
    return ranks | ranks << _S13 | ranks << _S26 | ranks << _S39


@jit
def mark_faces(cards, words):
    """Write int8[52], seen as uint32[13], with 1 for each of the cards and 0 elsewhere."""
    for i in range(13):
        words[i] = FOUR_BYTES[cards & np.uint64(15)]
        cards >>= _4
