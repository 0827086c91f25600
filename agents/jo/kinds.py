"""Kinds of hands, which training keeps apart, and kinds of decisions, of which test vectors have all."""

import numpy as np

from jo_env.jo.actions import DISCARD, LAY_OFF, LAY_THREE
from jo_env.jo.goals import MAX_ROUNDS
from jo_env.jo.state import MAX_SEATS, MIN_SEATS, Phase

NUM_KINDS = (MAX_SEATS - MIN_SEATS + 1) * MAX_ROUNDS


def kinds_of(games: np.ndarray) -> np.ndarray:
    """The kind of hand that each game is playing, int64[N] in [0, NUM_KINDS): its seat count and round."""
    rounds = games["rounds"][np.arange(len(games)), games["num_finished"]]
    return (games["num_seats"] - MIN_SEATS) * MAX_ROUNDS + rounds - 1


def vary(game: np.record, rng: np.random.Generator) -> None:
    """Put the rounds of a game in an order of its own, so that all are trained alike."""
    game["rounds"] = rng.permutation(game["rounds"])


def decision_kind(game: np.record, mask: np.ndarray) -> str:
    """What the seat asked decides, given what is legal, int8[NUM_ACTIONS]."""
    if game.phase != Phase.PLAY:
        return "buy" if game.phase == Phase.BUY else "draw"
    if mask[LAY_THREE:LAY_OFF].any():
        return "go_down"
    return "lay_off" if mask[LAY_OFF:DISCARD].any() else "discard"
