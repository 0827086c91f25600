"""Which actions are legal, from a seat's view.

A move is legal only if the turn can still be finished (decision): what is left in hand is nothing, or holds a
card that may be discarded, or is only cards taken from the pile in this turn that can all be laid off.
"""

import numpy as np

from jo_env.jit import jit
from jo_env.rummy_bo.actions import (
    ADD_ABOVE,
    ADD_BELOW,
    ADD_TO_SET,
    DISCARD,
    DRAW_STOCK,
    LAY_CARDS,
    LAY_RUN,
    LAY_SET,
    MASK,
    NUM_SETS,
    TAKE_DISCARD,
    TAKE_TWO,
    TURN_OVER,
)
from jo_env.rummy_bo.bits import NONE, ONE, bit, lowest, of_rank, ranks_with_three, run_starts
from jo_env.rummy_bo.groups import can_clear, find_group, grow_group, write_group
from jo_env.rummy_bo.state import GROUP, Phase
from jo_env.rummy_bo.view import FIT_ABOVE, FIT_BELOW, FIT_SETS, HAND, TAKEN

# The sets that can be laid of a rank by the suits held of it: the triples and all four, a bit each.
_SETS_HELD = np.array(
    [
        sum(
            (suits & wanted == wanted) << i
            for i, wanted in enumerate((0b0111, 0b1011, 0b1101, 0b1110, 0b1111))
        )
        for suits in range(16)
    ]
)


@jit
def legal_actions(view, mask):
    """Write 1 for every legal action of the seat asked and 0 elsewhere; mask is int8[329]."""
    mark_legal(view, mask.view(MASK)[0])


@jit
def mark_legal(view, mask):
    """The same, into a mask as a record `MASK`."""
    actions = mask.actions
    actions[:] = 0
    if view.phase == Phase.DRAW:
        actions[DRAW_STOCK] = view.stock_size > 0
        actions[TAKE_TWO] = view.stock_size > 0 and view.discard_size >= 2
        actions[TAKE_DISCARD] = view.stock_size == 0
        actions[TURN_OVER] = view.stock_size == 0
    elif view.phase == Phase.PLAY:
        hand, taken = view.cards[HAND], view.cards[TAKEN]
        if view.laid_off == 0:  # the lays of a turn come first
            legal_lays(view, hand, taken, actions)
        legal_lay_offs(view, hand, taken, actions)
        discards = hand & ~taken
        while discards:
            face = lowest(discards)
            discards &= discards - ONE
            actions[DISCARD + face] = 1


@jit
def legal_lays(view, hand, taken, actions):
    """Sets and runs of the hand, each with a higher number than the one laid before it in this turn."""
    ranks = ranks_with_three(hand)
    while ranks:
        rank = lowest(ranks)
        ranks &= ranks - ONE
        sets = _SETS_HELD[of_rank(hand, rank)]
        for t in range(NUM_SETS):
            action = LAY_SET + NUM_SETS * rank + t
            if sets >> t & 1 and action > view.last_lay and can_lay(view, hand, taken, action):
                actions[action] = 1
    starts = run_starts(hand)
    while starts:
        action = LAY_RUN + lowest(starts)
        starts &= starts - ONE
        if action > view.last_lay and can_lay(view, hand, taken, action):
            actions[action] = 1


@jit
def can_lay(view, hand, taken, action):
    """Whether the turn can be finished after this lay."""
    left = hand & ~LAY_CARDS[action]
    if left == NONE or left & ~taken:
        return True
    groups = np.zeros(view.num_groups + 1, GROUP)
    groups[: view.num_groups] = view.groups[: view.num_groups]
    write_group(groups[view.num_groups], action)
    return can_clear(groups, view.num_groups + 1, left)


@jit
def legal_lay_offs(view, hand, taken, actions):
    """Any card of the hand that fits any set or run on the table."""
    for block, first in ((FIT_SETS, ADD_TO_SET), (FIT_BELOW, ADD_BELOW), (FIT_ABOVE, ADD_ABOVE)):
        fits = hand & view.cards[block]
        while fits:
            face = lowest(fits)
            fits &= fits - ONE
            if can_lay_off(view, hand, taken, first + face, face):
                actions[first + face] = 1


@jit
def can_lay_off(view, hand, taken, action, face):
    """Whether the turn can be finished after this lay-off."""
    left = hand & ~bit(face)
    if left == NONE or left & ~taken:
        return True
    groups = view.groups[: view.num_groups].copy()
    grow_group(groups[find_group(groups, view.num_groups, action)], action)
    return can_clear(groups, view.num_groups, left)
