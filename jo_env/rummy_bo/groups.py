"""Matched sets on the table: how one is laid, and which card it may still take.

A set is three or four cards of a rank. A run is three or more neighbours of a suit, round the corner
(K A 2), thirteen at most (decision). With one pack a card has one place at most of each kind: the set of its
rank, the run that begins right above it, the run that ends right below it.

So that every play has one spelling, a group laid in this turn is laid as it is to be: a set of three takes no
fourth card in the same turn, and a run is laid from its lowest card and grows at its high end only. A run of
thirteen has no lowest card: it is laid from its ace, and written so wherever it comes from.
"""

import numpy as np

from jo_env.cards import NUM_FACES, NUM_RANKS
from jo_env.jit import jit
from jo_env.rummy_bo.actions import LAY_CARDS, LAY_OFF, LAY_RUN, LAY_SET, LAY_SIZES, NUM_SUIT_CHOICES
from jo_env.rummy_bo.bits import NONE, SUITS, card, face_above, face_below
from jo_env.rummy_bo.state import GROUP, MAX_GROUPS

ON_SET, LOW_END, HIGH_END = 0, 1, 2  # where a card is laid off: the blocks of lay-offs in their order
NO_GROUP = -1


@jit
def write_group(group, action):
    """Make a group the one that a lay action lays."""
    group.cards = LAY_CARDS[action]
    group.is_run = action >= LAY_RUN
    group.low = action - LAY_RUN if action >= LAY_RUN else (action - LAY_SET) // NUM_SUIT_CHOICES
    group.length = LAY_SIZES[action]


@jit
def last_face(group):
    """The highest card of a run."""
    high = group.low + group.length - 1
    return high if group.low // NUM_RANKS == high // NUM_RANKS else high - NUM_RANKS


@jit
def group_for(groups, num_groups, place, face):
    """Which group takes a card at a place, or NO_GROUP."""
    for i in range(num_groups):
        group = groups[i]
        if place == ON_SET:
            if not group.is_run and group.low == face % NUM_RANKS and group.length < 4:
                return i
        elif group.is_run and group.length < NUM_RANKS:
            end = face_below(group.low) if place == LOW_END else face_above(last_face(group))
            if end == face:
                return i
    return NO_GROUP


@jit
def extend_group(group, place, face):
    """Add a card at a place that takes it."""
    group.cards |= card(face)
    group.length += 1
    if place == LOW_END:
        group.low = face
    if group.length == NUM_RANKS:
        group.low -= group.low % NUM_RANKS


@jit
def what_fits(groups, num_groups, laid):
    """The cards that can be laid off: on sets, at the low and at the high ends of runs.

    The last `laid` groups were laid in this turn. The thirteenth card of a run goes to its high end.
    """
    on_set, low, high, on_table = NONE, NONE, NONE, NONE
    for i in range(num_groups):
        group = groups[i]
        is_new = i >= num_groups - laid
        on_table |= group.cards
        if not group.is_run:
            if not is_new:
                on_set |= SUITS << np.uint64(group.low) & ~group.cards
        elif group.length < NUM_RANKS:
            if not is_new and group.length < NUM_RANKS - 1:
                low |= card(face_below(group.low))
            if not is_new or group.length < NUM_RANKS - 1 or group.low % NUM_RANKS == 0:
                high |= card(face_above(last_face(group)))
    return on_set & ~on_table, low & ~on_table, high & ~on_table


@jit
def copied(groups):
    """The groups as an array of their own."""
    copies = np.zeros(MAX_GROUPS, GROUP)
    for i in range(MAX_GROUPS):
        copies[i] = groups[i]
    return copies


@jit
def lay_off(groups, num_groups, action):
    """Play a lay-off in the rows of groups; returns which group took the card."""
    place, face = (action - LAY_OFF) // NUM_FACES, (action - LAY_OFF) % NUM_FACES
    index = group_for(groups, num_groups, place, face)
    extend_group(groups[index], place, face)
    return index
