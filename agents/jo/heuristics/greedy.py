"""`greedy`: nearest to the goal, without memory.

It takes and buys what brings the goal nearer, throws what costs it least (of those the card with the
most points), goes down and lays off as soon as it can, and is then rid of its most expensive cards.
"""

import numpy as np

from jo_env.bots import BatchBot
from jo_env.cards import NUM_FACES
from jo_env.jit import jit
from jo_env.jo.actions import BUY, DISCARD, DRAW_STOCK, LAY_THREE, PASS, TAKE_DISCARD
from jo_env.jo.groups import room_on_table
from jo_env.jo.points import FACE_POINTS
from jo_env.jo.solver import solve_changed
from jo_env.jo.state import Phase


class Greedy(BatchBot):
    """Nearest to the goal, without memory."""

    def choose(self, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        actions = np.zeros(len(views), np.int32)
        _choose(views, masks, actions)
        return actions


@jit
def _choose(views, masks, actions):
    nearer = np.zeros(NUM_FACES, np.int8)
    for i in range(len(views)):
        actions[i] = grab(views[i], masks[i], nearer)


@jit
def grab(view, mask, nearer):
    """Greedy's action; `nearer` int8[52] is scratch."""
    if view.phase == Phase.BUY:
        return BUY if view.own.nearer[view.top] else PASS
    if view.phase == Phase.DRAW:
        return _choose_draw(view, mask)
    meld = first_meld(mask)
    return meld if meld < DISCARD else DISCARD + _choose_discard(view, mask, nearer)


@jit
def _choose_draw(view, mask):
    if not mask[TAKE_DISCARD]:
        return DRAW_STOCK
    is_useful = room_on_table(view.seats, view.top) > 0 if view.seats[0].down else view.own.nearer[view.top]
    return TAKE_DISCARD if is_useful or not mask[DRAW_STOCK] else DRAW_STOCK


@jit
def first_meld(mask):
    """The first legal lay or lay-off, or `DISCARD` where there is none."""
    for action in range(LAY_THREE, DISCARD):
        if mask[action]:
            return action
    return DISCARD


@jit
def _choose_discard(view, mask, nearer):
    """The face whose loss leaves the fewest cards missing; where equal, the one with the most points."""
    hand = view.own.hand
    best, best_cost = -1, 0
    for face in range(NUM_FACES):
        if not mask[DISCARD + face]:
            continue
        cost = -FACE_POINTS[face]
        if not view.seats[0].down:
            hand[face] -= 1
            cost += 100 * solve_changed(view, hand, face, view.table.threes, view.table.fours, nearer)
            hand[face] += 1
        if best < 0 or cost < best_cost:
            best, best_cost = face, cost
    return best
