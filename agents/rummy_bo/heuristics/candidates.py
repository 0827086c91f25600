"""The moves worth comparing at a decision: the planner's, and those that could be better."""

import numpy as np

from agents.candidates import MOST_MOVES
from agents.rummy_bo.heuristics.planner import first_lay_off, plan
from jo_env.jit import jit
from jo_env.masks import NO_ACTION
from jo_env.rummy_bo.actions import DISCARD, DRAW_STOCK, LAY_OFF, TAKE_DISCARD, TAKE_TWO, TURN_OVER
from jo_env.rummy_bo.state import Phase

MOST_BEHIND = 12.0  # points: discards that the planner thinks worse than that are not worth a thought


@jit
def list_moves(view, mask, w, worths, moves, behind):
    """Write the planner's move and then those worth comparing it with; returns how many there are.

    Taking from the pile always is a question. Where the planner discards, so are the discards that come near
    its own, to lay off a loose card, and to lay the first group it can. Going out is the planner's to decide.
    `moves` int64[MOST_MOVES]; `behind` float64[MOST_MOVES] is by how many points the planner thinks a discard
    worse than its own. `w` are the planner's weights for the seats, `worths` float64[52] is scratch.
    """
    behind[:] = 0
    moves[0] = plan(view, mask, w, worths)
    if view.phase == Phase.DRAW:
        return _other_draw(mask, moves)
    if moves[0] < DISCARD:
        return 1
    num_moves = 1
    for action in (first_lay_off(view, mask), first_lay(view, mask)):
        if action != NO_ACTION:
            moves[num_moves] = action
            num_moves += 1
    best = worths[moves[0] - DISCARD]
    worths[moves[0] - DISCARD] = -np.inf
    while num_moves < MOST_MOVES:
        face = np.argmax(worths)
        if best - worths[face] > MOST_BEHIND:
            break
        moves[num_moves] = DISCARD + face
        behind[num_moves] = best - worths[face]
        worths[face] = -np.inf
        num_moves += 1
    return num_moves


@jit
def first_lay(view, mask):
    """The first group that can be laid, or NO_ACTION."""
    for action in range(view.first_lay, LAY_OFF):
        if mask[action]:
            return action
    return NO_ACTION


@jit
def _other_draw(mask, moves):
    """Where the planner draws, the take beside it; where it takes, the draw."""
    draws = DRAW_STOCK if mask[DRAW_STOCK] else TURN_OVER
    takes = TAKE_TWO if mask[TAKE_TWO] else TAKE_DISCARD
    moves[1] = draws if moves[0] == takes else takes
    return 2 if mask[moves[1]] else 1
