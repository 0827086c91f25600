"""`planner`: weighs every move by the chance that the goal is complete in time.

See odds.py for that chance. Around it stand the other things that matter: what a discard gives the
next seats, the points held once somebody is down, what a buy costs, and which groups to lay so that
little is left in hand. Everything that could be tuned is one table, `WEIGHTS`.
"""

import numpy as np

from agents.jo.heuristics.odds import (
    ODDS,
    chance,
    chance_after_discard,
    chance_after_draw,
    count_outs,
    critical_faces,
    gain_card,
    has_face,
    is_lacked,
    smallest_down,
    survey,
)
from agents.jo.heuristics.others import copies_between, use_to
from jo_env.bots import BatchBot
from jo_env.cards import NUM_FACES, NUM_RANKS, NUM_SUITS
from jo_env.jit import jit
from jo_env.jo.actions import (
    BUY,
    DISCARD,
    DRAW_STOCK,
    LAY_OFF,
    LAY_THREE,
    LOW_END,
    NUM_PLACES,
    PASS,
    TAKE_DISCARD,
)
from jo_env.jo.goals import MAX_GROUPS
from jo_env.jo.groups import (
    extend_group,
    face_after,
    face_before,
    face_wanted,
    move_group,
    room_on_table,
    suit_of,
    write_group,
)
from jo_env.jo.legal import end_of_lays, first_lay, next_lay
from jo_env.jo.points import FACE_POINTS
from jo_env.jo.rules import hand_points
from jo_env.jo.state import GROUP, MAX_SEATS, NO_FACE, Phase

_NAMES = {
    # How many more cards the seat may hope for before the hand ends:
    "hope": (22, 14, 17),  # at the start of a hand
    "hope_four": (0, 1, 1.2),  # more for every four of the goal
    "hope_decay": (0.5, 0.5, 0.471),  # fewer for every own turn
    "hope_least": (8, 9.5, 14.7),
    "hope_down": (5, 5, 8.04),  # once a seat is down
    "hope_down_card": (1.5, 1.5, 1.79),  # and for each card in the smallest hand of those
    "slack": (0.6, 0.6, 0.436),  # weight of plans that lack a card more
    # The discard, per chance of completing the goal:
    "points": (0.05, -0.2, -0.345),  # a hundred points thrown; below 0, as the others throw high cards too
    "points_four": (0, 0, 0.0248),  # likewise, more for every four of the goal
    "points_down": (0.2, 1, 1.38),  # likewise, once a seat is down
    "points_left": (0.1, 0.05, 0.0429),  # likewise, times the chance that the goal comes
    "keep_fit": (0.02, 0.05, 0.102),  # a card that will fit an own group
    "keep_layable": (0, 0.06, 0.131),  # a card that fits the table
    # The discard once down:
    "keep_near": (0.3, 0.35, 0.2),  # share of its points, a card that may come to fit
    "keep_use": (0.15, 0.3, 0.338),  # likewise, for what each seat that is not down may collect
    "card_worth": (5, 7, 9.34),  # points that a card less is worth
    # The top discard:
    "take_nearer": (0, 0.04, 0.114),  # chance by which a card that brings the goal nearer may be the worse
    "take_wide": (0, -0.02, -0.0163),  # likewise, a card that only adds outs
    "buy_cost": (0.02, 0.035, 0.0457),
    "buy_cost_down": (0.05, 0.03, 0.0408),  # once a seat is down
    "buy_wide": (0, 1.7, 3.53),  # buy also what only adds outs, with at most so many cards beyond the goal's
    "leftover_cost": (0.01, 0.022, 0.0466),  # share of the goal's worth lost by each card beyond
    # What a discard gives to the next seat:
    "feed": (0.05, 0.037, 0.0419),  # the card of most use to it
    "feed_known": (0.5, 0.5, 0.518),  # use of a card beside a known one
    "feed_unwanted": (0.3, 0.8, 0.978),  # factor where it threw or declined that face
    "feed_buyers": (0, 0.15, 0.354),  # factor for seats that would have to buy it
    "feed_late": (1, 1, 0.646),  # factor once a seat is down
    "feed_down": (0.2, 0.2, 0.0859),  # a card that a down seat may lay off
}
WEIGHTS = np.dtype((np.record, [(name, np.float64) for name in _NAMES]))


def default_weights() -> np.ndarray:
    """The tuned table, WEIGHTS[3]: one row for 2, 3 and 4 seats."""
    table = np.zeros(3, WEIGHTS)
    for name, values in _NAMES.items():
        table[name] = values
    return table


class Planner(BatchBot):
    """Weighs every move by the chance that the goal is complete in time."""

    def __init__(self, weights: np.ndarray | None = None) -> None:
        self.weights = default_weights() if weights is None else weights

    def choose(self, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        actions = np.zeros(len(views), np.int32)
        # A scratch record of its own for every call, so that threads may share a planner.
        _choose(views, masks, self.weights, np.zeros(1, ODDS), actions)
        return actions


@jit
def _choose(views, masks, weights, scratch, actions):
    values = np.zeros(NUM_FACES)
    for i in range(len(views)):
        actions[i] = plan(views[i], masks[i], weights[views[i].num_seats - 2], scratch[0], values)


@jit
def plan(view, mask, w, odds, values):
    """The planner's action; a discard comes with the worth of each in `values`, float64[52].

    `w` is the row of weights for the view's seats, `odds` a record to work in.
    """
    if view.phase == Phase.BUY:
        return _choose_buy(view, w, odds)
    if view.phase == Phase.DRAW:
        return _choose_draw(view, mask, w, odds)
    if view.seats[0].down:
        lay_off = _choose_lay_off(view, mask)
        if lay_off >= 0:
            return lay_off
        _value_when_down(view, mask, w, odds, values)
    elif _can_lay(view, mask):
        return _choose_lay(view, mask)
    else:
        _value_discards(view, mask, w, odds, values)
    return DISCARD + np.argmax(values)


@jit
def _goal_cards(view):
    return 3 * view.table.threes + 4 * view.table.fours


# --- buy and draw ---------------------------------------------------------------------------------


@jit
def _choose_buy(view, w, odds):
    """Ask for the top discard where the chance it adds outweighs what the two cards cost."""
    top = view.top
    nearer = view.own.nearer[top]
    leftover = view.seats[0].hand_size - _goal_cards(view)
    if not nearer and leftover > w.buy_wide:
        return PASS
    survey(view, w, odds)
    if not nearer and not is_lacked(odds, top):
        return PASS
    now = chance(odds, -1)
    gain_card(view, odds, top)
    then = chance_after_draw(odds)
    cost = w.buy_cost if smallest_down(view) < 0 else w.buy_cost_down
    then *= 1 - w.leftover_cost * (leftover + 2)
    gain = then - now * (1 - w.leftover_cost * leftover)
    return BUY if gain > cost * (1 - now) else PASS


@jit
def _choose_draw(view, mask, w, odds):
    if not mask[TAKE_DISCARD]:
        return DRAW_STOCK
    if not mask[DRAW_STOCK]:
        return TAKE_DISCARD
    top = view.top
    if view.seats[0].down:
        return TAKE_DISCARD if room_on_table(view.seats, top) > 0 else DRAW_STOCK
    if view.own.missing == 0:
        return DRAW_STOCK
    nearer = view.own.nearer[top]
    if nearer and view.own.missing == 1:
        return TAKE_DISCARD
    survey(view, w, odds)
    if not nearer and not is_lacked(odds, top):
        return DRAW_STOCK
    stock = chance_after_draw(odds)
    gain_card(view, odds, top)
    stock -= (w.take_nearer if nearer else w.take_wide) * (1 - stock)
    if chance(odds, -1) <= stock:
        return DRAW_STOCK
    return TAKE_DISCARD if chance_after_discard(view, odds, top) > stock else DRAW_STOCK


# --- discards -------------------------------------------------------------------------------------


@jit
def _value_discards(view, mask, w, odds, values):
    """The chance that each loss leaves, less what it gives away, plus the points thrown."""
    survey(view, w, odds)
    someone_down = smallest_down(view) >= 0
    points_weight = (w.points_down if someone_down else w.points + w.points_four * view.table.fours) / 100
    critical = critical_faces(odds)
    spare = chance(odds, -1)  # without a card that no plan needs
    for face in range(NUM_FACES):
        values[face] = -np.inf
        if not mask[DISCARD + face]:
            continue
        now = spare
        if has_face(critical, face):
            now = chance(odds, face)
        value = now + points_weight * FACE_POINTS[face] * (1 - now)
        value += w.points_left / 100 * FACE_POINTS[face] * now
        if fits_own(view, face):
            value -= w.keep_fit * now
        value -= _feed(view, w, odds, face) * (w.feed_late if someone_down else 1.0)
        if someone_down and room_on_table(view.seats, face) > 0:
            value -= w.keep_layable * now
        values[face] = value


@jit
def fits_own(view, face):
    """Whether the hand holds a whole group beside this card which it could be added to."""
    hand = view.own.hand
    rank, suit = face % NUM_RANKS, face // NUM_RANKS
    if view.table.threes > 0:
        held = 0
        for s in range(NUM_SUITS):
            held += hand[NUM_RANKS * s + rank]
        if held >= 4:
            return True
    if view.table.fours > 0:
        for step in (-1, 1):
            held = 0
            for i in range(1, 5):
                other = rank + step * i
                if rank == 0 and step == -1:
                    other += NUM_RANKS
                if other < 0 or other > NUM_RANKS:
                    break
                if hand[NUM_RANKS * suit + (other if other < NUM_RANKS else 0)] == 0:
                    break
                held += 1
            if held == 4:
                return True
    return False


@jit
def _feed(view, w, odds, face):
    """What a discard of this face gives to the seats that may take or buy it."""
    total = 0.0
    for r in range(1, view.num_seats):
        seat = view.seats[r]
        if not seat.down:
            if r == 1:
                total += w.feed * use_to(view, odds, r, face, w.feed_known, w.feed_unwanted)
            elif seat.buys_left > 0:
                total += w.feed * w.feed_buyers * use_to(view, odds, r, face, w.feed_known, w.feed_unwanted)
        elif r == 1 and room_on_table(view.seats, face) > 0:
            total += w.feed_down
    return total


@jit
def _value_when_down(view, mask, w, odds, values):
    """The points thrown, less the likelier a card is to fit later."""
    count_outs(view, odds)
    for face in range(NUM_FACES):
        values[face] = -np.inf
        if mask[DISCARD + face]:
            fits = w.keep_near * copies_between(view, face)
            for r in range(1, view.num_seats):
                if not view.seats[r].down:
                    fits += w.keep_use * use_to(view, odds, r, face, w.feed_known, w.feed_unwanted)
            values[face] = (w.card_worth + FACE_POINTS[face]) * (1 - min(fits, 1.0))


@jit
def _choose_lay_off(view, mask):
    best, best_value = -1, 0.0
    for action in range(LAY_OFF, DISCARD):
        if mask[action]:
            value = _lay_off_value(view, action - LAY_OFF)
            if best < 0 or value > best_value:
                best, best_value = action, value
    return best


@jit
def _lay_off_value(view, target):
    """Rather where the next card of a run is in hand as well, then on threes, which open nothing new."""
    slot, place = target // NUM_PLACES, target % NUM_PLACES
    group = view.seats[slot // MAX_GROUPS].groups[slot % MAX_GROUPS]
    if group.is_three:
        return 1.0
    suit = suit_of(group)
    if place == LOW_END:
        after = face_before(suit, group.low - 1, group.length + 1)
    else:
        after = face_after(suit, group.low, group.length + 1)
    if after >= 0 and view.own.hand[after] - (face_wanted(group, place) == after) > 0:
        return 2.0
    return 0.0


# --- going down -----------------------------------------------------------------------------------


@jit
def _can_lay(view, mask):
    if view.own.missing > 0:
        return False
    for action in range(LAY_THREE, LAY_OFF):
        if mask[action]:
            return True
    return False


@jit
def _choose_lay(view, mask):
    """The first group of the go-down after which the fewest points are left in hand."""
    hand = view.own.hand  # put back as it was
    threes = max(view.table.threes - view.groups_laid, 0)
    groups = view.table.threes + view.table.fours - view.groups_laid
    chosen = np.zeros(MAX_GROUPS + 1, np.int64)
    chosen[0] = max(view.last_lay, first_lay(threes))
    best, best_points = -1, 0
    depth = 0
    while depth >= 0:
        # Depth-first over the lay actions in order, as legal.can_complete.
        action, end = LAY_OFF, LAY_OFF
        if depth < groups:
            end = end_of_lays(threes - depth)
            action = next_lay(view, max(chosen[depth], first_lay(threes - depth)), end)
        elif mask[chosen[0]]:
            points = _points_left(view, hand, chosen, groups)
            if best < 0 or points < best_points:
                best, best_points = chosen[0], points
        if action < end:
            move_group(hand, action, -1)
            chosen[depth] = action
            depth += 1
            chosen[depth] = action
        else:
            depth -= 1
            if depth >= 0:
                move_group(hand, chosen[depth], 1)
                chosen[depth] += 1
    return best


@jit
def _points_left(view, hand, chosen, num_chosen):
    """Points left of `hand` once these groups are laid and all that fits the table is laid off."""
    left = hand.copy()
    groups = np.zeros((MAX_SEATS + 1) * MAX_GROUPS, GROUP)
    for r in range(view.num_seats):
        for i in range(MAX_GROUPS):
            groups[MAX_GROUPS * r + i] = view.seats[r].groups[i]
    for i in range(num_chosen):
        write_group(groups[MAX_GROUPS * MAX_SEATS + i], chosen[i])
    for i in range(len(groups)):
        for place in range(NUM_PLACES):
            face = face_wanted(groups[i], place)
            while face != NO_FACE and left[face] > 0:
                left[face] -= 1
                extend_group(groups[i], place)
                face = face_wanted(groups[i], place)
    return hand_points(left)
