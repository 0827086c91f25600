"""`random`: any legal action, each as likely as the others."""

import numpy as np

from jo_env.bots import BatchBot
from jo_env.jit import jit
from jo_env.rng import bounded


class Random(BatchBot):
    """Any legal action, each as likely as the others."""

    def choose(self, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        actions = np.zeros(len(views), np.int32)
        _choose(masks, seeds, actions)
        return actions


@jit
def _choose(masks, seeds, actions):
    for i in range(len(masks)):
        mask = masks[i]
        left = bounded(seeds[i], mask.sum())
        for action in range(len(mask)):
            if mask[action]:
                if left == 0:
                    actions[i] = action
                    break
                left -= 1
