"""`planner-improved`: a planner's candidates, judged by advantages that were learned."""

from pathlib import Path
from types import ModuleType
from typing import ClassVar

import numpy as np

from agents.candidates import MOST_MOVES, NO_MOVE, best_of
from agents.iteration.advantages import Advantages
from jo_env.bots import BatchBot


class Improved(BatchBot):
    """Plays the candidate with the highest advantage; the planner's own where several are equal.

    A game's own has its `room`, the file that it plays by, and `judge_views`, compiled: (views, their bytes,
    masks, advantages, moves, worths), of which it fills in the last two.
    """

    shipped: ClassVar[Path]
    shape: ClassVar[tuple[int, int]]  # kinds of decisions, traits
    room: ModuleType

    def __init__(self, advantages: Advantages | None = None) -> None:
        self.advantages = Advantages.load(self.shipped, *self.shape) if advantages is None else advantages

    def judge_views(self, views, view_bytes, masks, moves, worths) -> None:
        raise NotImplementedError

    def choose(self, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        return best_of(*self.judge(views, masks))

    def judge(self, views: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Candidates int64[N, MOST_MOVES], padded with NO_MOVE, and their worths in points, float32."""
        moves = np.full((len(views), MOST_MOVES), NO_MOVE, np.int64)
        worths = np.zeros((len(views), MOST_MOVES), np.float32)
        self.judge_views(views, views.view(np.int8).reshape(len(views), -1), masks, moves, worths)
        return moves, worths
