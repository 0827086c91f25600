"""What moves are worth, as it was learned: one small network for each kind of decision."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from agents.files import save_arrays
from jo_env.jit import jit

YES = 20  # what stands for "yes" among traits; counts are scaled to be about as large


class Advantages(NamedTuple):
    """Networks of two hidden layers of H units, with a linear path beside them; they read N traits."""

    w1: np.ndarray  # float32[kinds, N, H]
    b1: np.ndarray  # float32[kinds, H]
    w2: np.ndarray  # float32[kinds, H, H]
    b2: np.ndarray  # float32[kinds, H]
    w3: np.ndarray  # float32[kinds, H]
    linear: np.ndarray  # float32[kinds, N]

    @classmethod
    def zero(cls, num_kinds: int, num_traits: int) -> "Advantages":
        """Nothing learned: no move is better than the planner's."""
        k, n, h = num_kinds, num_traits, 1
        shapes = ((k, n, h), (k, h), (k, h, h), (k, h), (k, h), (k, n))
        return cls(*(np.zeros(shape, np.float32) for shape in shapes))

    @classmethod
    def mean(cls, members: Sequence["Advantages"]) -> "Advantages":
        """Networks that answer the mean of what several answer: their units side by side."""
        w1, b1, w2, b2, w3, linear = zip(*members, strict=True)
        ends = np.cumsum([0, *(b.shape[1] for b in b1)])
        beside = np.zeros((len(w1[0]), ends[-1], ends[-1]), np.float32)
        for first, end, w in zip(ends, ends[1:], w2, strict=False):
            beside[:, first:end, first:end] = w
        share = np.float32(1 / len(members))
        side_by_side = np.concatenate(w1, 2), np.concatenate(b1, 1), beside, np.concatenate(b2, 1)
        return cls(*side_by_side, np.concatenate(w3, 1) * share, np.mean(linear, 0))

    @classmethod
    def load(cls, path: Path, num_kinds: int, num_traits: int) -> "Advantages":
        """Raises `ValueError` for a file that was not made for these kinds of decisions and traits."""
        with np.load(path) as file:
            made = cls(**{name: file[name] for name in cls._fields})
        if made.linear.shape != (num_kinds, num_traits):
            kinds, traits = made.linear.shape
            raise ValueError(
                f"{path}: is for {kinds} kinds of decisions and {traits} traits, "
                f"this version has {num_kinds} and {num_traits}"
            )
        return made

    def is_zero(self) -> bool:
        """Whether every move is as good as another."""
        return not (self.w3.any() or self.linear.any())

    def save(self, path: Path) -> None:
        save_arrays(path, self._asdict())


@jit
def judge(traits, advantages, kind, hidden):
    """The network's answer for one row of traits, in tens of points; `hidden` float32[2, H] is scratch.

    Of a decision to take what is on offer or not, half of what taking is the better by.
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


@jit
def judge_all(desk, num_moves, takes, advantages, kind, hidden):
    """Write what the candidates are worth into `desk.worths`, from their traits.

    `takes` is, of two candidates, the one that takes what is on offer, for which alone there are traits (in
    the first row); -1 where each candidate has its own.
    """
    if takes >= 0:
        worth = judge(desk.traits[0], advantages, kind, hidden)
        desk.worths[takes] = worth
        desk.worths[1 - takes] = -worth
    else:
        for k in range(num_moves):
            desk.worths[k] = judge(desk.traits[k], advantages, kind, hidden)


@jit
def keep_close(desk, n, within):
    """Move candidates at most `within` (tens of points) behind to the front; returns how many there are."""
    least = desk.worths[:n].max() - within
    kept = 0
    for k in range(n):
        if desk.worths[k] >= least:
            if kept < k:
                desk.moves[kept] = desk.moves[k]
                desk.worths[kept] = desk.worths[k]
                desk.traits[kept] = desk.traits[k]
            kept += 1
    return kept


@jit
def pick(past, number):
    """One of many advantages that are stacked."""
    return Advantages(
        past.w1[number],
        past.b1[number],
        past.w2[number],
        past.b2[number],
        past.w3[number],
        past.linear[number],
    )


@jit
def clip(x):
    """A trait: the nearest integer, at most 127 either way."""
    return min(max(int(np.rint(x)), -127), 127)
