"""How far a hand is from the goal: the least number of cards missing, and which faces are nearer.

Exact over all ways to share the hand out among disjoint groups, and quick enough to run at every
change of a hand. Cards are bits: each suit is a lane of 16 bits in one 64-bit word, with a bit for each
rank, the ace at bit 0 and again at bit 13. `p1`, `p2` and `p3` are the faces held at least once, twice
and three times. A run begins as one of 44 windows, four neighbouring ranks of a suit. A word can also
be a set of windows, each marked at its first rank, so that a few operations count them all. `ranks` has
the number of cards of each rank: four lanes again, its binary digits, ones first.

Three facts keep the search small. A card that fits a run may as well be used there: giving it to a
three instead saves no card. Beside given runs the cheapest threes are best. And runs of different
suits never compete. So we look for the runs, and the threes beside them, that use most of the hand.
"""

import numpy as np

from jo_env.cards import NUM_FACES, NUM_RANKS, NUM_SUITS
from jo_env.jit import jit

ALL_SUITS = (1 << NUM_SUITS) - 1
_FACE_BITS = np.array(
    [(1 << rank | (rank == 0) << 13) << 16 * suit for suit in range(NUM_SUITS) for rank in range(NUM_RANKS)],
    np.uint64,
)
_ACES = np.array([(1 | 1 << 13) << 16 * suit for suit in range(NUM_SUITS)], np.uint64)
_LANES = np.array([0x3FFF << 16 * suit for suit in range(NUM_SUITS)], np.uint64)
# A number up to 15 by its binary digits, one in each lane; and a byte by its bits, one in each byte.
_DIGITS = np.array([sum((n >> k & 1) << 16 * k for k in range(4)) for n in range(16)], np.uint64)
BYTES = np.array([sum((n >> i & 1) << 8 * i for i in range(8)) for n in range(256)], np.uint64)
_NONE = np.uint64(0)
_ALL = ~_NONE
_ONE = np.uint64(1)
_SUITS = np.uint64(0x0001_0001_0001_0001)  # the lowest bit of every lane
_TOPS = np.uint64(0x8000_8000_8000_8000)  # the highest bit of every lane
_LOW = ~_TOPS  # a lane that holds a bit runs over when this is added
_STARTS = np.uint64(0x07FF_07FF_07FF_07FF)  # the 11 windows of every suit
_INNER_STARTS = np.uint64(0x03FE_03FE_03FE_03FE)  # without the lowest and the highest
_TEN_STARTS = np.uint64(0x03FF_03FF_03FF_03FF)  # without the highest
_RANKS = np.uint64(0x1FFF_1FFF_1FFF_1FFF)  # without the high aces
_ALL_ACES = np.uint64(0x2001_2001_2001_2001)
_LANE = np.uint64(0x3FFF)
_RANK_LANE = np.uint64(0x1FFF)
_WINDOW = np.uint64(0xF)
_BYTE_OF_LANE = np.uint64(0x00FF_00FF_00FF_00FF)
_TWO_BITS = np.uint64(0x5555_5555_5555_5555)
_FOUR_BITS = np.uint64(0x3333_3333_3333_3333)
_EIGHT_BITS = np.uint64(0x0F0F_0F0F_0F0F_0F0F)


def _pairs() -> np.ndarray:
    """What two runs at best make of one suit, for each set of its ranks held once: uint32[8192].

    The cards used, in the bits from 16 on, and below them the cards that two such runs lack.
    """
    held = np.arange(1 << NUM_RANKS, dtype=np.uint32)
    held |= (held & 1) << 13
    most = np.zeros(len(held), np.uint32)
    lacks = np.zeros(len(held), np.uint32)
    for first in range(11):
        for second in range(first, 11):
            low, high = 0xF << first, 0xF << second
            twice = low & high
            if (first, second) == (0, 10):
                twice = 1 | 1 << 13  # both want the ace
            used = np.bitwise_count(held & (low | high)).astype(np.uint32)
            if (first, second) == (0, 10):
                used -= held & 1
            lacked = (low | high) & ~held | np.uint32(twice)
            lacks = np.where(used > most, lacked, np.where(used == most, lacks | lacked, lacks))
            most = np.maximum(most, used)
    return most << 16 | lacks


_PAIRS = _pairs()


@jit
def solve(hand, threes, fours, nearer):
    """The number of cards `hand` (copies of each face, int8[52]) lacks for the goal.

    Writes 1 into `nearer` (int8[52]) for each face of which one more copy makes that number smaller.
    """
    p1, p2, p3 = planes(hand)
    pair_used, pair_lacks = _NONE, _NONE
    if fours > 1:
        for suit in range(NUM_SUITS):
            pair_used, pair_lacks = solve_pair(p1, p2, suit, pair_used, pair_lacks)
    missing, lacks = solve_cards(p1, p2, p3, rank_counts(hand), pair_used, pair_lacks, threes, fours)
    mark_faces(lacks, nearer)
    return missing


@jit
def solve_cards(p1, p2, p3, ranks, pair_used, pair_lacks, threes, fours):
    """The number of cards missing, and the faces that are nearer."""
    if fours == 0:
        used, lacks = solve_threes(ranks, threes)
    elif fours == 1:
        used, lacks = solve_threes_and_four(ranks, p1, threes)
    elif fours > 2:
        used, lacks = solve_three_fours(p1, p2, p3, pair_used, pair_lacks)
    elif threes > 0:
        used, lacks = solve_three_and_two_fours(ranks, p1, p2, pair_used, pair_lacks)
    else:
        used, lacks = solve_two_fours(p1, p2, pair_used, pair_lacks, _NONE, 0)
    return 3 * threes + 4 * fours - used, lacks


@jit
def planes(hand):
    """The faces held at least once, twice and three times."""
    p1, p2, p3 = _NONE, _NONE, _NONE
    for face in range(NUM_FACES):
        copies, bits = hand[face], _FACE_BITS[face]
        p1 |= bits if copies > 0 else _NONE
        p2 |= bits if copies > 1 else _NONE
        p3 |= bits if copies > 2 else _NONE
    return p1, p2, p3


@jit
def rank_count(hand, rank):
    """The cards of one rank."""
    return hand[rank] + hand[NUM_RANKS + rank] + hand[2 * NUM_RANKS + rank] + hand[3 * NUM_RANKS + rank]


@jit
def rank_counts(hand):
    """The cards of each rank in binary digits, so at most 15 (of 16 in four packs)."""
    ranks = _NONE
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
    p1 = bits.p1 & ~cards | (cards if copies > 0 else _NONE)
    p2 = bits.p2 & ~cards | (cards if copies > 1 else _NONE)
    p3 = bits.p3 & ~cards | (cards if copies > 2 else _NONE)
    rank = face % NUM_RANKS
    digits = _DIGITS[min(rank_count(hand, rank), 15)]
    return p1, p2, p3, bits.ranks & ~(_SUITS << np.uint64(rank)) | digits << np.uint64(rank)


@jit
def solve_changed(bits, hand, face, threes, fours, nearer):
    """`solve` for a hand that differs in one face from that of `bits`, a record with p1 ... pair_lacks."""
    p1, p2, p3, ranks = recount(bits, hand, face)
    pair_used, pair_lacks = bits.pair_used, bits.pair_lacks
    if fours > 1:
        pair_used, pair_lacks = solve_pair(p1, p2, face // NUM_RANKS, pair_used, pair_lacks)
    missing, lacks = solve_cards(p1, p2, p3, ranks, pair_used, pair_lacks, threes, fours)
    mark_faces(lacks, nearer)
    return missing


@jit
def pack_faces(cards):
    """The cards as 52 bits, one for each face."""
    cards |= cards >> 13 & _SUITS  # a high ace is an ace
    return (
        cards & _RANK_LANE
        | (cards >> 16 & _RANK_LANE) << NUM_RANKS
        | (cards >> 32 & _RANK_LANE) << 2 * NUM_RANKS
        | (cards >> 48 & _RANK_LANE) << 3 * NUM_RANKS
    )


@jit
def suits_of_rank(cards, rank):
    """The suits of which the cards have a rank, a bit each."""
    suits = cards >> np.uint64(rank) & _SUITS
    return (suits | suits >> 15 | suits >> 30 | suits >> 45) & _WINDOW


@jit
def mark_faces(cards, marks):
    """Write 1 into `marks` (int8[52]) for each of the cards and 0 for the other faces."""
    faces = pack_faces(cards)
    for i in range(NUM_FACES // 8):
        word = BYTES[faces >> 8 * i & 0xFF]
        for j in range(8):
            marks[8 * i + j] = np.int8(word >> 8 * j)
    word = BYTES[faces >> 48]
    for j in range(4):
        marks[48 + j] = np.int8(word >> 8 * j)


@jit
def better(best, lacks, used, lacked):
    """Keep the greater number of cards used; where equal, the cards that either way lacks are nearer."""
    if used > best:
        return used, lacked
    if used == best:
        return best, lacks | lacked
    return best, lacks


@jit
def popcount(x):
    x = x - ((x >> 1) & _TWO_BITS)
    x = (x & _FOUR_BITS) + ((x >> 2) & _FOUR_BITS)
    x = (x + (x >> 4)) & _EIGHT_BITS
    return np.int64((x * np.uint64(0x0101_0101_0101_0101)) >> 56)


# --- threes ---------------------------------------------------------------------------------------


@jit
def of_ranks(ranks):
    """All faces of the ranks marked in one lane."""
    return (ranks | (ranks & _ONE) << 13) * _SUITS


@jit
def rests(ranks):
    """The complete threes of all ranks (of one at most 3), and the ranks with 1 and 2 cards beyond those."""
    ones, twos = ranks & _RANK_LANE, ranks >> 16 & _RANK_LANE
    fours, eights = ranks >> 32 & _RANK_LANE, ranks >> 48
    threes = popcount(ranks_with_three(ranks))
    threes += popcount(twos & fours | eights)
    threes += popcount((ones | twos | fours) & eights)
    # Modulo 3, the digits of value 1 and 4 add one, those of 2 and 8 take one away.
    up_1, up_2 = ones ^ fours, ones & fours
    down_1, down_2 = twos ^ eights, twos & eights
    up_0, down_0 = ~(ones | fours), ~(twos | eights)
    rest_1 = up_1 & down_0 | up_2 & down_1 | up_0 & down_2
    rest_2 = up_2 & down_0 | up_0 & down_1 | up_1 & down_2
    return threes, rest_1 & _RANK_LANE, rest_2 & _RANK_LANE


@jit
def ranks_with_three(ranks):
    """The ranks with 3 cards or more."""
    return (ranks & ranks >> 16 | ranks >> 32 | ranks >> 48) & _RANK_LANE


@jit
def solve_threes(ranks, threes):
    """Threes alone: each rank offers complete threes for nothing, then one for its 1 to 3 missing cards.

    (Further threes of that rank cost three cards, as any untouched rank does.)
    """
    complete, rest_1, rest_2 = rests(ranks)
    three = min(complete, threes)
    two = min(popcount(rest_2), threes - three)
    one = min(popcount(rest_1), threes - three - two)
    # A card is nearer where it completes, or begins to complete, what the dearest three lacks.
    lacks = rest_2 if two > 0 else _NONE
    lacks = lacks | rest_1 | rest_2 if one > 0 else lacks
    lacks = _RANK_LANE if three + two + one < threes else lacks
    return 3 * three + 2 * two + one, of_ranks(lacks)


# --- runs -----------------------------------------------------------------------------------------


@jit
def windows_with(cards):
    """The windows that one or more of the cards are in."""
    return (cards | cards >> 1 | cards >> 2 | cards >> 3) & _STARTS


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
    return (ones ^ last) & _STARTS, (twos ^ ones & last) & _STARTS, twos & ones & last & _STARTS


@jit
def windows_holding(p1, cards):
    """The windows of which so many cards are held, or more."""
    ones, twos, fours = cards_held(p1)
    if cards <= 0:
        return _STARTS
    if cards == 1:
        return ones | twos | fours
    if cards == 2:
        return twos | fours
    if cards == 3:
        return twos & ones | fours
    return fours if cards == 4 else _NONE


@jit
def lanes_of(suits):
    """The whole lanes of suits marked by their lowest bits."""
    return suits * _LANE


@jit
def best_windows(p1):
    """In the lane of each suit: its windows that hold most cards, and how many they hold."""
    ones, twos, fours = cards_held(p1)
    starts, most = _STARTS, _NONE
    starts, most = keep_marked(starts, most, fours, 2)
    starts, most = keep_marked(starts, most, twos, 1)
    return keep_marked(starts, most, ones, 0)


@jit
def keep_marked(starts, number, digit, place):
    """In every suit: the windows with this binary digit of a number, if there are any; the number so far."""
    found = starts & digit
    suits = found + _STARTS >> 11 & _SUITS
    return starts & (found | ~lanes_of(suits)), number | suits << place


@jit
def best_suits(starts, most, runs):
    """Runs of different suits, from what `best_windows` tells: cards used, and the windows that serve.

    Between them the cards that the fullest run uses.
    """
    a, b = np.int64(most & 7), np.int64(most >> 16 & 7)
    c, d = np.int64(most >> 32 & 7), np.int64(most >> 48)
    a, b, c, d = max(a, b), min(a, b), max(c, d), min(c, d)
    a, c, b = max(a, c), min(a, c), max(b, d)
    b, c = max(b, c), min(b, c)
    used, last = a, a
    if runs > 1:
        used, last = used + b, b
    if runs > 2:
        used, last = used + c, c
    suits = most + np.uint64(8 - last) * _SUITS >> 3 & _SUITS  # those that hold `last` cards or more
    return used, a, starts & lanes_of(suits)


@jit
def take_window(p1, p2, p3, window, suit):
    """The planes once a run has taken the cards of a window that are there."""
    used = p1 & window
    if used & _ACES[suit]:
        used |= _ACES[suit]  # one card, two bits
    return (p1 & ~used) | (p2 & used), (p2 & ~used) | (p3 & used), p3 & ~used


@jit
def two_of_suit(p1, p2, suit, least):
    """Two runs of one suit, which may overlap: cards used, and lacked; below `least` only that it is less."""
    p1, p2 = p1 >> 16 * suit & _LANE, p2 >> 16 * suit & _LANE
    pair = np.uint64(_PAIRS[p1 & _RANK_LANE])
    best, lacks = np.int64(pair >> 16), pair & _LANE
    # Runs that share a face held twice use more than that. The fuller of the two is taken first, so that
    # one holds half of what counts or more.
    starts = windows_with(p2) & windows_holding(p1, (max(best, least) + 1) // 2)
    while starts:
        start = starts & -starts
        starts ^= start
        q1, _, _ = take_window(p1, p2, _NONE, _WINDOW * start, 0)
        others, most = best_windows(q1)
        used = popcount(p1 & _WINDOW * start) + np.int64(most & 7)
        lacked = cards_in(start) & ~p1 | cards_in(others & _LANE) & ~q1
        best, lacks = better(best, lacks, used, lacked)
    return best, lacks << 16 * suit


@jit
def solve_pair(p1, p2, suit, pair_used, pair_lacks):
    """Write what two runs make of one suit into its lane of `pair_used` and `pair_lacks`."""
    used, lacks = two_of_suit(p1, p2, suit, 0)
    lane = _LANES[suit]
    return pair_used & ~lane | np.uint64(used) << 16 * suit, pair_lacks & ~lane | lacks


@jit
def three_of_suit(p1, p2, p3, suit, least):
    """Three runs of one suit, likewise: the fullest first."""
    best, lacks = least - 1, _NONE
    starts = windows_holding(p1, (least + 2) // 3) & _LANES[suit]
    while starts:
        start = starts & -starts
        starts ^= start
        q1, q2, _ = take_window(p1, p2, p3, _WINDOW * start, suit)
        used = popcount(p1 & _WINDOW * start)
        more, lacked = two_of_suit(q1, q2, suit, least - used)
        best, lacks = better(best, lacks, used + more, cards_in(start) & ~p1 | lacked)
    return best, lacks


@jit
def suits_with(numbers, least):
    """The suits with such a number in their lane, or a greater one."""
    return numbers + np.uint64(32 - least) * _SUITS >> 5 & _SUITS


@jit
def solve_two_fours(p1, p2, pair_used, pair_lacks, changed, least):
    """Two runs: cards used, and lacked; below `least` only that it is less.

    In the suits marked in `changed` cards are gone since the pairs were solved.
    """
    starts, most = best_windows(p1)
    used, _, windows = best_suits(starts, most, 2)
    best, lacks = better(least - 1, _NONE, used, cards_in(windows) & ~p1)
    suits = suits_with(pair_used, best)
    while suits:
        low = suits & -suits
        suits ^= low
        lane = lanes_of(low)
        if changed & lane:
            used, lacked = two_of_suit(p1, p2, int(popcount(low - _ONE)) // 16, best)
        else:
            used, lacked = np.int64((pair_used & lane) * _SUITS >> 48), pair_lacks & lane
        best, lacks = better(best, lacks, used, lacked)
    return best, lacks


@jit
def solve_three_fours(p1, p2, p3, pair_used, pair_lacks):
    """Three runs: all of different suits, two of one suit, or all of one."""
    starts, most = best_windows(p1)
    best, fullest, windows = best_suits(starts, most, 3)
    lacks = cards_in(windows) & ~p1
    suits = suits_with(pair_used, best - fullest)
    while suits:
        lane = lanes_of(suits & -suits)
        suits &= suits - _ONE
        other, _, windows = best_suits(starts & ~lane, most & ~lane, 1)
        two = (pair_used & lane) * _SUITS >> 48  # its lane, moved to the top
        best, lacks = better(best, lacks, np.int64(two) + other, pair_lacks & lane | cards_in(windows) & ~p1)
    suits = suits_with(cards_by_suit(p1, p2, p3), best)
    if suits:
        for suit in range(NUM_SUITS):
            if suits & _LANES[suit]:
                three, lacked = three_of_suit(p1, p2, p3, suit, best)
                best, lacks = better(best, lacks, three, lacked)
    return best, lacks


@jit
def cards_by_suit(p1, p2, p3):
    """The cards in the lane of each suit, counting up to three copies of a face."""
    sums = _NONE
    for cards in (p1 & _RANKS, p2 & _RANKS, p3 & _RANKS):
        twos = cards - (cards >> 1 & _TWO_BITS)  # added up in fields of two bits, four, eight and a lane
        sums += (twos & _FOUR_BITS) + (twos >> 2 & _FOUR_BITS)
    sums = (sums & _EIGHT_BITS) + (sums >> 4 & _EIGHT_BITS)
    return sums + (sums >> 8) & _BYTE_OF_LANE


# --- threes and runs ------------------------------------------------------------------------------


@jit
def solve_threes_and_four(ranks, p1, threes):
    """Up to two threes beside one run, for all windows at once.

    A window takes a card of each of its ranks that is held. From a rank of 3 cards (or 6 ...) it takes a
    complete three and leaves 2 cards instead, of which 1 is left where it takes one, and so on: so it
    lowers the number of threes with 3 cards by the cards it takes of ranks with no rest, of those with 2
    or more by the cards with a rest of 2, of those with 1 or more by the cards with a rest of 1.
    """
    complete, rest_1, rest_2 = rests(ranks)
    taken_1, taken_2 = of_ranks(rest_1), of_ranks(rest_2)
    with_3 = complete
    with_2 = with_3 + popcount(rest_2)
    with_1 = with_2 + popcount(rest_1)
    ones_3, twos_3, fours_3 = cards_held(p1 & ~(taken_1 | taken_2))
    ones_2, twos_2, fours_2 = cards_held(p1 & taken_2)
    ones_1, twos_1, fours_1 = cards_held(p1 & taken_1)
    # The windows that leave 3, 2 and 1 cards for a three, and those that do so for another one too.
    first3, first2, first1 = _NONE, _NONE, _NONE
    second3, second2, second1 = _NONE, _NONE, _NONE
    last3, last2, last1 = _ALL, _ALL, _ALL
    if threes > 0:
        first3 = windows_up_to(ones_3, twos_3, fours_3, with_3 - 1)
        first2 = windows_up_to(ones_2, twos_2, fours_2, with_2 - 1)
        first1 = windows_up_to(ones_1, twos_1, fours_1, with_1 - 1)
        last3, last2, last1 = first3, first2, first1
    if threes > 1:
        second3 = windows_up_to(ones_3, twos_3, fours_3, with_3 - 2)
        second2 = windows_up_to(ones_2, twos_2, fours_2, with_2 - 2)
        second1 = windows_up_to(ones_1, twos_1, fours_1, with_1 - 2)
        last3, last2, last1 = second3, second2, second1
    # Add up the cards used by each window and the threes beside it.
    ones, twos, fours = cards_held(p1)
    first_ones, first_twos = full_add(first1, first2, first3)
    second_ones, second_twos = full_add(second1, second2, second3)
    ones, carry = full_add(ones, first_ones, second_ones)
    twos, carry_1 = full_add(twos, first_twos, second_twos)
    twos, carry_2 = twos ^ carry, twos & carry
    fours, eights = full_add(fours, carry_1, carry_2)
    # Keep the windows with the greatest sum.
    used, starts = 0, _STARTS
    for value, digit in ((8, eights), (4, fours), (2, twos), (1, ones)):
        found = starts & digit
        used += value if found else 0
        starts = found if found else starts
    lacks = cards_in(starts) & ~p1
    # A three lacks a card of each rank with as many cards beyond complete threes as the last three has.
    two_or_less, one_or_less, none = starts & ~last3, starts & ~last2, starts & ~last1
    if two_or_less:
        rest_0 = _RANK_LANE & ~(rest_1 | rest_2)
        lacking = ranks_left(two_or_less, p1) & rest_2 | ranks_taken(two_or_less, p1) & rest_0
        if one_or_less:
            lacking |= ranks_left(one_or_less, p1) & rest_1 | ranks_taken(one_or_less, p1) & rest_2
        if none:
            lacking |= ranks_left(none, p1) & rest_0 | ranks_taken(none, p1) & rest_1
        lacks |= of_ranks(lacking)
    return used, lacks


@jit
def windows_up_to(ones, twos, fours, number):
    """The windows whose number, in these binary digits (at most 4), is so great or less."""
    windows = _NONE
    windows = ~(ones | twos | fours) if number >= 0 else windows
    windows = ~(twos | fours) if number >= 1 else windows
    windows = ~(twos & ones | fours) if number >= 2 else windows
    windows = ~fours if number >= 3 else windows
    return _ALL if number >= 4 else windows


@jit
def ranks_in(cards):
    """The ranks of the cards, in one lane."""
    cards |= cards >> 32
    cards |= cards >> 16
    return (cards | cards >> 13 & _ONE) & _RANK_LANE


@jit
def ranks_taken(starts, p1):
    """The ranks of which one or more of the windows take a card."""
    return ranks_in(cards_in(starts) & p1)


@jit
def ranks_left(starts, p1):
    """The ranks of which one or more of the windows take no card."""
    lanes = lanes_of(starts + _LOW >> 15 & _SUITS)
    # Below the highest window of a suit and above its lowest; its ace is left by all but the outer two.
    below = starts >> 1 & _TEN_STARTS
    for shift in (1, 2, 4, 2):
        below |= below >> shift & _TEN_STARTS
    above = ((starts | _TOPS - starts) & _TEN_STARTS) << 4
    aces = (starts & _INNER_STARTS) + _LOW >> 15 & _SUITS
    return ranks_in(lanes & (~p1 | (below | above) & ~_ALL_ACES | aces))


@jit
def solve_three_and_two_fours(ranks, p1, p2, pair_used, pair_lacks):
    """One three beside two runs: try the ranks, the fullest first, and solve runs with what is left."""
    most, lacked_most = solve_two_fours(p1, p2, pair_used, pair_lacks, _NONE, 0)
    ones, twos = ranks & _RANK_LANE, ranks >> 16 & _RANK_LANE
    fours, eights = ranks >> 32 & _RANK_LANE, ranks >> 48
    with_5 = fours & (ones | twos) | eights  # the ranks with so many cards, or more
    with_4 = fours | eights
    with_3 = ranks_with_three(ranks)
    with_2 = twos | with_4
    with_1 = ones | with_2
    # Nothing is taken away by a three of a rank that is not held, or with a card to spare for each run.
    best, lacks = most, lacked_most | of_ranks(_RANK_LANE & ~with_1)
    if with_5:
        best, lacks = most + 3, lacked_most
    for in_three, marked in ((3, with_3 & ~with_5), (2, with_2 & ~with_3), (1, with_1 & ~with_2)):
        if in_three + most < best:
            break
        while marked:
            rank = marked & -marked
            marked ^= rank
            cards = of_ranks(rank)
            if rank & with_4:
                used, lacked = two_fours_beside_four(cards, p1, p2, pair_used, pair_lacks, best - 3)
            else:
                gone = p1 & cards
                used, lacked = solve_two_fours(
                    p1 & ~gone, p2 & ~gone, pair_used, pair_lacks, gone, best - in_three
                )
                # A card more completes the three, or frees one that a run lacks.
                lacked |= cards if in_three < 3 or lacked & gone else _NONE
            best, lacks = better(best, lacks, used + in_three, lacked)
    return best, lacks


@jit
def two_fours_beside_four(cards, p1, p2, pair_used, pair_lacks, least):
    """Runs beside a three of a rank with four cards: one of them is left for the runs; try which."""
    best, lacks = least - 1, _NONE
    for suit in range(NUM_SUITS):
        kept = p1 & cards & _LANES[suit]
        if kept:
            gone = (p1 & ~kept | p2) & cards
            used, lacked = solve_two_fours(
                p1 & ~cards | kept, p2 & ~cards, pair_used, pair_lacks, p1 & cards, best
            )
            lacked |= cards if lacked & gone else _NONE
            best, lacks = better(best, lacks, used, lacked)
    return best, lacks
