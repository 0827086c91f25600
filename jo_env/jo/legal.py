"""Which actions are legal, from a seat's view. See turn.py for when a turn can be finished."""

import numpy as np

from jo_env.cards import NUM_FACES, NUM_RANKS
from jo_env.jit import jit
from jo_env.jo.actions import (
    BUY,
    DISCARD,
    DRAW_STOCK,
    LAY_FOUR,
    LAY_OFF,
    LAY_SIZES,
    LAY_THREE,
    NUM_PLACES,
    NUM_TRIPLES,
    PASS,
    TAKE_DISCARD,
)
from jo_env.jo.goals import MAX_GROUPS
from jo_env.jo.groups import (
    extend_group,
    face_wanted,
    holds_group,
    move_group,
    room_in_group,
    room_on_table,
    write_group,
)
from jo_env.jo.solver import rank_count
from jo_env.jo.state import GROUP, NO_FACE, Phase
from jo_env.jo.turn import can_draw, can_take


@jit
def legal_actions(view, mask):
    """Write 1 for every legal action of the seat asked and 0 elsewhere; mask is int8[432]."""
    mask[:] = 0
    if view.phase == Phase.BUY:
        mask[PASS] = 1
        mask[BUY] = 1
    elif view.phase == Phase.DRAW:
        mask[DRAW_STOCK] = can_draw(view.stock_size, view.discard_size)
        mask[TAKE_DISCARD] = can_take(view.own.hand, view.seats, 0, view.top)
    elif view.phase == Phase.PLAY:
        if view.seats[0].down:
            legal_lay_offs(view, mask)
        elif view.own.missing == 0:
            legal_lays(view, mask)
        if view.groups_laid == 0:  # a go-down once begun is made whole before anything else
            legal_discards(view, mask)


@jit
def legal_discards(view, mask):
    """Any card but the face just taken from the pile (decision: the face, not the physical card)."""
    hand = view.own.hand
    discards = mask[DISCARD:]
    for face in range(NUM_FACES):
        discards[face] = hand[face] > 0
    if view.taken != NO_FACE:
        discards[view.taken] = 0


@jit
def legal_lay_offs(view, mask):
    """Once down, any card that fits any group, one's own or another's."""
    for r in range(view.num_seats):
        for i in range(MAX_GROUPS):
            group = view.seats[r].groups[i]
            if group.length == 0:
                break
            for place in range(NUM_PLACES):
                face = face_wanted(group, place)
                if face != NO_FACE and view.own.hand[face] > 0 and can_lay_off(view, group, place, face):
                    mask[LAY_OFF + NUM_PLACES * (MAX_GROUPS * r + i) + place] = 1


@jit
def can_lay_off(view, group, place, face):
    """Whether the rest of the hand can still be got rid of or one card of it discarded."""
    taken = view.taken
    if taken == NO_FACE:
        return True
    size = view.seats[0].hand_size - 1
    copies = view.own.hand[taken] - (face == taken)
    if size > copies or size == 0:
        return True
    longer = np.zeros(1, GROUP)
    longer[0] = group
    extend_group(longer[0], place)
    room = room_on_table(view.seats, taken)
    return copies <= room - room_in_group(group, taken) + room_in_group(longer[0], taken)


@jit
def legal_lays(view, mask):
    """The next group of a go-down: threes first, then fours, each action not lower than the last.

    A group may be laid only if the whole goal can then be laid in that order, and the turn finished.
    """
    hand = view.own.hand
    threes = max(view.table.threes - view.groups_laid, 0)
    groups = view.table.threes + view.table.fours - view.groups_laid
    first = max(view.last_lay, LAY_THREE if threes > 0 else LAY_FOUR)
    last = LAY_FOUR if threes > 0 else LAY_OFF
    action = next_lay(hand, first, last)
    while action < last:
        mask[action] = can_complete(view, action, threes, groups)
        action = next_lay(hand, action + 1, last)


@jit
def next_lay(hand, action, end):
    """The first lay action from `action` on whose cards the hand holds, or `end`."""
    while action < end and not holds_group(hand, action):
        rank = (action - LAY_THREE) // NUM_TRIPLES
        if rank < NUM_RANKS and rank_count(hand, rank) < 3:
            action = LAY_THREE + NUM_TRIPLES * (rank + 1)  # no three of this rank
        else:
            action += 1
    return action


@jit
def can_complete(view, action, threes, groups):
    """Whether a go-down of `groups` groups, `threes` of them threes, can begin with `action`.

    A depth-first search over the lay actions, in order; the view's hand is put back as it was.
    """
    hand = view.own.hand
    chosen = np.zeros(MAX_GROUPS + 1, np.int64)
    chosen[0] = action
    move_group(hand, action, -1)
    depth = 1
    chosen[1] = action
    found = False
    while depth > 0:
        if depth == groups:
            found = can_finish(view, chosen, groups)
            candidate = LAY_OFF
        else:
            end = LAY_FOUR if depth < threes else LAY_OFF
            start = max(chosen[depth], LAY_THREE if depth < threes else LAY_FOUR)
            candidate = next_lay(hand, start, end)
            if candidate == end:
                candidate = LAY_OFF
        if candidate < LAY_OFF:
            move_group(hand, candidate, -1)
            chosen[depth] = candidate
            depth += 1
            chosen[depth] = candidate
        else:
            depth -= 1
            move_group(hand, chosen[depth], 1)
            chosen[depth] += 1
        if found:
            while depth > 0:
                depth -= 1
                move_group(hand, chosen[depth], 1)
    return found


@jit
def can_finish(view, chosen, groups):
    """Whether the turn can be finished with what is left in hand once `chosen` groups are laid."""
    taken = view.taken
    if taken == NO_FACE:
        return True
    size = view.seats[0].hand_size
    for i in range(groups):
        size -= LAY_SIZES[chosen[i]]
    copies = view.own.hand[taken]
    if size > copies or size == 0:
        return True
    room = room_on_table(view.seats, taken)
    for i in range(groups):
        laid = np.zeros(1, GROUP)
        write_group(laid[0], chosen[i])
        room += room_in_group(laid[0], taken)
    return copies <= room
