"""Threes and fours: how one is laid, and which card it may still take.

A three is three or more cards of one rank, any suits, duplicates allowed. A four is a run of four or
more cards of one suit; the ace is low (rank 0) or high (rank 13), never both in one run and never in
the middle (decision), so a run has 4 to 13 cards.
"""

from jo_env.cards import NUM_RANKS, NUM_SUITS
from jo_env.jit import jit
from jo_env.jo.actions import (
    HIGH_END,
    LAY_COPIES,
    LAY_FACES,
    LAY_FOUR,
    LAY_SIZES,
    LAY_THREE,
    LOW_END,
    NUM_PLACES,
    NUM_STARTS,
    NUM_TRIPLES,
    TRIPLES,
)
from jo_env.jo.goals import MAX_GROUPS
from jo_env.jo.state import MAX_DECKS, NO_FACE


@jit
def face_at(suit, rank):
    """The face of a rank of a suit, where rank 13 is the ace again."""
    return NUM_RANKS * suit + (rank if rank < NUM_RANKS else 0)


@jit
def holds_group(hand, action):
    """Whether `hand` (copies of each face) holds the cards of a lay action."""
    for i in range(LAY_SIZES[action]):
        if hand[LAY_FACES[action, i]] < LAY_COPIES[action, i]:
            return False
    return True


@jit
def move_group(hand, action, sign):
    """Put the cards of a lay action into `hand` (sign 1), or take them out (sign -1)."""
    for i in range(LAY_SIZES[action]):
        hand[LAY_FACES[action, i]] += sign


@jit
def write_group(group, action):
    """Make an empty group the one that a lay action lays."""
    group.length = LAY_SIZES[action]
    if action < LAY_FOUR:
        group.is_three = 1
        group.low = (action - LAY_THREE) // NUM_TRIPLES
        group.span[group.low] = 1
        for suit in TRIPLES[(action - LAY_THREE) % NUM_TRIPLES]:
            group.suits[suit] += 1
    else:
        group.is_four = 1
        group.low = (action - LAY_FOUR) % NUM_STARTS
        group.suits[(action - LAY_FOUR) // NUM_STARTS] = 1
        for rank in range(group.low, group.low + 4):
            group.span[rank] = 1


@jit
def suit_of(group):
    """The suit of a four."""
    return group.suits[1] + 2 * group.suits[2] + 3 * group.suits[3]


@jit
def face_before(suit, low, length):
    """The face a run may take at its low end, or NO_FACE: a run with a high ace takes no low one."""
    if low == 0 or (low == 1 and length == NUM_RANKS):
        return NO_FACE
    return face_at(suit, low - 1)


@jit
def face_after(suit, low, length):
    """The face a run may take at its high end, or NO_FACE: a run with a low ace takes no high one."""
    end = low + length
    if end > NUM_RANKS or (low == 0 and end == NUM_RANKS):
        return NO_FACE
    return face_at(suit, end)


@jit
def face_wanted(group, place):
    """The face that a group takes at a place (a suit of a three, an end of a four), or NO_FACE."""
    if group.is_three:
        return NUM_RANKS * place + group.low if place < NUM_SUITS else NO_FACE
    if group.is_four:
        if place == LOW_END:
            return face_before(suit_of(group), group.low, group.length)
        if place == HIGH_END:
            return face_after(suit_of(group), group.low, group.length)
    return NO_FACE


@jit
def extend_group(group, place):
    """Add one card to a group at a place that wants it."""
    if group.is_three:
        group.suits[place] += 1
    elif place == LOW_END:
        group.low -= 1
        group.span[group.low] = 1
    else:
        group.span[group.low + group.length] = 1
    group.length += 1


@jit
def room_in_group(group, face):
    """How many copies of one face a group could take one after another.

    A three of its rank takes all there are; a run takes one, at one end or the other.
    """
    for place in range(NUM_PLACES):
        if face_wanted(group, place) == face:
            return MAX_DECKS if group.is_three else 1
    return 0


@jit
def room_on_table(publics, face):
    """How many copies of one face could be laid off one after another, other cards aside."""
    room = 0
    for seat in range(len(publics)):
        for i in range(MAX_GROUPS):
            if publics[seat].groups[i].length > 0:
                room += room_in_group(publics[seat].groups[i], face)
    return room
