"""Search at decision time: the likeliest moves of a policy, tried in worlds dealt at random.

As `planner-search` does (heuristics/search.py), with the policy's moves and a limit on time: all moves are
tried in the same worlds, in which planners play the hand to its end, and the policy's own is played
unless another is ahead of it by two standard errors. Where the policy is sure, nothing is tried.
"""

import time
from typing import Protocol

import numpy as np

from agents.jo.features import features_of
from agents.jo.heuristics.odds import ODDS
from agents.jo.heuristics.planner import default_weights
from agents.jo.heuristics.search import choose_move, drop_trailing, try_worlds
from jo_env.bots import BatchBot
from jo_env.cards import NUM_FACES
from jo_env.jo.actions import NUM_ACTIONS
from jo_env.jo.state import GAME
from jo_env.jo.view import VIEW

MOST_TRIED = 4
LEAST_CHANCE = 0.02  # of a move, in the policy's eyes, to be worth trying
WORLDS_AT_ONCE = 4  # between two looks at the clock
LEAST_WORLDS = 16  # before a move may fall behind: of fewer, a standard error says little
MOST_WORLDS = 1024


class Policy(Protocol):
    """What is searched upon: a checkpoint's bot or a bundle's."""

    def logits(self, features: np.ndarray) -> np.ndarray: ...


class PolicySearch(BatchBot):
    """A policy that tries its likeliest moves for at most `milliseconds` a decision."""

    def __init__(self, policy: Policy, milliseconds: float) -> None:
        self.policy = policy
        self.seconds = milliseconds / 1000
        self.weights = default_weights()
        self.games, self.seen, self.odds = np.zeros(2, GAME), np.zeros(1, VIEW), np.zeros(1, ODDS)
        self.mask, self.nearer = np.zeros(NUM_ACTIONS, np.int8), np.zeros(NUM_FACES, np.int8)

    def choose(self, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Actions int32[N], one after another; views VIEW[N], masks int8[N, NUM_ACTIONS], seeds uint64[N]."""
        logits = np.where(masks, self.policy.logits(features_of(views)), -np.inf)
        return np.array([self._search(*row) for row in zip(views, logits, seeds, strict=True)], np.int32)

    def _search(self, view: np.record, logits: np.ndarray, seed: np.uint64) -> int:
        end = time.perf_counter() + self.seconds
        moves = likeliest(logits)
        worths = np.zeros((len(moves), MOST_WORLDS))
        is_open = np.ones(len(moves), np.bool_)
        num_dealt, num_open = 0, len(moves)
        while num_open > 1 and num_dealt < MOST_WORLDS and time.perf_counter() < end:
            try_worlds(
                view,
                seed,
                self.weights,
                moves,
                is_open,
                worths,
                num_dealt,
                num_dealt + WORLDS_AT_ONCE,
                self.games,
                self.seen[0],
                self.mask,
                self.odds[0],
                self.nearer,
            )
            num_dealt += WORLDS_AT_ONCE
            if num_dealt >= LEAST_WORLDS:
                num_open = drop_trailing(worths, num_dealt, is_open)
        if num_dealt < LEAST_WORLDS:
            return int(moves[0])
        return int(moves[choose_move(worths, num_dealt, is_open)])


def likeliest(logits: np.ndarray) -> np.ndarray:
    """The actions worth trying, the likeliest first, of logits[NUM_ACTIONS] that are -inf where illegal."""
    order = np.argsort(-logits, kind="stable")[:MOST_TRIED]
    chances = np.exp(logits[order] - logits[order[0]])
    return order[chances >= LEAST_CHANCE * chances.sum()]
