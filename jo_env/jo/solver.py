"""How far a hand is from the goal: the least number of cards missing, and which faces are nearer.

Exact over all ways to share the hand out among disjoint groups, and quick enough to run at every
change of a hand. Cards are bits: each suit is a lane of 16 bits in one 64-bit word, with a bit for each
rank, the ace at bit 0 and again at bit 13. `p1`, `p2` and `p3` are the faces held at least once, twice
and three times. A run begins as one of 44 windows, four neighbouring ranks of a suit. A word can also
mean a set of windows, each marked at its first rank, so that a few operations count them all.

Three facts keep the search small. A card that fits a run may as well be used there: giving it to a
three instead saves no card. Beside given runs the cheapest threes are best. And runs of different
suits never compete.
"""

import numpy as np

from jo_env.cards import NUM_FACES, NUM_RANKS, NUM_SUITS
from jo_env.jit import jit

_LANES = np.array([0x3FFF << 16 * suit for suit in range(NUM_SUITS)])
_ACES = np.array([(1 | 1 << 13) << 16 * suit for suit in range(NUM_SUITS)])
_FACE_BITS = np.array(
    [(1 << rank | (rank == 0) << 13) << 16 * suit for suit in range(NUM_SUITS) for rank in range(NUM_RANKS)]
)
_RANK_BITS = _FACE_BITS.reshape(NUM_SUITS, NUM_RANKS).sum(0)
_ALL_SUITS = 0x3FFF_3FFF_3FFF_3FFF
_STARTS = 0x07FF_07FF_07FF_07FF  # the 11 windows of each suit
_RANKS = 0x1FFF_1FFF_1FFF_1FFF  # without the high aces
_FIRST_BITS = 0x0001_0001_0001_0001  # one bit for each suit
_FAR = 99


@jit
def solve(hand, threes, fours, nearer):
    """The number of cards `hand` (copies of each face, int8[52]) lacks for the goal.

    Writes 1 into `nearer` (int8[52]) for each face of which one more copy makes that number smaller.
    """
    counts = rank_counts(hand)
    if fours == 0:
        missing, lacks = solve_threes(counts, threes)
    else:
        p1, p2, p3 = planes(hand)
        if threes == 0:
            missing, lacks = solve_fours(p1, p2, p3, fours, _FAR)
        elif fours == 1:
            missing, lacks = solve_threes_and_four(counts, p1, threes)
        else:
            missing, lacks = solve_three_and_fours(counts, p1, p2, p3, fours)
    for face in range(NUM_FACES):
        nearer[face] = 1 if lacks & _FACE_BITS[face] else 0
    return missing


@jit
def planes(hand):
    """The faces held at least once, twice and three times."""
    p1, p2, p3 = 0, 0, 0
    for face in range(NUM_FACES):
        copies, bits = hand[face], _FACE_BITS[face]
        p1 |= bits if copies > 0 else 0
        p2 |= bits if copies > 1 else 0
        p3 |= bits if copies > 2 else 0
    return p1, p2, p3


@jit
def rank_counts(hand):
    """The cards of each rank, at most 15, four bits for each."""
    counts = 0
    for rank in range(NUM_RANKS):
        count = np.int64(hand[rank])
        for suit in range(1, NUM_SUITS):
            count += hand[NUM_RANKS * suit + rank]
        counts |= min(count, 15) << 4 * rank
    return counts


@jit
def rank_count(counts, rank):
    return counts >> 4 * rank & 15


# --- threes ---------------------------------------------------------------------------------------


@jit
def solve_threes(counts, threes):
    """Threes alone: each rank offers complete threes for nothing, then one for its 1 to 3 missing cards.

    (Further threes of that rank cost three cards, as any untouched rank does.)
    """
    free, one, two = 0, 0, 0
    for rank in range(NUM_RANKS):
        count = rank_count(counts, rank)
        free += count // 3
        one += count % 3 == 2
        two += count % 3 == 1
    free = min(free, threes)
    one = min(one, threes - free)
    two = min(two, threes - free - one)
    three = threes - free - one - two
    dearest = 3 if three > 0 else 2 if two > 0 else 1 if one > 0 else 0
    lacks = 0
    for rank in range(NUM_RANKS):
        lacks |= _RANK_BITS[rank] if 3 - rank_count(counts, rank) % 3 <= dearest else 0
    return one + 2 * two + 3 * three, lacks


# --- runs -----------------------------------------------------------------------------------------


@jit
def windows_with(cards):
    """The windows that one or more of the cards are in."""
    return (cards | cards >> 1 | cards >> 2 | cards >> 3) & _STARTS


@jit
def full_add(a, b, c):
    """Three bits added in every place: the sum's ones and twos."""
    return a ^ b ^ c, a & b | c & (a ^ b)


@jit
def cards_present(p1):
    """How many cards of each window are held, as binary digits: ones, twos and fours."""
    ones, twos = full_add(p1, p1 >> 1, p1 >> 2)
    last = p1 >> 3
    return (ones ^ last) & _STARTS, (twos ^ ones & last) & _STARTS, twos & ones & last & _STARTS


@jit
def windows_by_missing(p1):
    """The windows that lack 0, 1, 2, 3 and 4 cards."""
    ones, twos, fours = cards_present(p1)
    return fours, twos & ones, twos & ~ones, ones & ~twos, _STARTS & ~(ones | twos | fours)


@jit
def cards_lacked(starts, p1):
    """The cards that these windows lack."""
    return (starts | starts << 1 | starts << 2 | starts << 3) & ~p1


@jit
def cards_by_suit(cards):
    """How many cards each suit has, in its lane."""
    x = cards & _RANKS
    x = (x & 0x5555_5555_5555_5555) + (x >> 1 & 0x5555_5555_5555_5555)
    x = (x & 0x3333_3333_3333_3333) + (x >> 2 & 0x3333_3333_3333_3333)
    x = (x & 0x0F0F_0F0F_0F0F_0F0F) + (x >> 4 & 0x0F0F_0F0F_0F0F_0F0F)
    return (x & 0x00FF_00FF_00FF_00FF) + (x >> 8 & 0x00FF_00FF_00FF_00FF)


@jit
def cheapest_suits(windows, suits, runs):
    """The cheapest runs of different suits (lanes): cards lacked, and the windows that lack so few."""
    missing, starts = 0, 0
    for lack in range(5):
        found = windows[lack] & suits
        if found:
            starts |= found
            first_bits = found + _STARTS >> 11 & _FIRST_BITS  # of the suits found
            count = first_bits + (first_bits >> 32)
            count = count + (count >> 16) & 7
            missing += min(count, runs) * lack
            runs -= count
            if runs <= 0:
                break
            suits &= ~(first_bits * 0x3FFF)
    return missing, starts


@jit
def take_window(p1, p2, p3, window, suit):
    """The planes once a run has taken the cards of a window that are there."""
    used = p1 & window
    if used & _ACES[suit]:
        used |= _ACES[suit]  # one card, two bits
    return (p1 & ~used) | (p2 & used), (p2 & ~used) | (p3 & used), p3 & ~used


@jit
def two_of_suit(p1, p2, p3, windows, suit, most):
    """Two runs of one suit, which may overlap; past `most` only that they lack more.

    The fuller of the two is taken first, so that one lacks half of `most` or less.
    """
    best, lacks = most + 1, 0
    for missing in range(min(most // 2, 4) + 1):
        starts = windows[missing] & _LANES[suit]
        while starts:
            start = starts & -starts
            starts ^= start
            q1, _, _ = take_window(p1, p2, p3, 15 * start, suit)
            more, more_starts = cheapest_suits(windows_by_missing(q1), _LANES[suit], 1)
            lacked = cards_lacked(start, p1) | cards_lacked(more_starts, q1)
            best, lacks = better(best, lacks, missing + more, lacked)
    return best, lacks


@jit
def three_of_suit(p1, p2, p3, windows, suit, most):
    """Three runs of one suit, likewise."""
    best, lacks = most + 1, 0
    for missing in range(min(most // 3, 4) + 1):
        starts = windows[missing] & _LANES[suit]
        while starts:
            start = starts & -starts
            starts ^= start
            q1, q2, q3 = take_window(p1, p2, p3, 15 * start, suit)
            more, more_lacked = two_of_suit(q1, q2, q3, windows_by_missing(q1), suit, most - missing)
            best, lacks = better(best, lacks, missing + more, cards_lacked(start, p1) | more_lacked)
    return best, lacks


@jit
def better(best, lacks, missing, lacked):
    """Keep the smaller number; where equal, either way's missing cards are nearer."""
    if missing < best:
        return missing, lacked
    if missing == best:
        return best, lacks | lacked
    return best, lacks


@jit
def solve_fours(p1, p2, p3, fours, most):
    """The goal's runs: cards lacked, and which; past `most` only that they lack more."""
    windows = windows_by_missing(p1)
    best, starts = cheapest_suits(windows, _ALL_SUITS, fours)
    lacks = cards_lacked(starts, p1)
    if fours == 1:
        return best, lacks
    # Several runs of one suit, where it has the cards to make it worth while.
    best, lacks = better(most + 1, 0, best, lacks)
    held = cards_by_suit(p1) + cards_by_suit(p2) + cards_by_suit(p3)
    for suit in range(NUM_SUITS):
        cards = held >> 16 * suit & 0xFF
        other, other_starts = 0, 0
        if fours == 3:
            other, other_starts = cheapest_suits(windows, _ALL_SUITS & ~_LANES[suit], 1)
        if 8 - cards + other <= best:
            two, lacked = two_of_suit(p1, p2, p3, windows, suit, best - other)
            best, lacks = better(best, lacks, two + other, lacked | cards_lacked(other_starts, p1))
        if fours == 3 and 12 - cards <= best:
            three, lacked = three_of_suit(p1, p2, p3, windows, suit, best)
            best, lacks = better(best, lacks, three, lacked)
    return best, lacks


# --- threes and runs ------------------------------------------------------------------------------


@jit
def solve_threes_and_four(counts, p1, threes):
    """One or two threes beside one run, for all windows at once.

    `first0`, `first1` and `first2` are the windows that leave a three lacking no more than 0, 1 and 2
    cards, `second0` ... those that leave another such. The more of them a window is in, the better.
    """
    first0, first1, first2 = 0, 0, 0
    second0, second1, second2 = 0, 0, 0
    for rank in range(NUM_RANKS):
        count = rank_count(counts, rank)
        if count == 0:
            continue
        apart = ~windows_with(p1 & _RANK_BITS[rank])
        first2, second2 = add_window_set(first2, second2, leaving(1, count, apart))
        first1, second1 = add_window_set(first1, second1, leaving(2, count, apart))
        first0, second0 = add_window_set(first0, second0, leaving(3, count, apart))
        if count > 3:  # two threes of one rank
            first2, second2 = add_window_set(first2, second2, leaving(4, count, apart))
            first1, second1 = add_window_set(first1, second1, leaving(5, count, apart))
            first0, second0 = add_window_set(first0, second0, leaving(6, count, apart))
    if threes == 1:
        last0, last1, last2 = first0, first1, first2
        second0, second1, second2 = 0, 0, 0
    else:
        last0, last1, last2 = second0, second1, second2
    # Add up the cards used by each window and the threes beside it, and keep the windows that use most.
    ones, twos, fours = cards_present(p1)
    first_ones, first_twos = full_add(first0, first1, first2)
    second_ones, second_twos = full_add(second0, second1, second2)
    ones, carry = full_add(ones, first_ones, second_ones)
    twos, carry_1 = full_add(twos, first_twos, second_twos)
    twos, carry_2 = twos ^ carry, twos & carry
    fours, eights = full_add(fours, carry_1, carry_2)
    used, starts = 0, _STARTS
    used, starts = keep_marked(used, starts, eights, 8)
    used, starts = keep_marked(used, starts, fours, 4)
    used, starts = keep_marked(used, starts, twos, 2)
    used, starts = keep_marked(used, starts, ones, 1)
    lacks = cards_lacked(starts, p1)
    # A card more for a three, where the dearest three lacks no less than one of that rank.
    dear1, dear2, dear3 = starts & ~last0, starts & ~last1, starts & ~last2
    if dear1:
        dear = (dear3, dear2, dear1)  # by the cards beyond complete threes
        for rank in range(NUM_RANKS):
            count = rank_count(counts, rank)
            touched = windows_with(p1 & _RANK_BITS[rank])
            if dear[count % 3] & ~touched | dear[(count + 2) % 3] & touched:
                lacks |= _RANK_BITS[rank]
    return 3 * threes + 4 - used, lacks


@jit
def leaving(cards, count, apart):
    """The windows that leave so many cards of a rank with `count`; those `apart` from it take none."""
    return -1 if count > cards else apart if count == cards else 0


@jit
def add_window_set(first, second, windows):
    """Mark windows in `first`, and those already there in `second`."""
    return first | windows, second | (first & windows)


@jit
def keep_marked(used, starts, digit, value):
    """The windows with this binary digit of a number, if there are any; and the number so far."""
    if starts & digit:
        return used + value, starts & digit
    return used, starts


@jit
def solve_three_and_fours(counts, p1, p2, p3, fours):
    """One three beside two runs: try the ranks, the cheapest first, and solve runs with what is left."""
    least, least_lacks = solve_fours(p1, p2, p3, fours, _FAR)
    best, lacks = least + 3, least_lacks  # a three of a rank that is not held
    for rank in range(NUM_RANKS):
        if rank_count(counts, rank) == 0:
            lacks |= _RANK_BITS[rank]
    for cost in range(3):
        if cost + least > best:
            break
        for rank in range(NUM_RANKS):
            count = rank_count(counts, rank)
            if count > 0 and max(3 - count, 0) == cost:
                best, lacks = fours_beside_three(rank, count, p1, p2, p3, fours, best, lacks)
    return best, lacks


@jit
def fours_beside_three(rank, count, p1, p2, p3, fours, best, lacks):
    """Runs from what a three of a rank with `count` cards leaves."""
    bits = _RANK_BITS[rank]
    cost = max(3 - count, 0)
    if count == 4:
        # One card is left for the runs: try which.
        for suit in range(NUM_SUITS):
            kept = p1 & _FACE_BITS[NUM_RANKS * suit + rank]
            if kept:
                gone = (p1 & ~kept | p2) & bits
                missing, lacked = solve_fours(p1 & ~bits | kept, p2 & ~bits, p3 & ~bits, fours, best)
                best, lacks = better(best, lacks, missing, lacked | (bits if lacked & gone else 0))
        return best, lacks
    # With a card to spare for each run the three takes nothing away; with none it takes all.
    gone = p1 & bits if count <= 3 else 0
    missing, lacked = solve_fours(p1 & ~gone, p2 & ~gone, p3 & ~gone, fours, best - cost)
    if cost > 0 or lacked & gone:
        # A card more completes the three, or frees one that a run lacks.
        lacked |= bits
    return better(best, lacks, missing + cost, lacked)
