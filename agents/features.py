"""What a policy reads: the observation, and after it what the solver says of the moves at hand.

The observation says how far the goal is. Here each discard and the top of the pile are tried out as
well, so that a network need not learn to solve hands. All of it follows from the seat's view.
"""

import hashlib
import json

import numpy as np

from jo_env import jo
from jo_env.cards import NUM_FACES
from jo_env.jit import jit
from jo_env.jo.actions import NUM_PLACES
from jo_env.jo.goals import MAX_GROUPS
from jo_env.jo.groups import face_wanted
from jo_env.jo.solver import solve_changed
from jo_env.jo.state import NO_FACE, Phase

MOST = 127  # of an int8

_BLOCKS = [
    ("needed", NUM_FACES),  # to play: 1 where the goal is farther away without this card of the hand
    ("outs_without", NUM_FACES),  # likewise: unseen cards that would then bring it nearer
    ("fits", NUM_FACES),  # 1 where a group on the table takes this face
    ("outs", 1),  # to buy or draw: unseen cards that bring the goal nearer
    ("outs_with_top", 1),  # likewise, with the top discard in hand
]
_OFFSETS = np.cumsum([jo.OBSERVATION_SIZE] + [size for _, size in _BLOCKS])
NEEDED, OUTS_WITHOUT, FITS, OUTS, OUTS_WITH_TOP, NUM_FEATURES = (int(offset) for offset in _OFFSETS)


def feature_layout() -> list[tuple[str, int, int]]:
    """The features as a table: (block, offset, size) in order, the observation's blocks first."""
    extra = [(name, int(offset), size) for (name, size), offset in zip(_BLOCKS, _OFFSETS, strict=False)]
    return jo.observation_layout() + extra


def layout_hash() -> str:
    """SHA-256 of the layout: a policy reads the features it was trained on and no others."""
    return hashlib.sha256(json.dumps(feature_layout()).encode()).hexdigest()


def features_of(views: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """Features int8[N, NUM_FEATURES] of VIEW[N], written into `out` where it is given."""
    features = np.empty((len(views), NUM_FEATURES), np.int8) if out is None else out
    features[:, : jo.OBSERVATION_SIZE] = views.view(np.int8).reshape(len(views), -1)[:, : jo.OBSERVATION_SIZE]
    write_features(views, features)
    return features


@jit
def write_features(views, features):
    """Write what follows the observation into int8[N, NUM_FEATURES]; views are VIEW[N]."""
    nearer = np.zeros(NUM_FACES, np.int8)
    for i in range(len(views)):
        view, row = views[i], features[i]
        row[NEEDED:] = 0
        mark_fits(view, row)
        if view.seats[0].down or view.groups_laid > 0:
            continue
        if view.phase == Phase.PLAY:
            try_discards(view, row, nearer)
        elif view.own.missing > 0:
            row[OUTS] = count_outs(view, view.own.nearer)
            try_top(view, row, nearer)


@jit
def count_outs(view, nearer):
    """Unseen cards of the faces marked."""
    outs = 0
    for face in range(NUM_FACES):
        outs += view.unseen[face] * nearer[face]
    return min(outs, MOST)


@jit
def try_discards(view, row, nearer):
    hand = view.own.hand
    for face in range(NUM_FACES):
        if hand[face] > 0:
            hand[face] -= 1
            missing = solve_changed(view, hand, face, view.table.threes, view.table.fours, nearer)
            hand[face] += 1
            row[NEEDED + face] = missing > view.own.missing
            row[OUTS_WITHOUT + face] = count_outs(view, nearer)


@jit
def try_top(view, row, nearer):
    hand = view.own.hand
    if view.top != NO_FACE:
        hand[view.top] += 1
        solve_changed(view, hand, view.top, view.table.threes, view.table.fours, nearer)
        hand[view.top] -= 1
        row[OUTS_WITH_TOP] = count_outs(view, nearer)


@jit
def mark_fits(view, row):
    for r in range(view.num_seats):
        for g in range(MAX_GROUPS):
            group = view.seats[r].groups[g]
            if group.length == 0:
                break
            for place in range(NUM_PLACES):
                face = face_wanted(group, place)
                if face != NO_FACE:
                    row[FITS + face] = 1
