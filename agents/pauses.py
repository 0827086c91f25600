"""How long a computer seat seems to think: a pause for the server to pace its game by.

Nothing here sleeps. The pauses are those of an unhurried person; they depend on the view and the seed alone.
"""

from collections.abc import Mapping

import numpy as np

from jo_env.rng import bounded


def pause(between: Mapping[str, tuple[int, int]], kind: str, luck: np.uint64) -> int:
    """Milliseconds before a move of this kind, drawn from the state `luck` between two numbers for each."""
    least, most = between[kind]
    return least + int(bounded(luck, most - least + 1))
