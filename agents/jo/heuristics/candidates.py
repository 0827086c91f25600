"""The moves worth comparing at a decision: the planner's, and those that could be better."""

import numpy as np

from agents.candidates import MOST_MOVES
from agents.jo.heuristics.odds import is_lacked, survey
from agents.jo.heuristics.planner import plan
from jo_env.jit import jit
from jo_env.jo.actions import BUY, DISCARD, DRAW_STOCK, PASS, TAKE_DISCARD
from jo_env.jo.state import Phase

MOST_BEHIND = 0.15  # of a chance: discards that the planner thinks worse than that are not worth a thought
MOST_BEHIND_DOWN = 8.0  # likewise once down, in points


@jit
def list_moves(view, mask, w, odds, worths, moves, behind):
    """Write the planner's move and then those worth comparing it with; returns how many there are.

    Buying or taking is a question where the card brings the goal nearer, or a plan lacks it, or the planner
    wants it; a discard where several come near the best. Going down and laying off are the planner's to
    decide. `moves` int64[MOST_MOVES]; `behind` float64[MOST_MOVES] is by how much the planner thinks a
    discard worse than its own. `w` are the planner's weights for the seats, `odds` and `worths` scratch.
    """
    behind[:] = 0
    moves[0] = plan(view, mask, w, odds, worths)
    if view.phase != Phase.PLAY:
        if view.phase == Phase.BUY:
            moves[1] = PASS if moves[0] == BUY else BUY
        else:
            moves[1] = DRAW_STOCK if moves[0] == TAKE_DISCARD else TAKE_DISCARD
        return 2 if mask[moves[1]] and is_question(view, moves[0], w, odds) else 1
    if moves[0] < DISCARD:
        return 1
    best = worths[moves[0] - DISCARD]
    worths[moves[0] - DISCARD] = -np.inf
    most_behind = MOST_BEHIND_DOWN if view.seats[0].down else MOST_BEHIND
    num_moves = 1
    while num_moves < MOST_MOVES:
        face = np.argmax(worths)
        if best - worths[face] > most_behind:
            break
        moves[num_moves] = DISCARD + face
        behind[num_moves] = best - worths[face]
        worths[face] = -np.inf
        num_moves += 1
    return num_moves


@jit
def is_question(view, move, w, odds):
    """Whether taking or buying the top is worth a thought; `move` is the planner's."""
    if move in (BUY, TAKE_DISCARD) or view.own.nearer[view.top]:
        return True
    if view.seats[0].down or view.own.missing == 0:
        return False
    survey(view, w, odds)
    return is_lacked(odds, view.top)
