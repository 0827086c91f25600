"""What a small network reads of each move worth comparing: int8 numbers about the table and the card."""

from agents.iteration.advantages import YES, clip
from agents.rummy_bo.features import (
    CAN_GO_OUT,
    HOPE,
    LEFT_COUNT,
    LEFT_LOOSE,
    NUM_LOOSE,
    OFFERED,
    OUTS,
    TAKING,
)
from agents.rummy_bo.heuristics.hands import can_go_out, near_cards, stranded
from agents.rummy_bo.heuristics.planner import cost, hope
from jo_env.bits import popcount
from jo_env.cards import NUM_FACES, NUM_RANKS
from jo_env.jit import jit
from jo_env.rummy_bo.actions import DISCARD, LAY_CARDS, LAY_OFF, TAKE_DISCARD, TAKE_TWO
from jo_env.rummy_bo.bits import LANE, NONE, ONE, SUITS, card, moved_down, moved_up
from jo_env.rummy_bo.payment import RANK_POINTS, least_count
from jo_env.rummy_bo.state import Phase

NUM_TABLE_TRAITS, NUM_CARD_TRAITS = 30, 32
NUM_TRAITS = NUM_TABLE_TRAITS + NUM_CARD_TRAITS

# The kinds of decision, each with a network of its own; of the first ones one move takes what is on offer.
DRAWING, BUILDING, ENDING = 0, 1, 2
KINDS = ("drawing", "building", "ending")
NUM_TAKING = 1


@jit
def kind_of(view):
    """Which kind of decision a seat has to make: the end begins when the pile is turned over."""
    if view.phase == Phase.DRAW:
        return DRAWING
    return ENDING if view.turned_over else BUILDING


@jit
def write_traits(view, row, w, num_moves, moves, behind, traits):
    """Traits int8[MOST_MOVES, NUM_TRAITS] of the moves that `list_moves` wrote, from view and features.

    Of a draw only the first row is written: what it would be to take from the pile.
    """
    table = traits[0, :NUM_TABLE_TRAITS]
    write_table_traits(view, row, table)
    if view.phase == Phase.DRAW:
        takes = moves[0] in (TAKE_TWO, TAKE_DISCARD)
        write_take_traits(view, row, w, takes, traits[0, NUM_TABLE_TRAITS:])
        return
    for k in range(num_moves):
        if k > 0:
            traits[k, :NUM_TABLE_TRAITS] = table
        out = traits[k, NUM_TABLE_TRAITS:]
        if moves[k] >= LAY_OFF:
            face = (moves[k] - LAY_OFF) % NUM_FACES
            write_card_traits(view, row, w, face, moves[k] >= DISCARD, out)
        else:
            out[:] = 0
            out[28] = YES
            out[1] = clip(points_of(LAY_CARDS[moves[k]]))
        out[16] = clip(6.0 * behind[k])
        out[17] = YES * (k == 0)
        out[30] = clip(3 * k)


@jit
def points_of(cards):
    points = 0
    while cards != NONE:
        points += RANK_POINTS[popcount((cards & (~cards + ONE)) - ONE) % NUM_RANKS]
        cards &= cards - ONE
    return points


@jit
def write_table_traits(view, row, out):
    n = view.num_seats
    own, next_seat, last_seat = view.seats[0], view.seats[1], view.seats[n - 1]
    num_melded, num_cards, num_known, smallest = 0, 0, 0, 127
    for r in range(1, n):
        num_melded += view.seats[r].has_melded
        num_cards += view.seats[r].hand_size
        smallest = min(smallest, view.seats[r].hand_size)
        if r > 1:
            num_known += count_known(view, r)
    outs, gain = 0, 0
    for face in range(NUM_FACES):
        outs += row[OUTS + face] > 0
        gain += row[OUTS + face]
    out[0] = YES * (n == 3)
    out[1] = YES * (n == 4)
    out[2] = YES * (n == 5)
    out[3] = YES * (n == 6)
    out[4] = clip(view.least_count)
    out[5] = clip(12 * row[NUM_LOOSE])
    out[6] = clip(6 * own.hand_size)
    out[7] = clip(5 * smallest)
    out[8] = clip(5 * next_seat.hand_size)
    out[9] = clip(5 * last_seat.hand_size)
    out[10] = clip(5 * num_cards / (n - 1))
    out[11] = 15 * num_melded
    out[12] = YES * own.has_melded
    out[13] = YES * next_seat.has_melded
    out[14] = clip(2 * view.stock_size)
    out[15] = clip(3 * view.discard_size)
    out[16] = YES * view.turned_over
    out[17] = clip(4 * (view.turns // n))
    out[18] = clip(8 * count_known(view, 1))
    out[19] = clip(5 * num_known)
    out[20] = row[HOPE]
    out[21] = clip(4 * outs)
    out[22] = clip(20 * gain / max(popcount(view.hidden), 1))
    out[23] = YES * (row[NUM_LOOSE] <= 1)
    out[24] = YES * (row[NUM_LOOSE] == 2)
    out[25] = YES * (row[NUM_LOOSE] == 3)
    out[26] = clip(5 * view.num_groups)
    out[27] = YES * (view.stock_size == 0)
    out[28] = YES * (view.turns < n)
    out[29] = YES * row[CAN_GO_OUT]


@jit
def count_known(view, r):
    count = 0
    for face in range(NUM_FACES):
        count += view.seats[r].known[face]
    return count


@jit
def known_to(view, r):
    """The cards known to be in a hand."""
    cards = NONE
    for face in range(NUM_FACES):
        if view.seats[r].known[face]:
            cards |= card(face)
    return cards


@jit
def thrown_by(view, r):
    cards = NONE
    for face in range(NUM_FACES):
        if view.seats[r].thrown[face]:
            cards |= card(face)
    return cards


@jit
def beside(thrown):
    """The cards next to it in its suit."""
    return moved_up(thrown) | moved_down(thrown)


@jit
def of_rank(thrown):
    """The cards of its rank."""
    return ((thrown | thrown >> 13 | thrown >> 26 | thrown >> 39) & LANE) * SUITS & ~thrown


@jit
def write_card_traits(view, row, w, face, discards, out):
    """Of a card to discard or to lay off; 16, 17 and 30 are left to the caller."""
    thrown = card(face)
    left = view.cards & ~thrown
    close, rank = beside(thrown), of_rank(thrown)
    near = near_cards(thrown) & ~(close | rank | thrown)
    next_known, others_known, others_thrown = known_to(view, 1), NONE, NONE
    for r in range(2, view.num_seats):
        others_known |= known_to(view, r)
        others_thrown |= thrown_by(view, r)
    next_thrown = thrown_by(view, 1)
    top = card(view.discard[view.discard_size - 1]) if view.discard_size > 0 else NONE
    count, loose = least_count(left)
    out[:] = 0
    out[0] = clip(5 * (hope(view, left, w) if discards else 0.0))
    out[1] = clip(2 * RANK_POINTS[face % NUM_RANKS])
    out[2] = YES * (view.loose & thrown != NONE)
    out[3] = clip(count)
    out[4] = clip(12 * popcount(loose))
    out[5] = clip(12 * popcount(stranded(view, left)))
    out[6] = clip(cost(view, left, w) / 2)
    out[7] = 15 * popcount(rank & view.cards)
    out[8] = 15 * popcount(close & view.cards)
    out[9] = 15 * popcount(near & view.cards)
    out[10] = 10 * popcount(rank & view.hidden)
    out[11] = 10 * popcount(close & view.hidden)
    out[12] = 10 * popcount(near & view.hidden)
    out[13] = 15 * popcount(rank & next_known)
    out[14] = 15 * popcount((close | near) & next_known)
    out[15] = 15 * popcount((rank | close | near) & others_known)
    out[18] = 15 * popcount(rank & next_thrown)
    out[19] = 15 * popcount(close & next_thrown)
    out[20] = 10 * popcount((rank | close) & others_thrown)
    out[21] = YES * (view.fits_set & thrown != NONE)
    out[22] = YES * ((view.fits_low | view.fits_high) & thrown != NONE)
    # The next seat may take it together with the top of the pile.
    out[23] = YES * (rank & top != NONE)
    out[24] = YES * (close & top != NONE)
    out[25] = 15 * popcount((of_rank(top) | beside(top)) & next_known)
    out[26] = YES * (top & (view.fits_set | view.fits_low | view.fits_high) != NONE)
    out[27] = YES * (not discards)
    out[29] = clip(row[LEFT_COUNT + face] / 2)
    out[31] = clip(12 * row[LEFT_LOOSE + face])


@jit
def write_take_traits(view, row, w, planned, out):
    """Of the cards on offer; `planned` is whether the planner would take them."""
    offered = NONE
    for face in range(NUM_FACES):
        if row[OFFERED + face]:
            offered |= card(face)
    with_them = view.cards | offered
    count, loose = least_count(with_them)
    drawn = NONE
    if view.turned_over and view.stock_size > 0:
        drawn |= card(view.stock[view.stock_size - 1])
        if view.stock_size > 1:
            drawn |= card(view.stock[view.stock_size - 2])
    next_known = known_to(view, 1)
    useful = near_cards(view.loose)
    out[:] = 0
    out[0] = row[TAKING]
    out[1] = clip(2 * points_of(offered))
    out[2] = clip(count)
    out[3] = clip(12 * popcount(loose))
    out[4] = 15 * popcount(loose & offered)
    out[5] = clip(cost(view, view.cards, w) - cost(view, with_them, w))
    out[6] = YES * can_go_out(view, with_them)
    out[7] = clip(12 * popcount(stranded(view, with_them)))
    out[8] = 15 * popcount(useful & offered)
    out[9] = clip(5 * hope(view, with_them, w))
    out[10] = 15 * popcount(offered & (view.fits_set | view.fits_low | view.fits_high))
    out[11] = 15 * popcount((of_rank(offered) | beside(offered)) & next_known)
    out[12] = 12 * popcount(offered)
    out[13] = 10 * popcount((of_rank(offered) | beside(offered)) & view.hidden)
    out[14] = 10 * popcount((of_rank(offered) | beside(offered)) & view.cards)
    if drawn != NONE:
        with_drawn = view.cards | drawn
        out[18] = YES
        out[19] = clip(cost(view, view.cards, w) - cost(view, with_drawn, w))
        out[20] = YES * can_go_out(view, with_drawn)
        out[21] = 15 * popcount(near_cards(view.loose) & drawn)
    out[17] = YES * planned
