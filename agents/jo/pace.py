"""How long a computer seat seems to think in Jo (see pauses.py)."""

import numpy as np

from agents.pauses import pause
from jo_env.jit import jit
from jo_env.jo.state import Phase

# From, to, in milliseconds.
_PAUSES = {
    "pass": (400, 900),
    "buy": (900, 1700),
    "draw_stock": (600, 1200),
    "take_discard": (700, 1400),
    "go_down": (1500, 2800),
    "lay_off": (600, 1200),
    "discard": (800, 2000),
}
WHILE_OTHERS_MAY_BUY = 1500  # before a draw, so that people can make up their minds


def think_ms(games: np.ndarray, kind: str, luck: np.uint64) -> int:
    """Milliseconds before a move of this kind at the table GAME[1], drawn from the state `luck`."""
    return pause(_PAUSES, kind, luck) + WHILE_OTHERS_MAY_BUY * bool(others_may_buy(games))


@jit
def others_may_buy(games):
    """Whether a seat is about to draw and another could buy the top discard."""
    game = games[0]
    for seat in range(game.num_seats):
        public = game.public[seat]
        if game.phase == Phase.DRAW and seat != game.turn and not public.down and public.buys_left > 0:
            return True
    return False
