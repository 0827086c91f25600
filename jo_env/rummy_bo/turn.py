"""Whether a turn can be finished.

A move is legal only if the seat can still finish its turn (decision). Only the cards taken from the pile in
this turn may not be discarded, so a seat is stranded when it holds nothing but these, one or two, and cannot
lay all of them off. Before the draw a seat always holds a card that it may discard.
"""

from jo_env.bits import popcount
from jo_env.cards import NUM_FACES
from jo_env.jit import jit
from jo_env.rummy_bo.actions import LAY_CARDS, LAY_OFF
from jo_env.rummy_bo.bits import NONE, ONE, card, lowest
from jo_env.rummy_bo.groups import LOW_END, ON_SET, copied, lay_off, what_fits, write_group


@jit
def cards_played(action):
    """The cards that a lay or a lay-off plays."""
    return LAY_CARDS[action] if action < LAY_OFF else card((action - LAY_OFF) % NUM_FACES)


@jit
def can_finish(view, action):
    """Whether the turn can be finished after a lay or a lay-off of the seat that looks."""
    rest = view.cards & ~cards_played(action)
    if rest == NONE or rest & ~view.taken != NONE:
        return True
    groups, num_groups, laid = copied(view.groups), view.num_groups, view.laid
    if action < LAY_OFF:
        write_group(groups[num_groups], action)
        num_groups += 1
        laid += 1
    else:
        lay_off(groups, num_groups, action)
    return can_lay_off(groups, num_groups, laid, rest)


@jit
def can_lay_off(groups, num_groups, laid, cards):
    """Whether one card, or two one after the other, can be laid off."""
    on_set, low, high = what_fits(groups, num_groups, laid)
    if popcount(cards) == 1:
        return cards & (on_set | low | high) != NONE
    for place in range(3):
        fitting = cards & (on_set if place == ON_SET else low if place == LOW_END else high)
        while fitting != NONE:
            face = lowest(fitting)
            fitting &= fitting - ONE
            longer = copied(groups)
            lay_off(longer, num_groups, LAY_OFF + NUM_FACES * place + face)
            other_set, other_low, other_high = what_fits(longer, num_groups, laid)
            if cards & ~card(face) & (other_set | other_low | other_high) != NONE:
                return True
    return False
