"""What a policy reads of Rummy Bo: the observation, and after it what the planner makes of the moves at hand.

For each discard: what the hand it leaves would pay, how much of it would be loose, and how near the planner
comes to it. For the draw: what the pile would change. All of it follows from the seat's view, so a network
need not learn to part hands into sets, only to judge.
"""

import numpy as np

from agents.layout import MOST, Layout, arrange, blocks_after
from agents.rummy_bo.heuristics.candidates import first_lay
from agents.rummy_bo.heuristics.greedy import offered
from agents.rummy_bo.heuristics.hands import can_go_out, near_cards
from agents.rummy_bo.heuristics.planner import default_weights, first_lay_off, hope, plan
from jo_env import rummy_bo
from jo_env.bits import popcount
from jo_env.cards import NUM_FACES
from jo_env.jit import jit
from jo_env.masks import NO_ACTION
from jo_env.records import record
from jo_env.rummy_bo.actions import DISCARD, LAY_SET, NUM_ACTIONS, TAKE_DISCARD, TAKE_TWO
from jo_env.rummy_bo.bits import NONE, card
from jo_env.rummy_bo.legal import legal_actions
from jo_env.rummy_bo.payment import least_count
from jo_env.rummy_bo.state import Phase

NUM_LAYS = DISCARD - LAY_SET
SCRATCH = record(("worths", np.float64, NUM_FACES), ("mask", np.int8, NUM_ACTIONS), ("padding", np.int8, 7))

_BLOCKS = [
    ("offered", NUM_FACES),  # the cards that a take from the pile brings
    ("outs", NUM_FACES),  # unseen cards that lower what the hand pays with them: by how much, in points
    ("near", NUM_FACES),  # unseen cards near the loose ones of the hand
    ("left_count", NUM_FACES),  # to play: what the hand would pay after this discard
    ("left_loose", NUM_FACES),  # likewise, how many of its cards would be loose
    ("favor", NUM_FACES),  # to play: how near the planner's worth of this discard comes to its best
    ("planned", 1),  # 1 where the planner would take from the pile
    ("can_go_out", 1),  # to play: 1 where the hand can end in this turn
    ("hope", 1),  # what a card drawn at random takes off the planner's cost, in tenths of points
    ("num_loose", 1),
    ("taking", 1),  # to draw: what the pile's cards change in what the hand pays, in points
    # 1 for what the planner would lay or lay off, or, where it discards, could: actions 4 to 276
    ("planned_lay", NUM_LAYS),
]
_OFFSETS = np.cumsum([rummy_bo.OBSERVATION_SIZE] + [size for _, size in _BLOCKS])
OFFERED, OUTS, NEAR, LEFT_COUNT, LEFT_LOOSE, FAVOR, PLANNED = (int(o) for o in _OFFSETS[:7])
CAN_GO_OUT, HOPE, NUM_LOOSE, TAKING, PLANNED_LAY, NUM_DESCRIBED = (int(o) for o in _OFFSETS[7:])

_WEIGHTS = default_weights()
_FAVOR_A_POINT = 6.0

# What brings counts of cards, points and turns near one.
_RANGES = {
    "hand_size": 10,
    "score_tens": 10,
    "score_units": 10,
    "stock_size": 30,
    "discard_size": 10,
    "turns_tens": 2,
    "turns_units": 10,
    "hands_left": 4,
    "laid": 3,
    "laid_off": 3,
    "least_count_tens": 5,
    "least_count_units": 10,
    "thrown": 2,
    "outs": 20,
    "left_count": 50,
    "left_loose": 6,
    "favor": 60,
    "hope": 40,
    "num_loose": 6,
    "taking": 20,
}

LAYOUT = Layout(
    blocks=blocks_after(rummy_bo.observation_layout(), rummy_bo.OBSERVATION_SIZE, _BLOCKS),
    ranges=_RANGES,
    num_actions=NUM_ACTIONS,
    discards=DISCARD,
    lays=LAY_SET,
    takes=[TAKE_TWO, TAKE_DISCARD],
    offer="offered",
    made_of=[[list(row) for row in _WEIGHTS.tolist()], _FAVOR_A_POINT],
)


def features_of(views: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Features int8[N, num_features] of VIEW[N], written into `out` where it is given."""
    features = np.empty((len(views), LAYOUT.num_features), np.int8) if out is None else out
    view_bytes = views.view(np.int8).reshape(len(views), -1)
    scratch, row = np.zeros(1, SCRATCH), np.zeros(NUM_DESCRIBED, np.int8)
    places = LAYOUT.face_places, LAYOUT.other_places
    _write_all(views, view_bytes, _WEIGHTS, scratch, row, *places, features)
    return features


@jit
def _write_all(views, view_bytes, weights, scratch, row, face_places, other_places, features):
    for i in range(len(views)):
        describe_view(views[i], view_bytes[i], weights[views[i].num_seats - 2], scratch[0], row)
        arrange(row, face_places, other_places, features[i])


@jit
def describe_view(view, view_bytes, w, scratch, row):
    """What a view says, block by block: int8[NUM_DESCRIBED].

    `w` is the row of the planner's weights, `scratch` a SCRATCH record.
    """
    row[: rummy_bo.OBSERVATION_SIZE] = view_bytes[: rummy_bo.OBSERVATION_SIZE]
    row[OFFERED:] = 0
    near = near_cards(view.loose) & view.hidden
    row[NUM_LOOSE] = popcount(view.loose)
    row[HOPE] = small(10 * hope(view, view.cards, w))
    for face in range(NUM_FACES):
        if near & card(face):
            row[NEAR + face] = 1
            with_it, _ = least_count(view.cards | card(face))
            row[OUTS + face] = small(max(view.least_count - with_it, 0))
    legal_actions(view, scratch.mask)
    action = plan(view, scratch.mask, w, scratch.worths)
    if view.phase == Phase.DRAW:
        describe_draw(view, row, action)
    else:
        row[CAN_GO_OUT] = can_go_out(view, view.cards)
        describe_play(view, row, scratch, action)


@jit
def describe_draw(view, row, action):
    row[PLANNED] = action in (TAKE_TWO, TAKE_DISCARD)
    if view.discard_size > 0:
        cards = offered(view)
        for face in range(NUM_FACES):
            row[OFFERED + face] = (cards & card(face)) != NONE
        row[TAKING] = small(view.least_count - least_count(view.cards | cards)[0])


@jit
def describe_play(view, row, scratch, action):
    """What each discard leaves; the planner's has a favor of 127, what it thinks worse has less."""
    for face in range(NUM_FACES):
        if scratch.mask[DISCARD + face]:
            count, loose = least_count(view.cards & ~card(face))
            row[LEFT_COUNT + face] = small(count)
            row[LEFT_LOOSE + face] = popcount(loose)
    if action < DISCARD:
        row[PLANNED_LAY + action - LAY_SET] = 1
        return
    for other in (first_lay_off(view, scratch.mask), first_lay(view, scratch.mask)):
        if other != NO_ACTION:
            row[PLANNED_LAY + other - LAY_SET] = 1
    best = scratch.worths[action - DISCARD]
    for face in range(NUM_FACES):
        if scratch.mask[DISCARD + face]:
            row[FAVOR + face] = max(MOST - round(_FAVOR_A_POINT * (best - scratch.worths[face])), 0)


@jit
def small(value):
    """A number as an int8, cut off at 127."""
    return min(max(round(value), -MOST), MOST)
