"""What a hand is short of: its loose cards, what the table takes of them, and whether it can go out now."""

from jo_env.bits import popcount
from jo_env.cards import NUM_FACES
from jo_env.jit import jit
from jo_env.masks import NO_ACTION
from jo_env.rummy_bo.actions import DISCARD, LAY_CARDS, LAY_OFF, LAY_OFF_HIGH, LAY_OFF_LOW, LAY_RUN
from jo_env.rummy_bo.bits import NONE, SUITS, card, moved_down, moved_up, ranks_in
from jo_env.rummy_bo.payment import least_count


@jit
def cards_taken_up(view, cards, also_high, also_low):
    """Those of the cards that the table takes, one after the other along its runs.

    `also_high` and `also_low` are what runs will take at their ends once a move has been made.
    """
    high = (view.fits_high | also_high) & cards
    low = (view.fits_low | also_low) & cards
    while True:
        more_high = high | moved_up(high) & cards
        more_low = low | moved_down(low) & cards
        if more_high == high and more_low == low:
            return view.fits_set & cards | high | low
        high, low = more_high, more_low


@jit
def stranded(view, cards, also_high=NONE, also_low=NONE):
    """The fewest of the cards that neither lie in matched sets nor fit the table, of two ways to tell.

    Cards that fit the table are left out of the sets, or not: one of the two is best but in rare hands.
    """
    fitting = cards_taken_up(view, cards, also_high, also_low)
    _, loose = least_count(cards)
    loose &= ~fitting
    if fitting != NONE:
        _, other = least_count(cards & ~fitting)
        if popcount(other) < popcount(loose):
            return other
    return loose


@jit
def can_go_out(view, cards, also_high=NONE, also_low=NONE):
    """Whether a seat in play can be rid of these cards in this turn: all but one that it may discard."""
    left = stranded(view, cards, also_high, also_low)
    return left == NONE or (popcount(left) == 1 and left & view.taken == NONE)


@jit
def step_out(view, mask):
    """The next action of a turn that goes out, or NO_ACTION: lays in their order, then lay-offs.

    The lowest lay that leaves a hand that can still go out is never a mistake: whatever goes with it has a
    higher number.
    """
    cards = view.cards
    if not can_go_out(view, cards):
        return NO_ACTION
    for action in range(view.first_lay, LAY_OFF):
        if mask[action]:
            laid = LAY_CARDS[action]
            # A run takes the next card at its high end.
            ahead = moved_up(laid) & ~laid if action >= LAY_RUN else NONE
            if can_go_out(view, cards & ~laid, ahead):
                return action
    for action in range(LAY_OFF, DISCARD):
        if mask[action]:
            laid = card((action - LAY_OFF) % NUM_FACES)
            ahead = moved_up(laid) if action >= LAY_OFF_HIGH else NONE
            before = moved_down(laid) if LAY_OFF_LOW <= action < LAY_OFF_HIGH else NONE
            if can_go_out(view, cards & ~laid, ahead, before):
                return action
    return NO_ACTION


@jit
def first_meld(view, mask):
    """The first legal lay or lay-off, or NO_ACTION."""
    for action in range(view.first_lay, DISCARD):
        if mask[action]:
            return action
    return NO_ACTION


@jit
def near_cards(cards):
    """The cards that could be in a matched set with one of these: of its rank, or near it in its suit."""
    up, down = moved_up(cards), moved_down(cards)
    near = up | down | moved_up(up) | moved_down(down)
    return near | ranks_in(cards) * SUITS
