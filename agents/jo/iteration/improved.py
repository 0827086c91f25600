"""`planner-improved`: the planner's candidates, judged by advantages that were learned."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from agents.candidates import MOST_MOVES, NO_MOVE, best_of
from agents.files import save_arrays
from agents.jo.features import NUM_DESCRIBED, SCRATCH, describe_view
from agents.jo.heuristics.candidates import list_moves
from agents.jo.heuristics.planner import default_weights
from agents.jo.iteration.traits import DRAWING, NUM_KINDS, NUM_TRAITS, YES, kind_of, write_traits
from jo_env.bots import BatchBot
from jo_env.jit import jit
from jo_env.jo.actions import BUY, TAKE_DISCARD
from jo_env.records import record

SHIPPED = Path(__file__).parent / "advantages.npz"

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


class Advantages(NamedTuple):
    """One network of two hidden layers for each kind of decision, with a linear path beside it."""

    w1: np.ndarray  # float32[NUM_KINDS, NUM_TRAITS, H]
    b1: np.ndarray  # float32[NUM_KINDS, H]
    w2: np.ndarray  # float32[NUM_KINDS, H, H]
    b2: np.ndarray  # float32[NUM_KINDS, H]
    w3: np.ndarray  # float32[NUM_KINDS, H]
    linear: np.ndarray  # float32[NUM_KINDS, NUM_TRAITS]

    @classmethod
    def zero(cls) -> "Advantages":
        """Nothing learned: no move is better than the planner's."""
        k, n, h = NUM_KINDS, NUM_TRAITS, 1
        shapes = ((k, n, h), (k, h), (k, h, h), (k, h), (k, h), (k, n))
        return cls(*(np.zeros(shape, np.float32) for shape in shapes))

    @classmethod
    def mean(cls, members: Sequence["Advantages"]) -> "Advantages":
        """Networks that answer the mean of what several answer: their units side by side."""
        w1, b1, w2, b2, w3, linear = zip(*members, strict=True)
        ends = np.cumsum([0, *(b.shape[1] for b in b1)])
        beside = np.zeros((NUM_KINDS, ends[-1], ends[-1]), np.float32)
        for first, end, w in zip(ends, ends[1:], w2, strict=False):
            beside[:, first:end, first:end] = w
        share = np.float32(1 / len(members))
        side_by_side = np.concatenate(w1, 2), np.concatenate(b1, 1), beside, np.concatenate(b2, 1)
        return cls(*side_by_side, np.concatenate(w3, 1) * share, np.mean(linear, 0))

    @classmethod
    def load(cls, path: Path) -> "Advantages":
        """Raises `ValueError` for a file that was not made for the traits of this version."""
        with np.load(path) as file:
            made = cls(**{name: file[name] for name in cls._fields})
        if made.w1.shape[1] != NUM_TRAITS:
            raise ValueError(f"{path}: is for {made.w1.shape[1]} traits, this version has {NUM_TRAITS}")
        return made

    def is_zero(self) -> bool:
        """Whether every move is as good as another."""
        return not (self.w3.any() or self.linear.any())

    def save(self, path: Path) -> None:
        save_arrays(path, self._asdict())


class PlannerImproved(BatchBot):
    """Plays the candidate with the highest advantage; the planner's own where several are equal."""

    def __init__(self, advantages: Advantages | None = None) -> None:
        self.advantages = Advantages.load(SHIPPED) if advantages is None else advantages
        self.weights = default_weights()

    def choose(self, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        return best_of(*self.judge(views, masks))

    def judge(self, views: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Candidates int64[N, MOST_MOVES], padded with NO_MOVE, and their worths in points, float32."""
        moves = np.full((len(views), MOST_MOVES), NO_MOVE, np.int64)
        worths = np.zeros((len(views), MOST_MOVES), np.float32)
        view_bytes = views.view(np.int8).reshape(len(views), -1)
        _judge(views, view_bytes, masks, self.weights, self.advantages, np.zeros(1, DESK), moves, worths)
        return moves, worths


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
    if kind <= DRAWING:
        worth = judge(desk.traits[0], advantages, kind, hidden)
        wants = desk.moves[0] in (BUY, TAKE_DISCARD)
        desk.worths[0] = worth if wants else -worth
        desk.worths[1] = -desk.worths[0]
    else:
        for k in range(num_moves):
            desk.worths[k] = judge(desk.traits[k], advantages, kind, hidden)


@jit
def judge(traits, advantages, kind, hidden):
    """The network's answer for one row of traits, in tens of points; `hidden` float32[2, H] is scratch.

    Of a decision to take the top or not, half of what taking is the better by.
    """
    w1, w2, w3 = advantages.w1[kind], advantages.w2[kind], advantages.w3[kind]
    linear = advantages.linear[kind]
    first, second = hidden[0], hidden[1]
    first[:] = advantages.b1[kind]
    second[:] = advantages.b2[kind]
    worth = np.float32(0)
    for i in range(len(traits)):
        if traits[i] != 0:
            x = np.float32(traits[i]) / np.float32(YES)
            worth += x * linear[i]
            for j in range(len(first)):
                first[j] += x * w1[i, j]
    for i in range(len(first)):
        if first[i] > 0:
            for j in range(len(second)):
                second[j] += first[i] * w2[i, j]
    for j in range(len(second)):
        if second[j] > 0:
            worth += second[j] * w3[j]
    return worth
