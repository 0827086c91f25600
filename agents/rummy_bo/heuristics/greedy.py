"""`greedy`: lays what it can at once, and takes what makes a set.

It takes the two top discards when they lower what it would pay, lays and lays off as soon as it can, and
throws the most expensive of its loose cards.
"""

import numpy as np

from agents.rummy_bo.heuristics.hands import first_meld
from jo_env import rummy_bo
from jo_env.bots import BatchBot
from jo_env.cards import NUM_FACES, NUM_RANKS
from jo_env.jit import jit
from jo_env.masks import NO_ACTION
from jo_env.rummy_bo.actions import DISCARD, DRAW_STOCK, TAKE_DISCARD, TAKE_TWO, TURN_OVER
from jo_env.rummy_bo.bits import card
from jo_env.rummy_bo.payment import RANK_POINTS, least_count
from jo_env.rummy_bo.state import Phase


class Greedy(BatchBot):
    """Lays what it can at once, and takes what makes a set."""

    room = rummy_bo

    def choose(self, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        actions = np.zeros(len(views), np.int32)
        _choose(views, masks, actions)
        return actions


@jit
def _choose(views, masks, actions):
    for i in range(len(views)):
        actions[i] = grab(views[i], masks[i])


@jit
def grab(view, mask):
    """Greedy's action."""
    if view.phase == Phase.DRAW:
        return _choose_draw(view, mask)
    meld = first_meld(view, mask)
    if meld != NO_ACTION:
        return meld
    best, most = NO_ACTION, -1
    for face in range(NUM_FACES):
        if mask[DISCARD + face]:
            is_loose = view.loose & card(face)
            worth = RANK_POINTS[face % NUM_RANKS] + (100 if is_loose else 0)
            if worth > most:
                best, most = DISCARD + face, worth
    return best


@jit
def _choose_draw(view, mask):
    """From the pile where that lowers the least count."""
    takes = TAKE_TWO if mask[TAKE_TWO] else TAKE_DISCARD if mask[TAKE_DISCARD] else NO_ACTION
    if takes != NO_ACTION and least_count(view.cards | offered(view))[0] < view.least_count:
        return takes
    return DRAW_STOCK if mask[DRAW_STOCK] else TURN_OVER


@jit
def offered(view):
    """What a seat that takes from the pile gets: two cards, or the top one at an empty stock."""
    cards = card(view.discard[view.discard_size - 1])
    if view.stock_size > 0 and view.discard_size > 1:
        cards |= card(view.discard[view.discard_size - 2])
    return cards
