"""A hand as bits: its cards, and the windows that runs may be in, so that a few operations count them all.

Each suit is a lane of 16 bits in one 64-bit word, with a bit for each rank, the ace at bit 0 and again at
bit 13. `p1`, `p2` and `p3` are the faces held at least once, twice and three times. A run begins as one of
44 windows, four neighbouring ranks of a suit. A word can also be a set of windows, each marked at its first
rank. `ranks` has the number of cards of each rank: four lanes again, its binary digits, ones first.
"""

import numpy as np

from jo_env.cards import NUM_FACES, NUM_RANKS, NUM_SUITS
from jo_env.jit import jit

ALL_SUITS = (1 << NUM_SUITS) - 1
_FACE_BITS = np.array(
    [(1 << rank | (rank == 0) << 13) << 16 * suit for suit in range(NUM_SUITS) for rank in range(NUM_RANKS)],
    np.uint64,
)
LANES = np.array([0x3FFF << 16 * suit for suit in range(NUM_SUITS)], np.uint64)
# A number up to 15 by its binary digits, one in each lane.
_DIGITS = np.array([sum((n >> k & 1) << 16 * k for k in range(4)) for n in range(16)], np.uint64)
NONE = np.uint64(0)
ONE = np.uint64(1)
SUITS = np.uint64(0x0001_0001_0001_0001)  # the lowest bit of every lane
STARTS = np.uint64(0x07FF_07FF_07FF_07FF)  # the 11 windows of every suit
_RANKS = np.uint64(0x1FFF_1FFF_1FFF_1FFF)  # without the high aces
LANE = np.uint64(0x3FFF)
RANK_LANE = np.uint64(0x1FFF)
WINDOW = np.uint64(0xF)
_BYTE_OF_LANE = np.uint64(0x00FF_00FF_00FF_00FF)
_TWO_BITS = np.uint64(0x5555_5555_5555_5555)
_FOUR_BITS = np.uint64(0x3333_3333_3333_3333)
_EIGHT_BITS = np.uint64(0x0F0F_0F0F_0F0F_0F0F)


@jit
def planes(hand):
    """The faces held at least once, twice and three times."""
    p1, p2, p3 = NONE, NONE, NONE
    for face in range(NUM_FACES):
        copies, bits = hand[face], _FACE_BITS[face]
        p1 |= bits if copies > 0 else NONE
        p2 |= bits if copies > 1 else NONE
        p3 |= bits if copies > 2 else NONE
    return p1, p2, p3


@jit
def rank_count(hand, rank):
    """The cards of one rank."""
    return hand[rank] + hand[NUM_RANKS + rank] + hand[2 * NUM_RANKS + rank] + hand[3 * NUM_RANKS + rank]


@jit
def rank_counts(hand):
    """The cards of each rank in binary digits, so at most 15 (of 16 in four packs)."""
    ranks = NONE
    for rank in range(NUM_RANKS):
        ranks |= _DIGITS[min(rank_count(hand, rank), 15)] << rank
    return ranks


@jit
def count_hand(own):
    """Bring what `own` (a record `OWN`) keeps of its hand as bits in line with the copies held."""
    own.p1, own.p2, own.p3 = planes(own.hand)
    own.ranks = rank_counts(own.hand)
    own.changed_suits = ALL_SUITS


@jit
def count_face(own, face):
    """The same, where copies of one face only have come or gone."""
    own.p1, own.p2, own.p3, own.ranks = recount(own, own.hand, face)
    own.changed_suits |= 1 << face // NUM_RANKS


@jit
def recount(bits, hand, face):
    """The planes and rank counts of `hand`, which differs in one face from that of the record `bits`."""
    copies, cards = hand[face], _FACE_BITS[face]
    p1 = bits.p1 & ~cards | (cards if copies > 0 else NONE)
    p2 = bits.p2 & ~cards | (cards if copies > 1 else NONE)
    p3 = bits.p3 & ~cards | (cards if copies > 2 else NONE)
    rank = face % NUM_RANKS
    digits = _DIGITS[min(rank_count(hand, rank), 15)]
    return p1, p2, p3, bits.ranks & ~(SUITS << np.uint64(rank)) | digits << np.uint64(rank)


@jit
def pack_faces(cards):
    """The cards as 52 bits, one for each face."""
    cards |= cards >> 13 & SUITS  # a high ace is an ace
    return (
        cards & RANK_LANE
        | (cards >> 16 & RANK_LANE) << NUM_RANKS
        | (cards >> 32 & RANK_LANE) << 2 * NUM_RANKS
        | (cards >> 48 & RANK_LANE) << 3 * NUM_RANKS
    )


@jit
def suits_of_rank(cards, rank):
    """The suits of which the cards have a rank, a bit each."""
    suits = cards >> np.uint64(rank) & SUITS
    return (suits | suits >> 15 | suits >> 30 | suits >> 45) & WINDOW


@jit
def cards_by_suit(p1, p2, p3):
    """The cards in the lane of each suit, counting up to three copies of a face."""
    sums = NONE
    for cards in (p1 & _RANKS, p2 & _RANKS, p3 & _RANKS):
        twos = cards - (cards >> 1 & _TWO_BITS)  # added up in fields of two bits, four, eight and a lane
        sums += (twos & _FOUR_BITS) + (twos >> 2 & _FOUR_BITS)
    sums = (sums & _EIGHT_BITS) + (sums >> 4 & _EIGHT_BITS)
    return sums + (sums >> 8) & _BYTE_OF_LANE


# --- ranks ----------------------------------------------------------------------------------------


@jit
def of_ranks(ranks):
    """All faces of the ranks marked in one lane."""
    return (ranks | (ranks & ONE) << 13) * SUITS


@jit
def ranks_in(cards):
    """The ranks of the cards, in one lane."""
    cards |= cards >> 32
    cards |= cards >> 16
    return (cards | cards >> 13 & ONE) & RANK_LANE


@jit
def ranks_with_three(ranks):
    """The ranks with 3 cards or more."""
    return (ranks & ranks >> 16 | ranks >> 32 | ranks >> 48) & RANK_LANE


# --- runs -----------------------------------------------------------------------------------------


@jit
def lanes_of(suits):
    """The whole lanes of suits marked by their lowest bits."""
    return suits * LANE


@jit
def windows_with(cards):
    """The windows that one or more of the cards are in."""
    return (cards | cards >> 1 | cards >> 2 | cards >> 3) & STARTS


@jit
def cards_in(starts):
    """The cards that are in one or more of the windows."""
    return starts | starts << 1 | starts << 2 | starts << 3


@jit
def full_add(a, b, c):
    """Three bits added in every place: the sum's ones and twos."""
    return a ^ b ^ c, a & b | c & (a ^ b)


@jit
def cards_held(p1):
    """How many cards of each window are held, as binary digits: ones, twos and fours."""
    ones, twos = full_add(p1, p1 >> 1, p1 >> 2)
    last = p1 >> 3
    return (ones ^ last) & STARTS, (twos ^ ones & last) & STARTS, twos & ones & last & STARTS


@jit
def windows_holding(p1, cards):
    """The windows of which so many cards are held, or more."""
    ones, twos, fours = cards_held(p1)
    if cards <= 0:
        return STARTS
    if cards == 1:
        return ones | twos | fours
    if cards == 2:
        return twos | fours
    if cards == 3:
        return twos & ones | fours
    return fours if cards == 4 else NONE
