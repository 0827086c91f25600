"""`planner-improved`: the planner's candidates, judged by advantages that were learned."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from safetensors.numpy import load_file, save_file

from agents.features import NUM_DESCRIBED, SCRATCH, describe_view
from agents.files import write_atomically
from agents.heuristics.candidates import MOST_MOVES, list_moves
from agents.heuristics.planner import default_weights
from agents.iteration.traits import DRAWING, NUM_KINDS, NUM_TRAITS, YES, kind_of, write_traits
from jo_env.bots import BatchBot
from jo_env.jit import jit
from jo_env.jo.actions import BUY, TAKE_DISCARD
from jo_env.records import record

SHIPPED = Path(__file__).parent / "advantages.safetensors"

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
    def load(cls, path: Path) -> "Advantages":
        return cls(**{name: np.array(array) for name, array in load_file(path).items()})

    def save(self, path: Path) -> None:
        write_atomically(path, lambda temporary: save_file(self._asdict(), temporary))


class PlannerImproved(BatchBot):
    """Plays the candidate with the highest advantage; the planner's own where several are equal."""

    def __init__(self, advantages: Advantages | None = None) -> None:
        self.advantages = Advantages.load(SHIPPED) if advantages is None else advantages
        self.weights = default_weights()

    def choose(self, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        actions = np.zeros(len(views), np.int32)
        view_bytes = views.view(np.int8).reshape(len(views), -1)
        _choose(views, view_bytes, masks, self.weights, self.advantages, np.zeros(1, DESK), actions)
        return actions


@jit
def _choose(views, view_bytes, masks, weights, advantages, desks, actions):
    hidden = np.zeros((2, advantages.w1.shape[2]), np.float32)
    desk = desks[0]
    for i in range(len(views)):
        num_moves = list_and_judge(views[i], view_bytes[i], masks[i], weights, advantages, desk, hidden)
        actions[i] = desk.moves[np.argmax(desk.worths[:num_moves])]


@jit
def list_and_judge(view, view_bytes, mask, weights, advantages, desk, hidden):
    """Write the candidates into `desk.moves` and their advantages into `desk.worths`; returns their number.

    With one candidate there is nothing to judge, and no traits are written.
    """
    w = weights[view.num_seats - 2]
    scratch = desk.scratch
    num_moves = list_moves(view, mask, w, scratch.odds, scratch.worths, desk.moves, desk.behind)
    desk.worths[0] = 0
    if num_moves == 1:
        return 1
    describe_view(view, view_bytes, w, scratch, desk.row)
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
    return num_moves


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
