"""`planner`: holds its sets until it can go out with all of them at once.

What a hand holds in matched sets pays nothing, so laying early only helps the others and gives away the
double payment for going *rummy*; laying at once where somebody has few cards was tried, and loses. So it goes
out when it can, lays off loose cards once the pile was turned over, and otherwise weighs what is left in
hand: the points of its loose cards, how many they are, and the outs, the unseen cards that would match them.
Everything that could be tuned is one table, `WEIGHTS`.
"""

import numpy as np

from agents.rummy_bo.heuristics.greedy import offered
from agents.rummy_bo.heuristics.hands import first_meld, near_cards, step_out, stranded
from jo_env import rummy_bo
from jo_env.bits import popcount
from jo_env.bots import BatchBot
from jo_env.cards import NUM_FACES, NUM_RANKS
from jo_env.jit import jit
from jo_env.masks import NO_ACTION
from jo_env.rummy_bo.actions import DISCARD, DRAW_STOCK, LAY_OFF, TAKE_DISCARD, TAKE_TWO, TURN_OVER
from jo_env.rummy_bo.bits import NONE, ONE, card, lowest
from jo_env.rummy_bo.payment import RANK_POINTS, least_count
from jo_env.rummy_bo.state import MAX_SEATS, Phase

_NAMES = {
    "loose": (10, 10, 10, 10, 10),  # points that a loose card more costs, beside its count
    "count": (0.5, 0.5, 0.5, 0.5, 0.5),  # share of the least count
    "outs": (1, 1, 1, 1, 1),  # share of what an unseen card gains on average, for the draws to come
    "feed": (2, 2, 2, 2, 2),  # a discard that lies near cards known to be the next seat's
    "taken": (2, 2, 2, 2, 2),  # against taking: others see the cards, and they may not be thrown
}
WEIGHTS = np.dtype((np.record, [(name, np.float64) for name in _NAMES]))
DRAWS = 4.0  # cards that a seat may hope for before the hand ends


def default_weights() -> np.ndarray:
    """The table, WEIGHTS[5]: one row for 2 to 6 seats."""
    table = np.zeros(MAX_SEATS - 1, WEIGHTS)
    for name, values in _NAMES.items():
        table[name] = values
    return table


class Planner(BatchBot):
    """Holds its sets until it can go out with all of them at once."""

    room = rummy_bo

    def __init__(self, weights: np.ndarray | None = None) -> None:
        self.weights = default_weights() if weights is None else weights

    def choose(self, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        actions = np.zeros(len(views), np.int32)
        _choose(views, masks, self.weights, actions)
        return actions


@jit
def _choose(views, masks, weights, actions):
    worths = np.zeros(NUM_FACES)
    for i in range(len(views)):
        actions[i] = plan(views[i], masks[i], weights[views[i].num_seats - 2], worths)


@jit
def plan(view, mask, w, worths):
    """The planner's action; a discard comes with the worth of each in `worths`, float64[52].

    `w` is the row of weights for the view's seats.
    """
    if view.phase == Phase.DRAW:
        return _choose_draw(view, mask, w)
    step = step_out(view, mask)
    if step != NO_ACTION:
        return step
    if view.cards & ~view.taken == NONE:  # nothing may be thrown: what was taken is to be laid off
        return first_meld(view, mask)
    if view.turned_over:  # there is little to come, and nobody goes rummy any more
        action = first_lay_off(view, mask)
        if action != NO_ACTION:
            return action
    value_discards(view, mask, w, worths)
    return DISCARD + np.argmax(worths)


@jit
def first_lay_off(view, mask):
    """The first lay-off of a loose card, or NO_ACTION."""
    for action in range(LAY_OFF, DISCARD):
        if mask[action] and view.loose & card((action - LAY_OFF) % NUM_FACES):
            return action
    return NO_ACTION


# --- what a hand is worth -------------------------------------------------------------------------


@jit
def cost(view, cards, w):
    """What the loose cards of a hand cost: their points and their number, those the table takes left out."""
    points, _ = least_count(cards)
    return w.count * points + w.loose * popcount(stranded(view, cards))


@jit
def hope(view, cards, w):
    """What a card drawn at random takes off the cost, on average."""
    _, loose = least_count(cards)
    useful = near_cards(loose) & view.hidden
    num_hidden = popcount(view.hidden)
    if num_hidden == 0:
        return 0.0
    now = cost(view, cards, w)
    gain = 0.0
    while useful != NONE:
        face = card(lowest(useful))
        useful &= useful - ONE
        gain += max(now - cost(view, cards | face, w), 0.0)
    return gain / num_hidden


@jit
def hand_worth(view, cards, w):
    return -cost(view, cards, w) + w.outs * DRAWS * hope(view, cards, w)


# --- the draw -------------------------------------------------------------------------------------


@jit
def _choose_draw(view, mask, w):
    """What the pile offers, against what the stock may bring."""
    takes = TAKE_TWO if mask[TAKE_TWO] else TAKE_DISCARD if mask[TAKE_DISCARD] else NO_ACTION
    stock = DRAW_STOCK if mask[DRAW_STOCK] else TURN_OVER
    if takes == NO_ACTION:
        return stock
    taking = -cost(view, view.cards | offered(view), w) - w.taken
    if stock == TURN_OVER:
        drawing = -cost(view, view.cards | card(view.discard[0]), w)
    elif view.turned_over:
        drawn = card(view.stock[view.stock_size - 1])
        if view.stock_size > 1:
            drawn |= card(view.stock[view.stock_size - 2])
        drawing = -cost(view, view.cards | drawn, w)
    else:
        num_drawn = min(view.stock_size, 2)
        drawing = -cost(view, view.cards, w) + num_drawn * (hope(view, view.cards, w) - _stray_cost(view, w))
    return takes if taking > drawing else stock


@jit
def _stray_cost(view, w):
    """What a card drawn at random costs where it matches nothing: its points, and that it is loose."""
    num_hidden = popcount(view.hidden)
    if num_hidden == 0:
        return 0.0
    points = 0
    left = view.hidden
    while left != NONE:
        points += RANK_POINTS[lowest(left) % NUM_RANKS]
        left &= left - ONE
    return w.loose + w.count * points / num_hidden


# --- the discard ----------------------------------------------------------------------------------


@jit
def value_discards(view, mask, w, worths):
    """The worth of the hand that each discard leaves, less what it gives to the next seat."""
    known = NONE
    for face in range(NUM_FACES):
        if view.seats[1].known[face]:
            known |= card(face)
    wanted = near_cards(known)
    on_table = view.fits_set | view.fits_low | view.fits_high
    for face in range(NUM_FACES):
        worths[face] = -np.inf
        if mask[DISCARD + face]:
            thrown = card(face)
            worth = hand_worth(view, view.cards & ~thrown, w)
            if thrown & (wanted | on_table):
                worth -= w.feed
            worths[face] = worth
