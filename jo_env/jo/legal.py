"""Which actions are legal, from a seat's view. See turn.py for when a turn can be finished."""

import numpy as np

from jo_env.cards import NUM_RANKS
from jo_env.jit import jit
from jo_env.jo.actions import (
    BUY,
    DISCARD,
    DRAW_STOCK,
    LAY_FOUR,
    LAY_OFF,
    LAY_SIZES,
    LAY_THREE,
    LOW_END,
    MASK,
    NUM_ACTIONS,
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
from jo_env.jo.solver import BYTES, pack_faces, rank_count
from jo_env.jo.state import GROUP, NO_FACE, Phase
from jo_env.jo.turn import can_draw, can_take

_NUM_WORDS = NUM_ACTIONS // 8  # of a mask, eight actions in each
_ZERO, _ONE = np.uint64(0), np.uint64(1)


@jit
def legal_actions(view, mask):
    """Write 1 for every legal action of the seat asked and 0 elsewhere; mask is int8[432]."""
    mark_legal(view, mask.view(MASK)[0])


@jit
def mark_legal(view, mask):
    """The same into a `MASK` record."""
    words = mask.words
    for w in range(_NUM_WORDS):
        words[w] = 0
    if view.phase == Phase.BUY:
        words[0] = mark(PASS) | mark(BUY)
    elif view.phase == Phase.DRAW:
        stock = mark(DRAW_STOCK) if can_draw(view.stock_size, view.discard_size) else _ZERO
        take = mark(TAKE_DISCARD) if can_take(view.own.hand, view.seats, 0, view.top) else _ZERO
        words[0] = stock | take
    elif view.phase == Phase.PLAY:
        if view.seats[0].down:
            legal_lay_offs(view, mask)
        elif view.own.missing == 0:
            legal_lays(view, mask)
        if view.groups_laid == 0:  # a go-down once begun is made whole before anything else
            legal_discards(view, mask)


@jit
def mark(action):
    """The byte of an action in its word of the mask, marked 1."""
    return _ONE << np.uint64(8 * (action % 8))


@jit
def legal_discards(view, mask):
    """Any card but the face just taken from the pile (decision: the face, not the physical card)."""
    faces = pack_faces(view.p1)
    if view.taken != NO_FACE:
        faces &= ~(_ONE << np.uint64(view.taken))
    # The discards begin in the middle of a word.
    words = mask.words
    faces <<= DISCARD % 8
    words[DISCARD // 8] |= BYTES[faces & 0xFF]
    for i in range(1, _NUM_WORDS - DISCARD // 8):
        words[DISCARD // 8 + i] = BYTES[faces >> 8 * i & 0xFF]


@jit
def legal_lay_offs(view, mask):
    """Once down, any card that fits any group, one's own or another's."""
    for r in range(view.num_seats):
        if view.seats[r].down:
            for i in range(MAX_GROUPS):
                group = view.seats[r].groups[i]
                first, end = (0, LOW_END) if group.is_three else (LOW_END, NUM_PLACES)
                for place in range(first, end):
                    face = face_wanted(group, place)
                    if face != NO_FACE and view.own.hand[face] > 0 and can_lay_off(view, group, place, face):
                        action = LAY_OFF + NUM_PLACES * (MAX_GROUPS * r + i) + place
                        mask.words[action // 8] |= mark(action)


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
        if can_complete(view, action, threes, groups):
            mask.words[action // 8] |= mark(action)
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
