"""The mask of one decision, a byte for each action, as a record.

Compiled code hands a record on without counting references, and reads and writes eight actions at a time
where that is quicker.
"""

import numpy as np

from jo_env.bits import BYTES
from jo_env.jit import jit

NO_ACTION = -1
_ONE, _BYTE = np.uint64(1), np.uint64(0xFF)


def mask_record(num_actions: int) -> np.dtype:
    """A mask by its `actions`, int8[num_actions], and the whole words among them by `words`."""
    formats = [(np.int8, num_actions), (np.uint64, num_actions // 8)]
    fields = {"names": ["actions", "words"], "formats": formats, "offsets": [0, 0], "itemsize": num_actions}
    return np.dtype((np.record, fields))


@jit
def mark(action):
    """The byte of an action in its word of the mask, marked 1."""
    return _ONE << np.uint64(8 * (action % 8))


@jit
def mark_all(words, action, marks, num_words):
    """Mark the actions from `action` on for which `marks` has a bit set, in so many words of the mask."""
    w = action // 8
    marks <<= np.uint64(action % 8)
    for i in range(num_words):
        words[w + i] |= BYTES[marks >> np.uint64(8 * i) & _BYTE]


@jit
def only_action(mask):
    """The action that is legal, of int8[num_actions], if it is the only one, else NO_ACTION."""
    only = NO_ACTION
    for action in range(len(mask)):
        if mask[action]:
            if only != NO_ACTION:
                return NO_ACTION
            only = action
    return only


@jit
def only_actions(masks):
    """`only_action` of each row of int8[N, num_actions], int64[N]."""
    actions = np.empty(len(masks), np.int64)
    for i in range(len(masks)):
        actions[i] = only_action(masks[i])
    return actions


@jit
def first_illegal(masks, actions):
    """The first row whose action its mask does not allow, or N; masks int8[N, num_actions], int64[N]."""
    for i in range(len(actions)):
        if not 0 <= actions[i] < masks.shape[1] or masks[i, actions[i]] != 1:
            return i
    return len(actions)
