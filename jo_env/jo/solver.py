"""How far a hand is from the goal: the least number of cards missing, and which faces are nearer.

Exact over all ways to share the hand out among disjoint groups, and quick enough to run at every
change of a hand. Cards are bits: each suit is a lane of 16 bits in one 64-bit word, with a bit for each
rank, the ace at bit 0 and again at bit 13. `p1`, `p2` and `p3` are the faces held at least once, twice
and three times. A run begins as one of 44 windows, four neighbouring ranks of a suit. A word can also
be a set of windows, each marked at its first rank, so that a few operations count them all.

Three facts keep the search small. A card that fits a run may as well be used there: giving it to a
three instead saves no card. Beside given runs the cheapest threes are best. And runs of different
suits never compete. So we look for the runs, and the threes beside them, that use most of the hand.
"""

import numpy as np

from jo_env.cards import NUM_FACES, NUM_RANKS, NUM_SUITS
from jo_env.jit import jit

_FACE_BITS = np.array(
    [(1 << rank | (rank == 0) << 13) << 16 * suit for suit in range(NUM_SUITS) for rank in range(NUM_RANKS)],
    np.uint64,
)
_RANK_BITS = _FACE_BITS.reshape(NUM_SUITS, NUM_RANKS).sum(0, dtype=np.uint64)
_LANES = np.array([0x3FFF << 16 * suit for suit in range(NUM_SUITS)], np.uint64)
_ACES = np.array([(1 | 1 << 13) << 16 * suit for suit in range(NUM_SUITS)], np.uint64)
_RANK_SHIFTS = np.array([4 * (face % NUM_RANKS) for face in range(NUM_FACES)], np.uint64)
_NONE = np.uint64(0)
_ALL = ~_NONE
_ONE = np.uint64(1)
_SUITS = np.uint64(0x0001_0001_0001_0001)  # the lowest bit of every lane
_STARTS = np.uint64(0x07FF_07FF_07FF_07FF)  # the 11 windows of every suit
_RANKS = np.uint64(0x1FFF_1FFF_1FFF_1FFF)  # without the high aces
_LANE = np.uint64(0x3FFF)
_WINDOW = np.uint64(0xF)
_EIGHTS = np.uint64(0x8_8888_8888_8888)


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
    if fours == 0:
        used, lacks = solve_threes(rank_counts(hand), threes)
    elif fours == 1:
        p1, _, _ = planes(hand)
        used, lacks = solve_threes_and_four(rank_counts(hand), p1, threes)
    elif fours == 2:
        p1, p2, _ = planes(hand)
        if threes > 0:
            used, lacks = solve_three_and_two_fours(rank_counts(hand), p1, p2)
        else:
            used, lacks = solve_two_fours(p1, p2, pair_bounds(p1, p2), 0)
    else:
        p1, p2, p3 = planes(hand)
        used, lacks = solve_three_fours(p1, p2, p3)
    for face in range(NUM_FACES):
        nearer[face] = 1 if lacks & _FACE_BITS[face] else 0
    return 3 * threes + 4 * fours - used


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
def rank_counts(hand):
    """The cards of each rank, four bits for each, so at most 15 (of 16 in four packs)."""
    a, b = _NONE, _NONE
    for face in range(NUM_FACES // 2):
        a += np.uint64(hand[face]) << _RANK_SHIFTS[face]
        b += np.uint64(hand[NUM_FACES // 2 + face]) << _RANK_SHIFTS[face]
    return a + b - ((a & b & _EIGHTS) >> 3)


@jit
def count_of(counts, rank):
    return np.int64(counts >> np.uint64(4 * rank) & 15)


@jit
def rank_count(hand, rank):
    """The cards of one rank."""
    return hand[rank] + hand[NUM_RANKS + rank] + hand[2 * NUM_RANKS + rank] + hand[3 * NUM_RANKS + rank]


@jit
def better(best, lacks, used, lacked):
    """Keep the greater number of cards used; where equal, the cards that either way lacks are nearer."""
    if used > best:
        return used, lacked
    if used == best:
        return best, lacks | lacked
    return best, lacks


# --- threes ---------------------------------------------------------------------------------------


@jit
def solve_threes(counts, threes):
    """Threes alone: each rank offers complete threes for nothing, then one for its 1 to 3 missing cards.

    (Further threes of that rank cost three cards, as any untouched rank does.)
    """
    free, one, two = 0, 0, 0
    for rank in range(NUM_RANKS):
        count = count_of(counts, rank)
        free += count // 3
        one += count % 3 == 2
        two += count % 3 == 1
    free = min(free, threes)
    one = min(one, threes - free)
    two = min(two, threes - free - one)
    three = threes - free - one - two
    dearest = 3 if three > 0 else 2 if two > 0 else 1 if one > 0 else 0
    lacks = _NONE
    for rank in range(NUM_RANKS):
        lacks |= _RANK_BITS[rank] if 3 - count_of(counts, rank) % 3 <= dearest else _NONE
    return 3 * free + 2 * one + two, lacks


# --- runs -----------------------------------------------------------------------------------------


@jit
def windows_with(cards):
    """The windows that one or more of the cards are in."""
    return (cards | cards >> 1 | cards >> 2 | cards >> 3) & _STARTS


@jit
def cards_lacked(starts, p1):
    """The cards that these windows lack."""
    return (starts | starts << 1 | starts << 2 | starts << 3) & ~p1


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
    """Runs of different suits, from what `best_windows` tells: cards used, and the windows that serve."""
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
    return used, starts & lanes_of(suits)


@jit
def take_window(p1, p2, p3, window, suit):
    """The planes once a run has taken the cards of a window that are there."""
    used = p1 & window
    if used & _ACES[suit]:
        used |= _ACES[suit]  # one card, two bits
    return (p1 & ~used) | (p2 & used), (p2 & ~used) | (p3 & used), p3 & ~used


@jit
def popcount(x):
    x = x - ((x >> 1) & np.uint64(0x5555_5555_5555_5555))
    x = (x & np.uint64(0x3333_3333_3333_3333)) + ((x >> 2) & np.uint64(0x3333_3333_3333_3333))
    x = (x + (x >> 4)) & np.uint64(0x0F0F_0F0F_0F0F_0F0F)
    return np.int64((x * np.uint64(0x0101_0101_0101_0101)) >> 56)


@jit
def pair_of(p1, suit):
    """The entry of the table of pairs for one suit."""
    return np.uint64(_PAIRS[p1 >> 16 * suit & 0x1FFF])


@jit
def pair_bounds(p1, p2):
    """In the lane of each suit: no two of its runs use more cards than this.

    Runs that share no face held twice are in the table; those that do lie around such a face.
    """
    bounds = _NONE
    for suit in range(NUM_SUITS):
        twice = p2 & _LANES[suit]
        shared = popcount(p1 & ranks_around(twice)) + popcount(twice)
        bounds |= max(pair_of(p1, suit) >> 16, np.uint64(min(shared, 8))) << 16 * suit
    return bounds


@jit
def two_of_suit(p1, p2, p3, suit, least):
    """Two runs of one suit, which may overlap: cards used, and lacked; below `least` only that it is less."""
    pair = pair_of(p1, suit)
    best, lacks = np.int64(pair >> 16), (pair & _LANE) << 16 * suit
    # Runs that share a face held twice use more than that. The fuller of the two is taken first, so that
    # one holds half of `least` or more.
    starts = windows_with(p2 & _LANES[suit]) & windows_holding(p1, (least + 1) // 2)
    while starts:
        start = starts & -starts
        starts ^= start
        q1, _, _ = take_window(p1, p2, p3, _WINDOW * start, suit)
        others, most = best_windows(q1)
        used = popcount(p1 & _WINDOW * start) + np.int64(most >> 16 * suit & 7)
        lacked = cards_lacked(start, p1) | cards_lacked(others & _LANES[suit], q1)
        best, lacks = better(best, lacks, used, lacked)
    return best, lacks


@jit
def ranks_around(cards):
    """The ranks that are in a window with one of the cards."""
    return cards | cards << 1 | cards << 2 | cards << 3 | cards >> 1 | cards >> 2 | cards >> 3


@jit
def three_of_suit(p1, p2, p3, suit, least):
    """Three runs of one suit, likewise: the fullest first."""
    best, lacks = least - 1, _NONE
    starts = windows_holding(p1, (least + 2) // 3) & _LANES[suit]
    while starts:
        start = starts & -starts
        starts ^= start
        q1, q2, q3 = take_window(p1, p2, p3, _WINDOW * start, suit)
        used = popcount(p1 & _WINDOW * start)
        more, lacked = two_of_suit(q1, q2, q3, suit, least - used)
        best, lacks = better(best, lacks, used + more, cards_lacked(start, p1) | lacked)
    return best, lacks


@jit
def solve_two_fours(p1, p2, bounds, least):
    """Two runs: cards used, and lacked; below `least` only that it is less. `bounds` as of `pair_bounds`."""
    starts, most = best_windows(p1)
    used, windows = best_suits(starts, most, 2)
    best, lacks = better(least - 1, _NONE, used, cards_lacked(windows, p1))
    suits = bounds + np.uint64(16 - best) * _SUITS >> 4 & _SUITS  # whose bound is `best` or more
    if suits:
        for suit in range(NUM_SUITS):
            if suits & _LANES[suit]:
                used, lacked = two_of_suit(p1, p2, _NONE, suit, best)
                best, lacks = better(best, lacks, used, lacked)
    return best, lacks


@jit
def solve_three_fours(p1, p2, p3):
    """Three runs: all of different suits, two of one suit, or all of one."""
    starts, most = best_windows(p1)
    best, windows = best_suits(starts, most, 3)
    lacks = cards_lacked(windows, p1)
    bounds = pair_bounds(p1, p2)
    for suit in range(NUM_SUITS):
        lane = _LANES[suit]
        other, windows = best_suits(starts & ~lane, most & ~lane, 1)
        if np.int64(bounds >> 16 * suit & 15) + other >= best:
            two, lacked = two_of_suit(p1, p2, p3, suit, best - other)
            best, lacks = better(best, lacks, two + other, lacked | cards_lacked(windows, p1))
        ranks = lane & _RANKS
        if popcount(p1 & ranks) + popcount(p2 & ranks) + popcount(p3 & ranks) >= best:
            three, lacked = three_of_suit(p1, p2, p3, suit, best)
            best, lacks = better(best, lacks, three, lacked)
    return best, lacks


# --- threes and runs ------------------------------------------------------------------------------


@jit
def solve_threes_and_four(counts, p1, threes):
    """Up to two threes beside one run, for all windows at once.

    `first3`, `first2` and `first1` are the windows that leave at least 3, 2 and 1 cards for a three,
    `second3` ... those that leave so many for another one too. A window in each of them uses a card.
    """
    first1, first2, first3 = _NONE, _NONE, _NONE
    second1, second2, second3 = _NONE, _NONE, _NONE
    for rank in range(NUM_RANKS):
        count = count_of(counts, rank)
        apart = ~windows_with(p1 & _RANK_BITS[rank])
        first1, second1 = mark(first1, second1, windows_leaving(1, count, apart))
        first2, second2 = mark(first2, second2, windows_leaving(2, count, apart))
        first3, second3 = mark(first3, second3, windows_leaving(3, count, apart))
        if count > 3:  # two threes of one rank
            first1, second1 = mark(first1, second1, windows_leaving(4, count, apart))
            first2, second2 = mark(first2, second2, windows_leaving(5, count, apart))
            first3, second3 = mark(first3, second3, windows_leaving(6, count, apart))
    last1, last2, last3 = second1, second2, second3
    if threes < 2:
        second1, second2, second3 = _NONE, _NONE, _NONE
        last1, last2, last3 = first1, first2, first3
    if threes < 1:
        first1, first2, first3 = _NONE, _NONE, _NONE
        last1, last2, last3 = _ALL, _ALL, _ALL
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
        if starts & digit:
            starts &= digit
            used += value
    lacks = cards_lacked(starts, p1)
    # A three lacks a card of each rank with as many cards beyond complete threes as the last three has.
    two_or_less, one_or_less, none = starts & ~last3, starts & ~last2, starts & ~last1
    if two_or_less:
        by_rest = (none, one_or_less, two_or_less)
        for rank in range(NUM_RANKS):
            count = count_of(counts, rank)
            touched = windows_with(p1 & _RANK_BITS[rank])
            lacking = by_rest[count % 3] & ~touched | by_rest[(count + 2) % 3] & touched
            lacks |= _RANK_BITS[rank] if lacking else _NONE
    return used, lacks


@jit
def windows_leaving(cards, count, apart):
    """The windows that leave so many of `count` cards of a rank, where those `apart` from it take none."""
    return _ALL if count > cards else apart if count == cards else _NONE


@jit
def mark(first, second, windows):
    """Mark windows in `first`, and those already marked there in `second`."""
    return first | windows, second | first & windows


@jit
def solve_three_and_two_fours(counts, p1, p2):
    """One three beside two runs: try the ranks, the fullest first, and solve runs with what is left."""
    bounds = pair_bounds(p1, p2)
    most, lacks = solve_two_fours(p1, p2, bounds, 0)
    best = most  # beside a three of a rank that is not held
    with_1, with_2, with_3 = _NONE, _NONE, _NONE  # the ranks with so many cards, or more
    for rank in range(NUM_RANKS):
        count, bit = count_of(counts, rank), _ONE << rank
        with_1 |= bit if count > 0 else _NONE
        with_2 |= bit if count > 1 else _NONE
        with_3 |= bit if count > 2 else _NONE
        lacks |= _RANK_BITS[rank] if count == 0 else _NONE
    for in_three, ranks in ((3, with_3), (2, with_2 & ~with_3), (1, with_1 & ~with_2)):
        if in_three + most < best:
            break
        while ranks:
            rank = popcount((ranks & -ranks) - _ONE)
            ranks &= ranks - _ONE
            count = count_of(counts, rank)
            best, lacks = two_fours_beside_three(rank, count, p1, p2, bounds, best, lacks)
    return best, lacks


@jit
def two_fours_beside_three(rank, count, p1, p2, bounds, best, lacks):
    """Runs from what a three of a rank with `count` cards leaves."""
    bits = _RANK_BITS[rank]
    in_three = min(count, 3)
    if count == 4:
        # One card is left for the runs: try which.
        for suit in range(NUM_SUITS):
            kept = p1 & _FACE_BITS[NUM_RANKS * suit + rank]
            if kept:
                gone = (p1 & ~kept | p2) & bits
                used, lacked = solve_two_fours(p1 & ~bits | kept, p2 & ~bits, bounds, best - in_three)
                lacked |= bits if lacked & gone else _NONE
                best, lacks = better(best, lacks, used + in_three, lacked)
        return best, lacks
    # With a card to spare for each run the three takes nothing away; with none it takes all.
    gone = p1 & bits if count <= 3 else _NONE
    used, lacked = solve_two_fours(p1 & ~gone, p2 & ~gone, bounds, best - in_three)
    # A card more completes the three, or frees one that a run lacks.
    lacked |= bits if count < 3 or lacked & gone else _NONE
    return better(best, lacks, used + in_three, lacked)
