"""From logits to actions, in compiled code that needs no torch."""

import numpy as np

from agents.levels import EXPERT, Level
from jo_env.jit import jit
from jo_env.rng import advance, mix

NOTHING = -1


@jit
def sample(logits, masks, lucks, actions, log_probs, tops):
    """Draw an action per row from the legal logits; writes int32[B] and its log-probability float32[B].

    `lucks` uint64[B] are the generator states of the rows, advanced by one draw each; `tops` float32[B]
    takes the probability of the likeliest action.
    """
    for i in range(len(logits)):
        highest = -np.inf
        for action in range(logits.shape[1]):
            if masks[i, action] and logits[i, action] > highest:
                highest = logits[i, action]
        total = 0.0
        for action in range(logits.shape[1]):
            if masks[i, action]:
                total += np.exp(logits[i, action] - highest)
        lucks[i] = advance(lucks[i])
        left = total * (mix(lucks[i]) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
        chosen = NOTHING
        for action in range(logits.shape[1]):
            if masks[i, action]:
                chosen = action
                left -= np.exp(logits[i, action] - highest)
                if left < 0:
                    break
        actions[i] = chosen
        log_probs[i] = logits[i, chosen] - highest - np.log(total)
        tops[i] = 1.0 / total


@jit
def best(logits, masks, actions):
    """The legal action with the highest logit per row, the first of equal ones; writes int32[B]."""
    for i in range(len(logits)):
        chosen = NOTHING
        for action in range(logits.shape[1]):
            if masks[i, action] and (chosen == NOTHING or logits[i, action] > logits[i, chosen]):
                chosen = action
        actions[i] = chosen


@jit
def keep_likeliest(logits, masks, top_p):
    """Take from int8[B, A] what is not among the likeliest legal actions that together have `top_p`."""
    for i in range(len(logits)):
        legal = np.flatnonzero(masks[i])
        order = legal[np.argsort(-logits[i, legal], kind="mergesort")]
        chances = np.exp(logits[i, order] - logits[i, order[0]])
        left = top_p * chances.sum()
        for k in range(len(order)):
            if left <= 0:
                masks[i, order[k]] = 0
            left -= chances[k]


def choose(logits: np.ndarray, masks: np.ndarray, seeds: np.ndarray, level: Level = EXPERT) -> np.ndarray:
    """An action int32[B] for each row: the best, or one drawn as the level says by the row's seed."""
    actions = np.zeros(len(logits), np.int32)
    if level.temperature == 0:
        best(logits, masks, actions)
        return actions
    logits = logits / np.float32(level.temperature)
    if level.top_p < 1:
        masks = masks.copy()
        keep_likeliest(logits, masks, level.top_p)
    unused = np.zeros((2, len(logits)), np.float32)
    sample(logits, masks, seeds.copy(), actions, *unused)
    return actions
