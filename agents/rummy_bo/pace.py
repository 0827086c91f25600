"""How long a computer seat seems to think in Rummy Bo (see pauses.py)."""

import numpy as np

from agents.pauses import pause

# From, to, in milliseconds.
_PAUSES = {
    "draw_stock": (600, 1200),
    "take_two": (800, 1600),
    "take_discard": (700, 1400),
    "turn_over": (800, 1600),
    "lay": (900, 1800),
    "lay_off": (600, 1200),
    "discard": (800, 2000),
}


def think_ms(games: np.ndarray, kind: str, luck: np.uint64) -> int:
    """Milliseconds before a move of this kind at the table GAME[1], drawn from the state `luck`."""
    return pause(_PAUSES, kind, luck)
