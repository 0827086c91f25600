"""`planner-improved` of Jo: the planner's candidates, judged by advantages that were learned."""

from pathlib import Path

import numpy as np

from agents.candidates import MOST_MOVES
from agents.iteration.advantages import judge_all
from agents.iteration.improved import Improved
from agents.jo.features import NUM_DESCRIBED, SCRATCH, describe_view
from agents.jo.heuristics.candidates import list_moves
from agents.jo.heuristics.planner import default_weights
from agents.jo.iteration.traits import KINDS, NUM_TAKING, NUM_TRAITS, kind_of, write_traits
from jo_env import jo
from jo_env.jit import jit
from jo_env.jo.actions import BUY, TAKE_DISCARD
from jo_env.records import record

# What one decision takes to work in.
DESK = record(
    ("scratch", SCRATCH),
    ("moves", np.int64, MOST_MOVES),
    ("behind", np.float64, MOST_MOVES),
    ("worths", np.float64, MOST_MOVES),
    ("traits", np.int8, (MOST_MOVES, NUM_TRAITS)),
    ("row", np.int8, NUM_DESCRIBED),
    ("padding", np.int8, -(MOST_MOVES * NUM_TRAITS + NUM_DESCRIBED) % 8),
)


WEIGHTS = default_weights()


class PlannerImproved(Improved):
    """Plays the candidate with the highest advantage; the planner's own where several are equal."""

    room = jo
    shipped = Path(__file__).parent / "advantages.npz"
    shape = len(KINDS), NUM_TRAITS

    def judge_views(self, views, view_bytes, masks, moves, worths) -> None:
        _judge(views, view_bytes, masks, WEIGHTS, self.advantages, np.zeros(1, DESK), moves, worths)


@jit
def _judge(views, view_bytes, masks, weights, advantages, desks, moves, worths):
    hidden = np.zeros((2, advantages.w1.shape[2]), np.float32)
    desk = desks[0]
    for i in range(len(views)):
        w = weights[views[i].num_seats - 2]
        num_moves = list_candidates(views[i], masks[i], w, desk)
        if num_moves > 1:
            judge_moves(views[i], view_bytes[i], w, num_moves, advantages, desk, hidden)
        for k in range(num_moves):
            moves[i, k] = desk.moves[k]
            worths[i, k] = 10 * desk.worths[k]


@jit
def list_candidates(view, mask, w, desk):
    """Write the candidates into `desk.moves`, none better than the planner's; returns their number."""
    desk.worths[:] = 0
    return list_moves(view, mask, w, desk.scratch.odds, desk.scratch.worths, desk.moves, desk.behind)


@jit
def judge_moves(view, view_bytes, w, num_moves, advantages, desk, hidden):
    """Write the features, the traits and the advantages (`worths`) of 2 or more candidates into `desk`."""
    describe_view(view, view_bytes, w, desk.scratch, desk.row)
    write_traits(view, desk.row, num_moves, desk.moves, desk.behind, desk.traits)
    kind = kind_of(view)
    takes = -1
    if kind < NUM_TAKING:
        takes = 0 if desk.moves[0] in (BUY, TAKE_DISCARD) else 1
    judge_all(desk, num_moves, takes, advantages, kind, hidden)
