"""Which actions are legal, from a seat's view. See turn.py for when a turn can be finished."""

import numpy as np

from jo_env.bits import popcount
from jo_env.cards import NUM_SUITS
from jo_env.jit import jit
from jo_env.masks import mark, mark_all
from jo_env.rummy_bo.actions import (
    DISCARD,
    DRAW_STOCK,
    LAY_OFF,
    LAY_OFF_HIGH,
    LAY_OFF_LOW,
    LAY_RUN,
    LAY_SET,
    MASK,
    NUM_ACTIONS,
    NUM_SUIT_CHOICES,
    SUIT_CHOICES,
    TAKE_DISCARD,
    TAKE_TWO,
    TURN_OVER,
)
from jo_env.rummy_bo.bits import NONE, ONE, lowest, ranks_held_thrice, run_starts, suits_of_rank
from jo_env.rummy_bo.state import NUM_DRAWN, Phase
from jo_env.rummy_bo.turn import can_finish

_NUM_WORDS = NUM_ACTIONS // 8  # of a mask, eight actions in each; the last discard stands alone
_LAST = np.uint64(NUM_ACTIONS - 1 - DISCARD)

# The choices of suits that can be laid of a rank, a bit each, by the suits held.
_CHOICES_HELD = np.array(
    [
        sum(1 << t for t, suits in enumerate(SUIT_CHOICES) if all(held >> suit & 1 for suit in suits))
        for held in range(1 << NUM_SUITS)
    ],
    np.uint64,
)


@jit
def legal_actions(view, mask):
    """Write 1 for every legal action of the seat asked and 0 elsewhere; mask is int8[329]."""
    mark_legal(view, mask.view(MASK)[0])


@jit
def mark_legal(view, mask):
    """The same, into a mask as a record `MASK`."""
    words = mask.words
    for w in range(_NUM_WORDS):
        words[w] = 0
    mask.actions[NUM_ACTIONS - 1] = 0
    if view.phase == Phase.DRAW:
        legal_draws(view, mask)
    elif view.phase == Phase.PLAY:
        legal_lays(view, mask)
        legal_lay_offs(view, mask)
        legal_discards(view, mask)
        if view.cards & view.taken != NONE:
            refuse_stranding(view, mask)


@jit
def legal_draws(view, mask):
    """From the stock while it has a card, or two from the pile; an empty stock leaves two other choices."""
    if view.stock_size > 0:
        two = mark(TAKE_TWO) if view.discard_size >= NUM_DRAWN else NONE
        mask.words[0] = mark(DRAW_STOCK) | two
    else:
        mask.words[0] = mark(TAKE_DISCARD) | mark(TURN_OVER)


@jit
def legal_lays(view, mask):
    """Matched sets of the hand, each with a higher index than the one laid before; none after a lay-off."""
    first = view.first_lay
    if first >= LAY_OFF:
        return
    ranks = ranks_held_thrice(view.cards)
    while ranks != NONE:
        rank = lowest(ranks)
        ranks &= ranks - ONE
        action = LAY_SET + NUM_SUIT_CHOICES * rank
        choices = from_bit(_CHOICES_HELD[suits_of_rank(view.cards, rank)], first - action)
        mark_all(mask.words, action, choices, 2)
    starts = from_bit(run_starts(view.cards), first - LAY_RUN)
    if starts != NONE:
        mark_all(mask.words, LAY_RUN, starts, 8)


@jit
def from_bit(bits, place):
    """The bits from a place on (at most 63); all of them for a place below 0."""
    shift = np.uint64(min(max(place, 0), 63))
    return bits >> shift << shift


@jit
def legal_lay_offs(view, mask):
    """Any card that fits any group, whoever laid it."""
    on_set, low, high = view.cards & view.fits_set, view.cards & view.fits_low, view.cards & view.fits_high
    if on_set | low | high != NONE:
        mark_all(mask.words, LAY_OFF, on_set, 7)
        mark_all(mask.words, LAY_OFF_LOW, low, 8)
        mark_all(mask.words, LAY_OFF_HIGH, high, 7)


@jit
def legal_discards(view, mask):
    """Any card but those just taken from the pile."""
    faces = view.cards & ~view.taken
    mark_all(mask.words, DISCARD, faces, _NUM_WORDS - DISCARD // 8)
    mask.actions[NUM_ACTIONS - 1] = np.int8(faces >> _LAST & ONE)


@jit
def refuse_stranding(view, mask):
    """Unmark what would leave a hand that can neither be got rid of nor discarded from."""
    free = popcount(view.cards & ~view.taken)
    if free > NUM_SUITS:
        return  # no lay takes so many
    if view.first_lay < LAY_OFF:
        for action in range(view.first_lay, LAY_OFF):
            if mask.actions[action] and not can_finish(view, action):
                mask.actions[action] = 0
    if free <= 1:
        for action in range(LAY_OFF, DISCARD):
            if mask.actions[action] and not can_finish(view, action):
                mask.actions[action] = 0
