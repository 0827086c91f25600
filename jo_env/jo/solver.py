"""How far a hand is from the goal: the least number of cards missing, and which faces are nearer.

Exact over all ways to share the hand out among disjoint groups, and quick enough to run at every
change of a hand (bits.py). Three facts keep the search small. A card that fits a run may as well be used
there: giving it to a three instead saves no card. Beside given runs the cheapest threes are best. And runs
of different suits never compete (runs.py). So we look for the runs, and the threes beside them, that use
most of the hand.
"""

import numpy as np

from jo_env.bits import mark_faces, popcount
from jo_env.cards import NUM_RANKS, NUM_SUITS
from jo_env.jit import jit
from jo_env.jo.bits import (
    LANES,
    NONE,
    RANK_LANE,
    STARTS,
    SUITS,
    cards_held,
    cards_in,
    full_add,
    lanes_of,
    of_ranks,
    pack_faces,
    planes,
    rank_counts,
    ranks_in,
    ranks_with_three,
    recount,
)
from jo_env.jo.runs import (
    better,
    solve_pair,
    solve_three_fours,
    solve_two_fours,
)

_ALL = ~NONE
_TOPS = np.uint64(0x8000_8000_8000_8000)  # the highest bit of every lane
_LOW = ~_TOPS  # a lane that holds a bit runs over when this is added
_INNER_STARTS = np.uint64(0x03FE_03FE_03FE_03FE)  # without the lowest and the highest
_TEN_STARTS = np.uint64(0x03FF_03FF_03FF_03FF)  # without the highest
_ALL_ACES = np.uint64(0x2001_2001_2001_2001)


@jit
def solve(hand, threes, fours, nearer):
    """The number of cards `hand` (copies of each face, int8[52]) lacks for the goal.

    Writes 1 into `nearer` (int8[52]) for each face of which one more copy makes that number smaller.
    """
    p1, p2, p3 = planes(hand)
    pair_used, pair_lacks = NONE, NONE
    if fours > 1:
        for suit in range(NUM_SUITS):
            pair_used, pair_lacks = solve_pair(p1, p2, suit, pair_used, pair_lacks)
    missing, lacks = solve_cards(p1, p2, p3, rank_counts(hand), pair_used, pair_lacks, threes, fours)
    mark_faces(pack_faces(lacks), nearer)
    return missing


@jit
def solve_changed(bits, hand, face, threes, fours, nearer):
    """`solve` for a hand that differs in one face from that of `bits`, a record with p1 ... pair_lacks."""
    p1, p2, p3, ranks = recount(bits, hand, face)
    pair_used, pair_lacks = bits.pair_used, bits.pair_lacks
    if fours > 1:
        pair_used, pair_lacks = solve_pair(p1, p2, face // NUM_RANKS, pair_used, pair_lacks)
    missing, lacks = solve_cards(p1, p2, p3, ranks, pair_used, pair_lacks, threes, fours)
    mark_faces(pack_faces(lacks), nearer)
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
        used, lacks = solve_two_fours(p1, p2, pair_used, pair_lacks, NONE, 0)
    return 3 * threes + 4 * fours - used, lacks


@jit
def rests(ranks):
    """The complete threes of all ranks (of one at most 3), and the ranks with 1 and 2 cards beyond those."""
    ones, twos = ranks & RANK_LANE, ranks >> 16 & RANK_LANE
    fours, eights = ranks >> 32 & RANK_LANE, ranks >> 48
    threes = popcount(ranks_with_three(ranks))
    threes += popcount(twos & fours | eights)
    threes += popcount((ones | twos | fours) & eights)
    # Modulo 3, the digits of value 1 and 4 add one, those of 2 and 8 take one away.
    up_1, up_2 = ones ^ fours, ones & fours
    down_1, down_2 = twos ^ eights, twos & eights
    up_0, down_0 = ~(ones | fours), ~(twos | eights)
    rest_1 = up_1 & down_0 | up_2 & down_1 | up_0 & down_2
    rest_2 = up_2 & down_0 | up_0 & down_1 | up_1 & down_2
    return threes, rest_1 & RANK_LANE, rest_2 & RANK_LANE


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
    lacks = rest_2 if two > 0 else NONE
    lacks = lacks | rest_1 | rest_2 if one > 0 else lacks
    lacks = RANK_LANE if three + two + one < threes else lacks
    return 3 * three + 2 * two + one, of_ranks(lacks)


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
    first3, first2, first1 = NONE, NONE, NONE
    second3, second2, second1 = NONE, NONE, NONE
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
    used, starts = 0, STARTS
    for value, digit in ((8, eights), (4, fours), (2, twos), (1, ones)):
        found = starts & digit
        used += value if found else 0
        starts = found if found else starts
    lacks = cards_in(starts) & ~p1
    # A three lacks a card of each rank with as many cards beyond complete threes as the last three has.
    two_or_less, one_or_less, none = starts & ~last3, starts & ~last2, starts & ~last1
    if two_or_less:
        rest_0 = RANK_LANE & ~(rest_1 | rest_2)
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
    windows = NONE
    windows = ~(ones | twos | fours) if number >= 0 else windows
    windows = ~(twos | fours) if number >= 1 else windows
    windows = ~(twos & ones | fours) if number >= 2 else windows
    windows = ~fours if number >= 3 else windows
    return _ALL if number >= 4 else windows


@jit
def ranks_taken(starts, p1):
    """The ranks of which one or more of the windows take a card."""
    return ranks_in(cards_in(starts) & p1)


@jit
def ranks_left(starts, p1):
    """The ranks of which one or more of the windows take no card."""
    lanes = lanes_of(starts + _LOW >> 15 & SUITS)
    # Below the highest window of a suit and above its lowest; its ace is left by all but the outer two.
    below = starts >> 1 & _TEN_STARTS
    for shift in (1, 2, 4, 2):
        below |= below >> shift & _TEN_STARTS
    above = ((starts | _TOPS - starts) & _TEN_STARTS) << 4
    aces = (starts & _INNER_STARTS) + _LOW >> 15 & SUITS
    return ranks_in(lanes & (~p1 | (below | above) & ~_ALL_ACES | aces))


@jit
def solve_three_and_two_fours(ranks, p1, p2, pair_used, pair_lacks):
    """One three beside two runs: try the ranks, the fullest first, and solve runs with what is left."""
    most, lacked_most = solve_two_fours(p1, p2, pair_used, pair_lacks, NONE, 0)
    ones, twos = ranks & RANK_LANE, ranks >> 16 & RANK_LANE
    fours, eights = ranks >> 32 & RANK_LANE, ranks >> 48
    with_5 = fours & (ones | twos) | eights  # the ranks with so many cards, or more
    with_4 = fours | eights
    with_3 = ranks_with_three(ranks)
    with_2 = twos | with_4
    with_1 = ones | with_2
    # Nothing is taken away by a three of a rank that is not held, or with a card to spare for each run.
    best, lacks = most, lacked_most | of_ranks(RANK_LANE & ~with_1)
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
                lacked |= cards if in_three < 3 or lacked & gone else NONE
            best, lacks = better(best, lacks, used + in_three, lacked)
    return best, lacks


@jit
def two_fours_beside_four(cards, p1, p2, pair_used, pair_lacks, least):
    """Runs beside a three of a rank with four cards: one of them is left for the runs; try which."""
    best, lacks = least - 1, NONE
    for suit in range(NUM_SUITS):
        kept = p1 & cards & LANES[suit]
        if kept:
            gone = (p1 & ~kept | p2) & cards
            used, lacked = solve_two_fours(
                p1 & ~cards | kept, p2 & ~cards, pair_used, pair_lacks, p1 & cards, best
            )
            lacked |= cards if lacked & gone else NONE
            best, lacks = better(best, lacks, used, lacked)
    return best, lacks
