"""What a small network reads of each move worth comparing: int8 numbers about the table and the card."""

from agents.iteration.advantages import YES, clip
from agents.jo.features import (
    FITS,
    FITS_AFTER,
    NEEDED,
    ODDS_GAINED,
    ODDS_LOST,
    ODDS_NOW,
    OUTS,
    OUTS_WITH_TOP,
    OUTS_WITHOUT,
    USE_TO_NEXT,
    USE_TO_OTHERS,
)
from agents.jo.heuristics.odds import smallest_down
from agents.jo.heuristics.planner import fits_own
from jo_env.cards import NUM_FACES, NUM_RANKS, NUM_SUITS
from jo_env.jit import jit
from jo_env.jo.actions import BUY, DISCARD, TAKE_DISCARD
from jo_env.jo.points import FACE_POINTS
from jo_env.jo.rules import hand_points
from jo_env.jo.state import NO_FACE, Phase

NUM_TABLE_TRAITS, NUM_CARD_TRAITS = 30, 32
NUM_TRAITS = NUM_TABLE_TRAITS + NUM_CARD_TRAITS

# The kinds of decision, each with a network of its own; of the first ones one move takes what is on offer.
BUYING, DRAWING, BUILDING, DOWN = 0, 1, 2, 3
KINDS = ("buying", "drawing", "building", "down")
NUM_TAKING = 2


@jit
def kind_of(view):
    """Which of the four kinds of decision a seat has to make."""
    if view.phase == Phase.BUY:
        return BUYING
    if view.phase == Phase.DRAW:
        return DRAWING
    return DOWN if view.seats[0].down else BUILDING


@jit
def write_traits(view, row, num_moves, moves, behind, traits):
    """Traits int8[MOST_MOVES, NUM_TRAITS] of the moves that `list_moves` wrote, from view and features.

    Of two moves (to take the top or not) only the first row is written: what it would be to take it.
    """
    table = traits[0, :NUM_TABLE_TRAITS]
    write_table_traits(view, row, table)
    if moves[0] < DISCARD:
        write_top_traits(view, row, moves[0] in (BUY, TAKE_DISCARD), traits[0, NUM_TABLE_TRAITS:])
        return
    unit = 6.0 if view.seats[0].down else 500.0
    for k in range(num_moves):
        if k > 0:
            traits[k, :NUM_TABLE_TRAITS] = table
        card = traits[k, NUM_TABLE_TRAITS:]
        write_card_traits(view, row, moves[k] - DISCARD, card)
        card[16] = clip(unit * behind[k])
        card[17] = YES * (k == 0)
        card[30] = clip(3 * k)


@jit
def write_table_traits(view, row, out):
    n = view.num_seats
    own = view.seats[0]
    next_seat, last_seat = view.seats[1], view.seats[n - 1]
    num_down, buys_left, num_cards, num_known = 0, 0, 0, 0
    for r in range(1, n):
        num_down += view.seats[r].down
        buys_left += view.seats[r].buys_left
        num_cards += view.seats[r].hand_size
        if r > 1:
            num_known += count_known(view, r)
    smallest = smallest_down(view)
    missing = view.own.missing
    goal = 0 if own.down else 3 * view.table.threes + 4 * view.table.fours
    out[0] = YES * (n == 3)
    out[1] = YES * (n == 4)
    out[2] = 10 * view.table.threes
    out[3] = 10 * view.table.fours
    out[4] = 10 * missing
    out[5] = clip(3 * (view.turns // n))
    out[6] = clip(view.stock_size)
    out[7] = clip(8 * (own.hand_size - goal))
    out[8] = clip(hand_points(view.own.hand) / 2)
    out[9] = YES * (smallest >= 0)
    out[10] = clip(8 * max(smallest, 0))
    out[11] = 15 * num_down
    out[12] = YES * next_seat.down
    out[13] = clip(4 * next_seat.hand_size)
    out[14] = 10 * own.buys_left
    out[15] = 5 * buys_left
    out[16] = clip(5 * num_cards / (n - 1))
    out[17] = row[ODDS_NOW]
    out[18] = row[OUTS]
    out[19] = YES * (missing == 0)
    out[20] = YES * (missing == 1)
    out[21] = YES * (missing == 2)
    out[22] = YES * (view.phase == Phase.PLAY and view.taken != NO_FACE)
    out[23] = YES * own.is_on_turn
    out[24] = clip(8 * count_known(view, 1))
    out[25] = clip(5 * num_known)
    out[26] = YES * last_seat.down
    out[27] = clip(4 * last_seat.hand_size)
    out[28] = YES * (view.turns < n)
    out[29] = YES * own.down


@jit
def count_known(view, r):
    count = 0
    for face in range(NUM_FACES):
        count += view.seats[r].known[face]
    return count


@jit
def write_card_traits(view, row, face, out):
    """Of a card to discard; 16, 17 and 30 are left to the caller."""
    rank, suit = face % NUM_RANKS, face // NUM_RANKS
    held, unseen, known_to_next, known_to_others, thrown_by_next, declined = 0, 0, 0, 0, 0, 0
    for s in range(NUM_SUITS):
        same = NUM_RANKS * s + rank
        held += view.own.hand[same]
        unseen += view.unseen[same]
        known_to_next += view.seats[1].known[same]
        thrown_by_next += view.seats[1].thrown[same]
        for r in range(2, view.num_seats):
            known_to_others += view.seats[r].known[same]
    for r in range(2, view.num_seats):
        declined += view.seats[r].declined[face]
    # The same for the faces one and two ranks off in its suit, where a four would need them.
    beside, near, unseen_near, next_near, others_near = 0, 0, 0, 0, 0
    for step in (-2, -1, 1, 2):
        at = rank + step
        if at == NUM_RANKS:
            at = 0  # the ace above the king
        if 0 <= at < NUM_RANKS:
            other = NUM_RANKS * suit + at
            if view.own.hand[other] > 0:
                if abs(step) == 1:
                    beside += 1
                else:
                    near += 1
            unseen_near += view.unseen[other]
            next_near += view.seats[1].known[other]
            for r in range(2, view.num_seats):
                others_near += view.seats[r].known[other]
    out[:] = 0
    out[0] = row[ODDS_LOST + face]
    out[1] = 3 * FACE_POINTS[face]
    out[2] = YES * fits_own(view, face)
    out[3] = row[USE_TO_NEXT + face]
    out[4] = row[USE_TO_OTHERS + face]
    out[5] = YES * row[FITS + face]
    out[6] = YES * row[FITS + face] * view.seats[1].down
    out[7] = YES * row[NEEDED + face]
    out[8] = row[OUTS_WITHOUT + face]
    out[9] = 15 * view.own.hand[face]
    out[10] = clip(12 * view.unseen[face])
    out[11] = clip(12 * held)
    out[12] = clip(6 * unseen)
    out[13] = 15 * beside
    out[14] = 15 * near
    out[15] = clip(6 * unseen_near)
    out[18] = YES * (rank == 0)
    out[19] = 4 * rank
    out[20] = clip(15 * known_to_next)
    out[21] = clip(15 * known_to_others)
    out[22] = clip(15 * thrown_by_next)
    out[23] = clip(15 * view.seats[1].declined[face])
    out[24] = clip(15 * next_near)
    out[25] = clip(15 * others_near)
    out[26] = row[FITS_AFTER + face]
    out[27] = YES * (view.taken == face)
    out[28] = clip(15 * view.table.pile[face])
    out[29] = clip(15 * declined)


@jit
def write_top_traits(view, row, planned, out):
    """Of the top discard, to take or to buy; `planned` is whether the planner would."""
    write_card_traits(view, row, view.top, out)
    requests = 0
    for r in range(1, view.num_seats):
        requests += view.seats[r].has_requested
    out[0] = row[ODDS_GAINED]
    out[7] = YES * view.top_is_nearer
    out[8] = row[OUTS_WITH_TOP]
    out[17] = YES * planned
    out[30] = 15 * view.turn
    out[31] = 15 * requests
