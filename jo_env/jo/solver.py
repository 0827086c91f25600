"""How far a hand is from the goal: the least number of cards missing, and which faces are nearer.

Exact over all ways to share the hand out among disjoint groups, and quick enough to run at every
change of a hand. Suits are 16-bit lanes of one 64-bit word with a bit for each rank, the ace at bit 0
and again at bit 13, so that all 44 windows of four ranks are counted at once. `p1`, `p2` and `p3` mark
the faces held at least once, twice and three times.

Two facts keep the search small. A card that fits a run may as well be used there: giving it to a three
instead saves no card. And runs of different suits never compete, so runs are solved suit by suit.
"""

import numpy as np

from jo_env.cards import NUM_FACES, NUM_RANKS, NUM_SUITS
from jo_env.jit import jit

_ONE = np.uint64(1)
_TWO = np.uint64(2)
_THREE = np.uint64(3)
_LANE = np.uint64(16)
_EMPTY = np.uint64(0)
_STARTS = np.uint64(0x07FF_07FF_07FF_07FF)
_RANKS = np.uint64(0x1FFF_1FFF_1FFF_1FFF)
_LANES = np.array([0xFFFF << (16 * suit) for suit in range(NUM_SUITS)], np.uint64)
_ACES = np.array([(1 << 0 | 1 << 13) << (16 * suit) for suit in range(NUM_SUITS)], np.uint64)
_WINDOWS = np.array([[0xF << (16 * s + start) for start in range(11)] for s in range(4)], np.uint64)
_FACE_BITS = np.array(
    [(1 << r | (1 << 13 if r == 0 else 0)) << (16 * s) for s in range(4) for r in range(13)], np.uint64
)
_RANK_BITS = np.array([sum(int(_FACE_BITS[13 * s + r]) for s in range(4)) for r in range(13)], np.uint64)
_FAR = 99


@jit
def solve(hand, threes, fours, nearer):
    """The number of cards `hand` (copies of each face, int8[52]) lacks for the goal.

    Writes 1 into `nearer` (int8[52]) for each face of which one more copy makes that number smaller.
    """
    if fours == 0:
        return solve_threes(hand, threes, nearer)
    p1, p2, p3 = planes(hand)
    if threes == 0:
        missing, lacks = solve_fours(p1, p2, p3, fours)
    else:
        missing, lacks = solve_both(hand, p1, p2, p3, threes, fours)
    for face in range(NUM_FACES):
        nearer[face] = (lacks & _FACE_BITS[face]) != 0
    return missing


@jit
def planes(hand):
    """The faces held at least once, twice and three times, as lanes."""
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
    return hand[rank] + hand[NUM_RANKS + rank] + hand[2 * NUM_RANKS + rank] + hand[3 * NUM_RANKS + rank]


@jit
def solve_threes(hand, threes, nearer):
    """Threes alone: each rank offers complete threes for nothing, then one for its 1 to 3 missing cards.

    (Further threes of that rank cost three cards, as any untouched rank does.)
    """
    free, one, two = 0, 0, 0
    for rank in range(NUM_RANKS):
        count = rank_count(hand, rank)
        free += count // 3
        one += count % 3 == 2
        two += count % 3 == 1
    free = min(free, threes)
    one = min(one, threes - free)
    two = min(two, threes - free - one)
    three = threes - free - one - two
    dearest = 3 if three > 0 else 2 if two > 0 else 1 if one > 0 else 0
    for rank in range(NUM_RANKS):
        is_nearer = 3 - rank_count(hand, rank) % 3 <= dearest
        for suit in range(NUM_SUITS):
            nearer[NUM_RANKS * suit + rank] = is_nearer
    return one + 2 * two + 3 * three


# --- runs -----------------------------------------------------------------------------------------


@jit
def best_windows(p1):
    """The fewest cards a window of `p1` lacks, and the starts of the windows that lack so few."""
    b, c, d = p1 >> _ONE, p1 >> _TWO, p1 >> _THREE
    x, y = p1 ^ b, c ^ d
    both_x, both_y = p1 & b, c & d
    odd = x ^ y  # bit 0 of the number of cards present in each window, bit-sliced
    pair = both_x ^ both_y ^ (x & y)  # bit 1
    found = both_x & both_y & _STARTS
    if found:
        return 0, found
    found = pair & odd & _STARTS
    if found:
        return 1, found
    found = pair & _STARTS
    if found:
        return 2, found
    found = odd & _STARTS
    if found:
        return 3, found
    return 4, _STARTS


@jit
def cards_lacked(starts, p1):
    """The cards that the windows at these starts lack."""
    return (starts | starts << _ONE | starts << _TWO | starts << _THREE) & ~p1


@jit
def best_run(p1, suit):
    """The best single run of one suit: cards lacked, and which."""
    lane = _LANES[suit]
    missing, starts = best_windows(p1 & lane)
    starts &= lane
    return missing, cards_lacked(starts, p1)


@jit
def take_window(p1, p2, p3, window, suit):
    """The planes once a run has taken the cards of a window that are there."""
    used = p1 & window
    if used & _ACES[suit]:
        used |= _ACES[suit]  # one card, two bits
    return (p1 & ~used) | (p2 & used), (p2 & ~used) | (p3 & used), p3 & ~used


@jit
def popcount(x):
    x = x - ((x >> _ONE) & np.uint64(0x5555555555555555))
    x = (x & np.uint64(0x3333333333333333)) + ((x >> _TWO) & np.uint64(0x3333333333333333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((x * np.uint64(0x0101010101010101)) >> np.uint64(56))


@jit
def same_suit_runs(p1, p2, p3, suit, runs):
    """Two or three runs of one suit, which may overlap."""
    best, lacks = _FAR, _EMPTY
    for i in range(len(_WINDOWS[suit])):
        window = _WINDOWS[suit, i]
        lacked = window & ~p1
        q1, q2, q3 = take_window(p1, p2, p3, window, suit)
        missing = popcount(lacked)
        if missing >= best:
            continue
        if runs == 2:
            more, more_lacked = best_run(q1, suit)
            best, lacks = better(best, lacks, missing + more, lacked | more_lacked)
            continue
        for j in range(i, len(_WINDOWS[suit])):
            second = _WINDOWS[suit, j]
            r1, _, _ = take_window(q1, q2, q3, second, suit)
            more, more_lacked = best_run(r1, suit)
            more += popcount(second & ~q1)
            best, lacks = better(best, lacks, missing + more, lacked | (second & ~q1) | more_lacked)
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
def solve_fours(p1, p2, p3, fours):
    """The goal's runs: cards lacked, and which."""
    if fours == 1:
        missing, starts = best_windows(p1)
        return missing, cards_lacked(starts, p1)
    m0, l0 = best_run(p1, 0)
    m1, l1 = best_run(p1, 1)
    m2, l2 = best_run(p1, 2)
    m3, l3 = best_run(p1, 3)
    m = (m0, m1, m2, m3)
    lacked = (l0, l1, l2, l3)
    best, lacks = _FAR, _EMPTY
    for a in range(NUM_SUITS):
        for b in range(a):
            if fours == 2:
                best, lacks = better(best, lacks, m[a] + m[b], lacked[a] | lacked[b])
            else:
                for c in range(b):
                    best, lacks = better(best, lacks, m[a] + m[b] + m[c], lacked[a] | lacked[b] | lacked[c])
    # Several runs of one suit, where the cards of that suit could make it worth while.
    nearest = min(min(m0, m1), min(m2, m3))
    for suit in range(NUM_SUITS):
        lane = _LANES[suit] & _RANKS
        held = popcount(p1 & lane) + popcount(p2 & lane) + popcount(p3 & lane)
        least_two = max(2 * m[suit], 8 - held)
        if fours == 2:
            if least_two <= best:
                two, two_lacked = same_suit_runs(p1, p2, p3, suit, 2)
                best, lacks = better(best, lacks, two, two_lacked)
            continue
        if least_two + nearest <= best:
            two, two_lacked = same_suit_runs(p1, p2, p3, suit, 2)
            for other in range(NUM_SUITS):
                if other != suit:
                    best, lacks = better(best, lacks, two + m[other], two_lacked | lacked[other])
        if max(3 * m[suit], 12 - held) <= best:
            three, three_lacked = same_suit_runs(p1, p2, p3, suit, 3)
            best, lacks = better(best, lacks, three, three_lacked)
    return best, lacks


# --- threes and runs ------------------------------------------------------------------------------


@jit
def solve_both(hand, p1, p2, p3, threes, fours):
    """One or two threes beside runs: try the ranks of the threes, solve runs with what they leave."""
    least, _ = solve_fours(p1, p2, p3, fours)
    best, lacks = _FAR, _EMPTY
    for cost in range(3 * threes + 1):  # the cheapest threes first, to prune early
        if cost + least > best:
            break
        for a in range(NUM_RANKS):
            if threes == 1:
                count = rank_count(hand, a)
                if max(3 - count, 0) == cost:
                    best, lacks = runs_beside(hand, p1, p2, p3, fours, a, a, 3, cost, best, lacks)
                continue
            count = rank_count(hand, a)
            if max(6 - count, 0) == cost:
                best, lacks = runs_beside(hand, p1, p2, p3, fours, a, a, 6, cost, best, lacks)
            for b in range(a):
                if max(3 - count, 0) + max(3 - rank_count(hand, b), 0) == cost:
                    best, lacks = runs_beside(hand, p1, p2, p3, fours, a, b, 3, cost, best, lacks)
    return best, lacks


@jit
def runs_beside(hand, p1, p2, p3, fours, a, b, need, cost, best, lacks):
    """Runs from what threes of ranks `a` and `b` (perhaps the same), `need` cards a rank, leave."""
    spare_a = rank_count(hand, a) - need
    spare_b = rank_count(hand, b) - need
    if a == b and fours == 2 and spare_a == 1:
        # One card is left for two runs: try which.
        for suit in range(NUM_SUITS):
            kept = p1 & _FACE_BITS[NUM_RANKS * suit + a]
            if kept:
                gone = _RANK_BITS[a]
                missing, lacked = solve_fours((p1 & ~gone) | kept, p2 & ~gone, p3 & ~gone, fours)
                lacked = widen(lacked, p1 & gone & ~kept, a)
                best, lacks = better(best, lacks, missing + cost, lacked)
        return best, lacks
    # With a spare card for each run the threes take nothing away; with none they take all.
    gone = _EMPTY
    if spare_a <= 0:
        gone |= _RANK_BITS[a]
    if spare_b <= 0:
        gone |= _RANK_BITS[b]
    missing, lacked = solve_fours(p1 & ~gone, p2 & ~gone, p3 & ~gone, fours)
    lacked = widen(lacked, p1 & gone, a)
    lacked = widen(lacked, p1 & gone, b)
    if spare_a < 0:
        lacked |= _RANK_BITS[a]
    if spare_b < 0:
        lacked |= _RANK_BITS[b]
    return better(best, lacks, missing + cost, lacked)


@jit
def widen(lacked, gone, rank):
    """A run that lacks a card its hand gave to a three may have it, and the three lack any of its rank."""
    if lacked & gone & _RANK_BITS[rank]:
        return lacked | _RANK_BITS[rank]
    return lacked
