"""Which actions are legal, from a seat's view. See turn.py for when a turn can be finished."""

import numpy as np

from jo_env.cards import NUM_RANKS, NUM_SUITS
from jo_env.jit import jit
from jo_env.jo.actions import (
    BUY,
    DISCARD,
    DRAW_STOCK,
    HIGH_END,
    LAY_FOUR,
    LAY_OFF,
    LAY_SIZES,
    LAY_THREE,
    LOW_END,
    MASK,
    NUM_ACTIONS,
    NUM_PLACES,
    NUM_SLOTS,
    NUM_STARTS,
    NUM_TRIPLES,
    PASS,
    TAKE_DISCARD,
    TRIPLES,
)
from jo_env.jo.bits import cards_held, pack_faces, ranks_with_three, suits_of_rank
from jo_env.jo.goals import MAX_GROUPS
from jo_env.jo.groups import (
    extend_group,
    face_after,
    face_before,
    face_wanted,
    holds_group,
    move_group,
    room_in_group,
    room_on_table,
    suit_of,
    write_group,
)
from jo_env.jo.state import GROUP, NO_FACE, Phase
from jo_env.jo.turn import can_draw, can_take
from jo_env.masks import mark, mark_all

NO_LAY = -1
_NUM_WORDS = NUM_ACTIONS // 8  # of a mask, eight actions in each
_ZERO, _ONE = np.uint64(0), np.uint64(1)


def _triples_held() -> np.ndarray:
    """The triples that can be laid of a rank, a bit each: uint32[256], by the copies of each suit up to 3."""
    copies = np.arange(256)[:, None] >> 2 * np.arange(NUM_SUITS) & 3
    needed = (TRIPLES[:, :, None] == np.arange(NUM_SUITS)).sum(1)
    held = (copies[:, None] >= needed).all(2)
    return (held << np.arange(NUM_TRIPLES)).sum(1).astype(np.uint32)


_TRIPLES_HELD = _triples_held()


@jit
def legal_actions(view, mask):
    """Write 1 for every legal action of the seat asked and 0 elsewhere; mask is int8[432]."""
    mark_legal(view, mask.view(MASK)[0])


@jit
def mark_legal(view, mask):
    """The same, into a mask as a record `MASK`."""
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
def legal_discards(view, mask):
    """Any card but the face just taken from the pile (decision: the face, not the physical card)."""
    faces = pack_faces(view.p1)
    if view.taken != NO_FACE:
        faces &= ~(_ONE << np.uint64(view.taken))
    mark_all(mask.words, DISCARD, faces, 7)


@jit
def legal_lay_offs(view, mask):
    """Once down, any card that fits any group, one's own or another's."""
    num_groups = view.table.threes + view.table.fours
    for half in range(2):  # two seats at a time, as the places of all four are more than the bits of a word
        places = _ZERO
        for r in range(2 * half, min(2 * half + 2, view.num_seats)):
            if view.seats[r].down:
                for i in range(num_groups):
                    slot = MAX_GROUPS * (r - 2 * half) + i
                    places |= places_served(view, view.seats[r].groups[i]) << np.uint64(NUM_PLACES * slot)
        mark_all(mask.words, LAY_OFF + 2 * half * MAX_GROUPS * NUM_PLACES, places, 5)
    if view.taken != NO_FACE and view.seats[0].hand_size - 1 <= view.own.hand[view.taken]:
        refuse_lay_offs(view, mask)


@jit
def places_served(view, group):
    """The places of a group that take a card of the hand, a bit each."""
    hand = view.own.hand
    if group.is_three:
        return suits_of_rank(view.p1, group.low)
    suit = suit_of(group)
    before = face_before(suit, group.low, group.length)
    after = face_after(suit, group.low, group.length)
    places = _ZERO
    if before != NO_FACE and hand[before] > 0:
        places |= _ONE << np.uint64(LOW_END)
    if after != NO_FACE and hand[after] > 0:
        places |= _ONE << np.uint64(HIGH_END)
    return places


@jit
def refuse_lay_offs(view, mask):
    """Unmark the lay-offs that would leave a hand that can neither be got rid of nor discarded from."""
    for slot in range(NUM_SLOTS):
        group = view.seats[slot // MAX_GROUPS].groups[slot % MAX_GROUPS]
        for place in range(NUM_PLACES):
            action = LAY_OFF + NUM_PLACES * slot + place
            if mask.actions[action] and not can_lay_off(view, group, place, face_wanted(group, place)):
                mask.actions[action] = 0


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
    threes = max(view.table.threes - view.groups_laid, 0)
    groups = view.table.threes + view.table.fours - view.groups_laid
    end = end_of_lays(threes)
    action = next_lay(view, max(view.last_lay, first_lay(threes)), end)
    while action < end:
        if can_complete(view, action, threes, groups):
            mask.words[action // 8] |= mark(action)
        action = next_lay(view, action + 1, end)


@jit
def first_lay(threes):
    """The first lay action of the next group, where so many threes are still to be laid."""
    return LAY_THREE if threes > 0 else LAY_FOUR


@jit
def end_of_lays(threes):
    """The action after the last lay action of the next group."""
    return LAY_FOUR if threes > 0 else LAY_OFF


@jit
def next_lay(view, action, end):
    """The first lay action from `action` on whose cards the hand holds, or `end`.

    The hand may be short of cards against `view.ranks` and `view.p1`: those of groups already chosen.
    """
    hand = view.own.hand
    if action < LAY_FOUR:
        rank, triple = (action - LAY_THREE) // NUM_TRIPLES, (action - LAY_THREE) % NUM_TRIPLES
        ranks = ranks_with_three(view.ranks) >> np.uint64(rank)
        while ranks:
            if ranks & _ONE:
                held = _TRIPLES_HELD[suits_held(hand, rank)] >> triple
                if held:
                    while not held & 1:
                        held >>= 1
                        triple += 1
                    return LAY_THREE + NUM_TRIPLES * rank + triple
            triple = 0
            rank += 1
            ranks >>= _ONE
        action = LAY_FOUR
    _, _, runs = cards_held(view.p1)
    while action < end:
        suit, start = (action - LAY_FOUR) // NUM_STARTS, (action - LAY_FOUR) % NUM_STARTS
        if runs >> np.uint64(16 * suit + start) & _ONE and holds_group(hand, action):
            return action
        action += 1
    return end


@jit
def suits_held(hand, rank):
    """The copies of a rank by suit, as the rows of the table of triples count them."""
    code = 0
    for suit in range(NUM_SUITS):
        code |= min(hand[NUM_RANKS * suit + rank], 3) << 2 * suit
    return code


@jit
def can_complete(view, action, threes, groups):
    """Whether a go-down of `groups` groups, `threes` of them threes, can begin with `action`.

    The groups after it are tried in order; the view's hand is put back as it was.
    """
    hand = view.own.hand
    move_group(hand, action, -1)
    if groups == 1:
        found = can_finish(view, action, NO_LAY, NO_LAY)
    elif groups == 2:
        found = can_end(view, action, NO_LAY, threes - 1)
    else:
        found = False
        end = end_of_lays(threes - 1)
        second = next_lay(view, max(action, first_lay(threes - 1)), end)
        while second < end and not found:
            move_group(hand, second, -1)
            found = can_end(view, second, action, threes - 2)
            move_group(hand, second, 1)
            second = next_lay(view, second + 1, end)
    move_group(hand, action, 1)
    return found


@jit
def can_end(view, before, first, threes):
    """Whether a go-down can end with one more group, after the group `before` and, if any, `first`."""
    hand = view.own.hand
    end = end_of_lays(threes)
    last = next_lay(view, max(before, first_lay(threes)), end)
    found = False
    while last < end and not found:
        move_group(hand, last, -1)
        found = can_finish(view, last, before, first)
        move_group(hand, last, 1)
        last = next_lay(view, last + 1, end)
    return found


@jit
def can_finish(view, last, before, first):
    """Whether the turn can be finished with what is left in hand once these groups are laid."""
    taken = view.taken
    if taken == NO_FACE:
        return True
    size = view.seats[0].hand_size
    for action in (last, before, first):
        size -= LAY_SIZES[action] if action != NO_LAY else 0
    copies = view.own.hand[taken]
    if size > copies or size == 0:
        return True
    room = room_on_table(view.seats, taken)
    for action in (last, before, first):
        if action != NO_LAY:
            laid = np.zeros(1, GROUP)
            write_group(laid[0], action)
            room += room_in_group(laid[0], taken)
    return copies <= room
