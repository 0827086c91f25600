"""From logits to actions, in compiled code that needs no torch."""

import numpy as np

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


def choose(logits: np.ndarray, masks: np.ndarray, seeds: np.ndarray, temperature: float = 0.0) -> np.ndarray:
    """An action int32[B] for each row: the best, or one drawn from logits / temperature by its seed."""
    actions = np.zeros(len(logits), np.int32)
    if temperature == 0:
        best(logits, masks, actions)
    else:
        unused = np.zeros((2, len(logits)), np.float32)
        sample(logits / np.float32(temperature), masks, seeds.copy(), actions, *unused)
    return actions
