"""Runs alone: the cards of a hand that one, two or three of them use at best, and those they then lack.

Runs of different suits never compete, so the search is within the suits: two runs of each suit are solved
when its cards change (`solve_pair`) and kept in the lanes of `pair_used` and `pair_lacks`.
"""

import numpy as np

from jo_env.bits import popcount
from jo_env.cards import NUM_RANKS, NUM_SUITS
from jo_env.jit import jit
from jo_env.jo.bits import (
    LANE,
    LANES,
    NONE,
    ONE,
    RANK_LANE,
    STARTS,
    SUITS,
    WINDOW,
    cards_by_suit,
    cards_held,
    cards_in,
    lanes_of,
    windows_holding,
    windows_with,
)

_ACES = np.array([(1 | 1 << 13) << 16 * suit for suit in range(NUM_SUITS)], np.uint64)


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
def better(best, lacks, used, lacked):
    """Keep the greater number of cards used; where equal, the cards that either way lacks are nearer."""
    if used > best:
        return used, lacked
    if used == best:
        return best, lacks | lacked
    return best, lacks


@jit
def best_windows(p1):
    """In the lane of each suit: its windows that hold most cards, and how many they hold."""
    ones, twos, fours = cards_held(p1)
    starts, most = STARTS, NONE
    starts, most = keep_marked(starts, most, fours, 2)
    starts, most = keep_marked(starts, most, twos, 1)
    return keep_marked(starts, most, ones, 0)


@jit
def keep_marked(starts, number, digit, place):
    """In every suit: the windows with this binary digit of a number, if there are any; the number so far."""
    found = starts & digit
    suits = found + STARTS >> 11 & SUITS
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
    suits = most + np.uint64(8 - last) * SUITS >> 3 & SUITS  # those that hold `last` cards or more
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
    p1, p2 = p1 >> 16 * suit & LANE, p2 >> 16 * suit & LANE
    pair = np.uint64(_PAIRS[p1 & RANK_LANE])
    best, lacks = np.int64(pair >> 16), pair & LANE
    # Runs that share a face held twice use more than that. The fuller of the two is taken first, so that
    # one holds half of what counts or more.
    starts = windows_with(p2) & windows_holding(p1, (max(best, least) + 1) // 2)
    while starts:
        start = starts & -starts
        starts ^= start
        q1, _, _ = take_window(p1, p2, NONE, WINDOW * start, 0)
        others, most = best_windows(q1)
        used = popcount(p1 & WINDOW * start) + np.int64(most & 7)
        lacked = cards_in(start) & ~p1 | cards_in(others & LANE) & ~q1
        best, lacks = better(best, lacks, used, lacked)
    return best, lacks << 16 * suit


@jit
def solve_pair(p1, p2, suit, pair_used, pair_lacks):
    """Write what two runs make of one suit into its lane of `pair_used` and `pair_lacks`."""
    used, lacks = two_of_suit(p1, p2, suit, 0)
    lane = LANES[suit]
    return pair_used & ~lane | np.uint64(used) << 16 * suit, pair_lacks & ~lane | lacks


@jit
def three_of_suit(p1, p2, p3, suit, least):
    """Three runs of one suit, likewise: the fullest first."""
    best, lacks = least - 1, NONE
    starts = windows_holding(p1, (least + 2) // 3) & LANES[suit]
    while starts:
        start = starts & -starts
        starts ^= start
        q1, q2, _ = take_window(p1, p2, p3, WINDOW * start, suit)
        used = popcount(p1 & WINDOW * start)
        more, lacked = two_of_suit(q1, q2, suit, least - used)
        best, lacks = better(best, lacks, used + more, cards_in(start) & ~p1 | lacked)
    return best, lacks


@jit
def suits_with(numbers, least):
    """The suits with such a number in their lane, or a greater one."""
    return numbers + np.uint64(32 - least) * SUITS >> 5 & SUITS


@jit
def solve_two_fours(p1, p2, pair_used, pair_lacks, changed, least):
    """Two runs: cards used, and lacked; below `least` only that it is less.

    In the suits marked in `changed` cards are gone since the pairs were solved.
    """
    starts, most = best_windows(p1)
    used, _, windows = best_suits(starts, most, 2)
    best, lacks = better(least - 1, NONE, used, cards_in(windows) & ~p1)
    suits = suits_with(pair_used, best)
    while suits:
        low = suits & -suits
        suits ^= low
        lane = lanes_of(low)
        if changed & lane:
            used, lacked = two_of_suit(p1, p2, int(popcount(low - ONE)) // 16, best)
        else:
            used, lacked = np.int64((pair_used & lane) * SUITS >> 48), pair_lacks & lane
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
        suits &= suits - ONE
        other, _, windows = best_suits(starts & ~lane, most & ~lane, 1)
        two = (pair_used & lane) * SUITS >> 48  # its lane, moved to the top
        best, lacks = better(best, lacks, np.int64(two) + other, pair_lacks & lane | cards_in(windows) & ~p1)
    suits = suits_with(cards_by_suit(p1, p2, p3), best)
    if suits:
        for suit in range(NUM_SUITS):
            if suits & LANES[suit]:
                three, lacked = three_of_suit(p1, p2, p3, suit, best)
                best, lacks = better(best, lacks, three, lacked)
    return best, lacks
