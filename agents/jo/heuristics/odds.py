"""How likely a hand is to reach its goal in time.

A *plan* is one way to make the goal: a rank for each three, a window of four ranks for each four, and
so the cards it still lacks. `find_plans` lists the plans of a hand that lack the fewest cards (level 0)
and one more (level 1); plans that lack the same cards are one. From them `chance` estimates the chance
that some plan is complete before the hand ends.

Faces are bits of a 64-bit word as in the solver: a lane of 16 bits a suit, here with one bit for the
ace (bit 0) unless stated otherwise.
"""

import numpy as np

from jo_env.bits import popcount
from jo_env.cards import NUM_FACES, NUM_RANKS
from jo_env.jit import jit
from jo_env.jo.bits import planes, rank_count
from jo_env.jo.runs import take_window
from jo_env.jo.state import MAX_DECKS
from jo_env.records import record

MAX_PLANS = 384  # kept of each level
TABLE_SIZE = 1024  # slots of the hash table that finds equal plans
NUM_LEVELS = 2

ODDS = record(
    ("hand", np.int8, NUM_FACES),
    ("padding", np.int8, 4),
    ("outs", np.float64, NUM_FACES),  # unseen copies of each face
    ("rank_outs", np.float64, NUM_RANKS),
    ("out_planes", np.uint64, MAX_DECKS),  # faces of which more than i copies are unseen
    ("unseen", np.float64),  # cards whose place is not known
    ("rest", np.float64),  # unseen cards for every card that the seat may still hope for
    ("slack", np.float64),  # weight of plans that lack a card more
    ("missing", np.int64),  # cards that the plans of level 0 lack
    ("num_plans", np.int64, NUM_LEVELS),
    ("lacked", np.uint64, (NUM_LEVELS, MAX_PLANS)),  # faces a plan lacks, every suit of a three's rank
    ("lacked_ranks", np.uint64, (NUM_LEVELS, MAX_PLANS)),  # ranks its threes lack, a bit each
    ("critical", np.uint64, (NUM_LEVELS, MAX_PLANS)),  # faces of which a plan needs every copy held
    ("ways", np.float64, (NUM_LEVELS, MAX_PLANS)),  # sets of unseen cards that complete the plan
    ("table", np.int16, (NUM_LEVELS, TABLE_SIZE)),  # plan + 1 by hash of `lacked`
    # One row a window of four ranks:
    ("is_open", np.int8, 44),  # could be completed
    ("window_missing", np.int64, 44),
    ("window_lacked", np.uint64, 44),
    ("window_ways", np.float64, 44),
    ("window_ranks", np.uint64, 44),  # cards of each rank it uses, 4 bits a rank
    ("near_windows", np.int64, 44),
    ("beside_face", np.uint64, 64),  # by bit: the cards that complete a goal which lacks two, once it comes
    ("beside_rank", np.uint64, NUM_RANKS),
)

_ZERO, _ONE, _FOUR, _FIFTEEN = np.uint64(0), np.uint64(1), np.uint64(4), np.uint64(15)
_HIGH_ACE = np.uint64(13)
_RANKS = np.uint64(0x1FFF_1FFF_1FFF_1FFF)
_LOW_ACES = np.uint64(0x0001_0001_0001_0001)
_FACE_BIT = np.array([1 << (16 * (f // 13) + f % 13) for f in range(NUM_FACES)], np.uint64)
_RANK_BITS = np.array([0x0001_0001_0001_0001 << r for r in range(NUM_RANKS)], np.uint64)
# The 44 windows, 11 a suit, as bits where the ace is bit 0 and bit 13.
_WINDOW = np.array([0xF << (16 * s + start) for s in range(4) for start in range(11)], np.uint64)
_WINDOW_FACES = np.array(
    [[13 * s + (start + i) % 13 for i in range(4)] for s in range(4) for start in range(11)], np.int64
)
_NUM_WINDOWS = 44
_PER_SUIT = 11
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(54)
_FACTORIAL = np.array([1.0, 1, 2, 6, 24, 120, 720, 5040, 40320, 362880, 3628800, 39916800, 479001600])


@jit
def smallest_down(view):
    """Cards in the smallest hand of the other seats that are down, or -1."""
    smallest = -1
    for r in range(1, view.num_seats):
        if view.seats[r].down and (smallest < 0 or view.seats[r].hand_size < smallest):
            smallest = view.seats[r].hand_size
    return smallest


@jit
def cards_hoped_for(view, w):
    smallest = smallest_down(view)
    if smallest >= 0:
        return w.hope_down + w.hope_down_card * smallest
    own_turns = view.turns // view.num_seats
    return max(w.hope + w.hope_four * view.table.fours - w.hope_decay * own_turns, w.hope_least)


@jit
def survey(view, w, odds):
    """List the plans of the hand in view, and note what `chance` goes by; `w` are weights of the planner."""
    count_outs(view, odds)
    odds.hand[:] = view.own.hand
    find_plans(odds, view.own.missing, view.table.threes, view.table.fours)
    odds.rest = odds.unseen / cards_hoped_for(view, w)
    odds.slack = w.slack


@jit
def gain_card(view, odds, face):
    """List the plans with one more card of this face in hand."""
    odds.hand[face] += 1
    find_plans(odds, view.own.missing - view.own.nearer[face], view.table.threes, view.table.fours)


@jit
def chance_after_draw(odds):
    """The chance with one card from the stock more."""
    return chance(odds, -1) * (1 + odds.rest / odds.unseen)


@jit
def chance_after_discard(view, odds, kept):
    """The chance that the best discard leaves, where the card `kept` must stay."""
    critical = critical_faces(odds)
    best = 0.0
    for face in range(NUM_FACES):
        if view.own.hand[face] > 0 and face != kept:
            best = max(best, chance(odds, face))
            if not has_face(critical, face):
                break  # no plan needs it, so no other discard leaves more
    return best


@jit
def count_outs(view, odds):
    """Count the cards to come: those unseen, and the pile's where it is about to be the stock again."""
    with_pile = view.stock_size < 2 * view.num_seats
    odds.rank_outs[:] = 0
    odds.out_planes[:] = 0
    odds.unseen = 0
    for face in range(NUM_FACES):
        copies = view.unseen[face] + (view.table.pile[face] if with_pile else 0)
        odds.outs[face] = copies
        odds.rank_outs[face % NUM_RANKS] += copies
        odds.unseen += copies
        for i in range(copies):
            odds.out_planes[i] |= _FACE_BIT[face]
    odds.unseen = max(odds.unseen, 1)


@jit
def one_ace(bits):
    """The same faces with the ace as bit 0 alone."""
    return (bits | ((bits >> _HIGH_ACE) & _LOW_ACES)) & _RANKS


@jit
def find_plans(odds, missing, threes, fours):
    """List the plans of `odds.hand`, which lacks `missing` cards for its goal (as the solver counts).

    Where no plan of either level can be completed any more, the levels move up.
    """
    odds.missing = missing
    while True:
        odds.num_plans[:] = 0
        odds.table[:] = 0
        list_plans(odds, threes, fours)
        if odds.num_plans[0] + odds.num_plans[1] > 0 or odds.missing >= 3 * threes + 4 * fours:
            return
        odds.missing += 1


@jit
def list_windows(odds, p1):
    """Note for each window alone what it lacks of the faces `p1`."""
    for w in range(_NUM_WINDOWS):
        missing, lacked, ways, ranks = fill_window(odds, p1, w, _ZERO)
        odds.is_open[w] = ways > 0
        odds.window_missing[w] = missing
        odds.window_lacked[w] = lacked
        odds.window_ways[w] = ways
        odds.window_ranks[w] = ranks


@jit
def list_plans(odds, threes, fours):
    """Every choice of windows, and beside each every choice of ranks."""
    most = odds.missing + 1
    counts = _ZERO  # held of each rank, 4 bits a rank
    for rank in range(NUM_RANKS):
        held = np.uint64(min(rank_count(odds.hand, rank), 15))
        counts |= held << (_FOUR * np.uint64(rank))
    if fours == 0:
        list_threes(odds, threes, counts, 0, _ZERO, _ZERO, 1.0)
        return
    p1, p2, p3 = planes(odds.hand)
    list_windows(odds, p1)
    least = 4
    for w in range(_NUM_WINDOWS):
        if odds.is_open[w]:
            least = min(least, odds.window_missing[w])
    # Windows that lack too much for any plan are left out, also where other windows overlap them.
    near = odds.near_windows
    num_near = 0
    for w in range(_NUM_WINDOWS):
        if odds.window_missing[w] + least * (fours - 1) <= most:
            near[num_near] = w
            num_near += 1
    for i in range(num_near):
        a = near[i]
        if not odds.is_open[a]:
            continue
        missing_a, lacked_a, ways_a = odds.window_missing[a], odds.window_lacked[a], odds.window_ways[a]
        suit_a = a // _PER_SUIT
        a1, a2, a3 = take_window(p1, p2, p3, _WINDOW[a], suit_a)
        ranks_a = counts - odds.window_ranks[a]
        if fours == 1:
            list_threes(odds, threes, ranks_a, missing_a, lacked_a, one_ace(p1 & ~a1), ways_a)
            continue
        for j in range(i, num_near):
            b = near[j]
            suit_b = b // _PER_SUIT
            if missing_a + odds.window_missing[b] + least * (fours - 2) > most:
                continue
            if suit_b == suit_a and b < a + 4:  # they overlap: the second makes do with what is left
                missing_b, lacked_b, ways_b, ranks_b = fill_window(odds, a1, b, lacked_a)
            else:
                missing_b, lacked_b = odds.window_missing[b], odds.window_lacked[b]
                ways_b, ranks_b = odds.window_ways[b], odds.window_ranks[b]
            missing_ab = missing_a + missing_b
            if missing_ab + least * (fours - 2) > most or ways_b == 0:
                continue
            lacked_ab = lacked_a | lacked_b
            ways_ab = ways_a * ways_b
            b1, b2, b3 = take_window(a1, a2, a3, _WINDOW[b], suit_b)
            if fours == 2:
                list_threes(
                    odds, threes, ranks_a - ranks_b, missing_ab, lacked_ab, one_ace(p1 & ~b1), ways_ab
                )
                continue
            for k in range(j, num_near):
                c = near[k]
                suit_c = c // _PER_SUIT
                if missing_ab + odds.window_missing[c] > most:
                    continue
                if suit_c == suit_b and (c < b + 4 or (suit_c == suit_a and c < a + 4)):
                    missing_c, lacked_c, ways_c, _ = fill_window(odds, b1, c, lacked_ab)
                else:
                    missing_c, lacked_c = odds.window_missing[c], odds.window_lacked[c]
                    ways_c = odds.window_ways[c]
                missing_abc = missing_ab + missing_c
                if missing_abc > most or ways_c == 0:
                    continue
                c1, _, _ = take_window(b1, b2, b3, _WINDOW[c], suit_c)
                add_plan(odds, missing_abc, lacked_ab | lacked_c, _ZERO, one_ace(p1 & ~c1), ways_ab * ways_c)


@jit
def fill_window(odds, left, w, lacked_before):
    """A window that may only use the faces `left`, where other windows lack `lacked_before` already."""
    missing = 0
    ways = 1.0
    lacked = _ZERO
    ranks = _ZERO
    for i in range(4):
        face = _WINDOW_FACES[w, i]
        bit = _FACE_BIT[face]
        if left & bit:
            ranks += _ONE << (_FOUR * np.uint64(face % NUM_RANKS))
        else:
            missing += 1
            # Two cards of one face: pairs, not products.
            ways *= max(odds.outs[face] - 1, 0) / 2 if lacked_before & bit else odds.outs[face]
            lacked |= bit
    return missing, lacked, ways, ranks


@jit
def list_threes(odds, threes, counts, missing, lacked, critical, ways):
    """Beside the windows chosen, every choice of `threes` ranks from the cards left, `counts`."""
    if threes == 0:
        add_plan(odds, missing, lacked, _ZERO, critical, ways)
        return
    most = odds.missing + 1 - missing
    for a in range(NUM_RANKS):
        need_a, ranks_a, critical_a, ways_a = three_of(odds, counts, a, 3)
        critical_a |= critical
        ways_a *= ways
        if need_a > most or ways_a == 0:
            continue
        if threes == 1:
            add_plan(odds, missing + need_a, lacked, ranks_a, critical_a, ways_a)
            continue
        for b in range(a, NUM_RANKS):
            if b == a:
                need_b, ranks_b, critical_b, ways_b = three_of(odds, counts, a, 6)
                need_b -= need_a
                ways_b *= ways
            else:
                need_b, ranks_b, critical_b, ways_b = three_of(odds, counts, b, 3)
                ways_b *= ways_a
            if need_a + need_b > most or ways_b == 0:
                continue
            ranks_b |= ranks_a
            critical_b |= critical_a
            if threes == 2:
                add_plan(odds, missing + need_a + need_b, lacked, ranks_b, critical_b, ways_b)
                continue
            for c in range(b + 1, NUM_RANKS):  # a rank twice must come first: enough, as it is rare
                need_c, ranks_c, critical_c, ways_c = three_of(odds, counts, c, 3)
                if need_a + need_b + need_c > most or ways_c == 0:
                    continue
                need_c += missing + need_a + need_b
                add_plan(odds, need_c, lacked, ranks_b | ranks_c, critical_b | critical_c, ways_b * ways_c)


@jit
def three_of(odds, counts, rank, size):
    """Of three cards of a rank (or six): how many are lacked, the rank if any, what is critical, ways."""
    held = np.int64((counts >> (_FOUR * np.uint64(rank))) & _FIFTEEN)
    need = size - held
    if need < 0:
        return 0, _ZERO, _ZERO, 1.0
    if need == 0:
        return 0, _ZERO, _RANK_BITS[rank], 1.0
    outs = odds.rank_outs[rank]
    ways = outs
    for i in range(1, need):
        ways *= (outs - i) / (i + 1)
    return need, _ONE << np.uint64(rank), _RANK_BITS[rank], max(ways, 0.0)


@jit
def add_plan(odds, missing, lacked_faces, lacked_ranks, critical, ways):
    """Keep a plan; of plans that lack the same, only what all of them need is critical."""
    level = missing - odds.missing
    if level < 0 or level > 1:
        return
    lacked = lacked_faces
    rest = lacked_ranks
    while rest:
        rank, rest = lowest(rest)
        lacked |= _RANK_BITS[rank]
    table = odds.table[level]
    slot = np.int64((lacked * _MULTIPLIER) >> _SHIFT)
    while table[slot] > 0:
        i = table[slot] - 1
        if odds.lacked[level, i] == lacked:
            odds.critical[level, i] &= critical
            odds.ways[level, i] = max(odds.ways[level, i], ways)
            return
        slot = (slot + 1) % TABLE_SIZE
    i = odds.num_plans[level]
    if i < MAX_PLANS:
        table[slot] = i + 1
        odds.lacked[level, i] = lacked
        odds.lacked_ranks[level, i] = lacked_ranks
        odds.critical[level, i] = critical
        odds.ways[level, i] = ways
        odds.num_plans[level] = i + 1


@jit
def lowest(bits):
    """The number of the lowest bit, and the other bits."""
    others = bits & (bits - _ONE)
    return popcount((bits ^ others) - _ONE), others


@jit
def has_face(bits, face):
    return bits & _FACE_BIT[face] != _ZERO


@jit
def critical_faces(odds):
    """Faces that some plan cannot spare."""
    faces = _ZERO
    for level in range(NUM_LEVELS):
        for i in range(odds.num_plans[level]):
            faces |= odds.critical[level, i]
    return faces


@jit
def is_lacked(odds, face):
    """Whether some plan waits for this face."""
    for level in range(NUM_LEVELS):
        for i in range(odds.num_plans[level]):
            if has_face(odds.lacked[level, i], face):
                return True
    return False


@jit
def count_cards(odds, faces):
    """Unseen cards of these faces."""
    cards = 0
    for i in range(len(odds.out_planes)):
        if odds.out_planes[i] == _ZERO:
            break
        cards += popcount(faces & odds.out_planes[i])
    return float(cards)


@jit
def in_time(cards, rest):
    """The chance that one of these cards comes before the hand ends."""
    return cards / (cards + rest)


@jit
def after_first(missing, ways, first, rest):
    """The chance that a plan is completed once the first of its `missing` cards has come.

    `first` unseen cards bring some plan nearer, `ways` sets of `missing` cards complete one. The numbers
    that help after the first card are taken as equal, so that the orders in which plans can be completed
    come out right: first * x ** (missing - 1) = missing! * ways.
    """
    if missing <= 1:
        return 1.0
    x = (_FACTORIAL[missing] * ways / first) ** (1.0 / (missing - 1))
    return in_time(x, rest) ** (missing - 1)


@jit
def chance(odds, thrown):
    """The chance of `odds.hand`, without one card of face `thrown` (-1: none), to reach its goal in time.

    Cards come one at a time, and the hand may end before each, so that one of x cards comes in time with
    chance x / (x + odds.rest). Cards that help are those of level 0, after which one card fewer is missing,
    and those of level 1, after which there are more plans; `odds.slack` weighs what level 1 adds in the
    first case.
    """
    bit = _FACE_BIT[thrown] if thrown >= 0 else _ZERO
    missing, rest = odds.missing, odds.rest
    first_0, ways_0 = _ZERO, 0.0
    for i in range(odds.num_plans[0]):
        if odds.critical[0, i] & bit == _ZERO:
            first_0 |= odds.lacked[0, i]
            ways_0 += odds.ways[0, i]
    if missing == 0 and ways_0 > 0:
        return 1.0
    cards_0 = count_cards(odds, first_0)
    if missing == 1 and ways_0 > 0:
        cards, worth = count_pairs(odds, 1, bit, first_0, cards_0)
        return (cards_0 + worth) / (cards_0 + cards + rest)
    first_1, ways_1 = _ZERO, 0.0
    for i in range(odds.num_plans[1]):
        if odds.critical[1, i] & bit == _ZERO:
            first_1 |= odds.lacked[1, i]
            ways_1 += odds.ways[1, i]
    cards_1 = count_cards(odds, first_1)
    if ways_0 == 0:
        if ways_1 == 0:
            return 0.0
        if missing == 1:
            cards, worth = count_pairs(odds, 1, bit, _ZERO, 0.0)
            return worth / (cards + rest)
        return in_time(cards_1, rest) * after_first(missing + 1, ways_1, cards_1, rest)
    # What a card of level 1 opens: sets of `missing` cards, here as of equal slots.
    more_ways = (missing + 1) * ways_1 / cards_1 if cards_1 > 0 else 0.0
    more_cards = missing * more_ways ** (1 / missing)
    beside = (
        in_time(more_cards, rest) * after_first(missing, more_ways, more_cards, rest)
        if more_ways > 0
        else 0.0
    )
    if missing == 2:
        cards, worth = count_pairs(odds, 0, bit, _ZERO, 0.0)
    else:
        worth = cards_0 * after_first(missing, ways_0, cards_0, rest)
    worth += (cards_0 - worth) * odds.slack * beside
    new_cards = count_cards(odds, first_1 & ~first_0)
    first = cards_0 + more_cards
    opened = in_time(first, rest) * after_first(missing, ways_0 + more_ways, first, rest)
    return (worth + new_cards * opened) / (cards_0 + new_cards + rest)


@jit
def count_pairs(odds, level, bit, done, done_cards):
    """The plans of a level that lack two cards: how many cards help, and the sum of chances after each.

    The cards of `done` complete the goal by themselves; others that help add to their number.
    """
    face_side, rank_side = odds.beside_face, odds.beside_rank
    face_side[:] = 0
    rank_side[:] = 0
    first = _ZERO
    for i in range(odds.num_plans[level]):
        lacked = odds.lacked[level, i]
        if odds.critical[level, i] & bit or lacked & done:
            continue
        first |= lacked
        ranks = odds.lacked_ranks[level, i]
        faces = lacked
        if ranks:
            a, ranks = lowest(ranks)
            faces &= ~_RANK_BITS[a]
            if ranks:
                b, _ = lowest(ranks)
                rank_side[a] |= _RANK_BITS[b]
                rank_side[b] |= _RANK_BITS[a]
            elif faces:
                rank_side[a] |= faces
                b, _ = lowest(faces)
                face_side[b] |= _RANK_BITS[a]
            else:
                rank_side[a] |= _RANK_BITS[a]
        else:
            a, faces = lowest(faces)
            b = lowest(faces)[0] if faces else a
            face_side[a] |= _ONE << np.uint64(b)
            face_side[b] |= _ONE << np.uint64(a)
    cards, worth = 0.0, 0.0
    while first:
        place, first = lowest(first)
        rank = place & 15
        copies = odds.outs[NUM_RANKS * (place >> 4) + rank]
        if copies > 0:
            beside = count_cards(odds, face_side[place] | rank_side[rank])
            cards += copies
            worth += copies * in_time(done_cards + beside, odds.rest)
    return cards, worth
