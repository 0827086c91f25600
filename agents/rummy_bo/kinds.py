"""Kinds of hands, which training keeps apart, and kinds of decisions, of which test vectors have all."""

import numpy as np

from jo_env.rummy_bo.actions import DISCARD, LAY_OFF, LAY_SET
from jo_env.rummy_bo.state import MAX_SEATS, MIN_SEATS, Phase

NUM_KINDS = MAX_SEATS - MIN_SEATS + 1


def kinds_of(games: np.ndarray) -> np.ndarray:
    """The kind of hand that each game is playing, int64[N] in [0, NUM_KINDS): its seat count."""
    return (games["num_seats"] - MIN_SEATS).astype(np.int64)


def vary(game: np.record, rng: np.random.Generator) -> None:
    """All hands of a game are alike, so there is nothing to vary."""


def decision_kind(game: np.record, mask: np.ndarray) -> str:
    """What the seat asked decides, given what is legal, int8[NUM_ACTIONS]."""
    if game.phase == Phase.DRAW:
        return "draw" if game.stock_size > 0 else "turn_over"
    if mask[LAY_SET:LAY_OFF].any():
        return "lay"
    return "lay_off" if mask[LAY_OFF:DISCARD].any() else "discard"
