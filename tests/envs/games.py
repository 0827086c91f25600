"""The two games, for tests that hold of both."""

from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import pytest

import jo_env
from jo_env import jo, jo_v0, rummy_bo, rummy_bo_v0


class Game(NamedTuple):
    room: ModuleType
    module: ModuleType  # what users import
    vector: type
    name: str  # for Gymnasium
    seats: tuple[int, ...]
    short: dict[str, Any]  # settings of two hands that end soon
    one_turn: dict[str, Any]  # of one hand that is dead after a turn

    def __str__(self) -> str:
        return self.room.GAME_NAME


JO = Game(
    jo, jo_v0, jo_env.JoVectorEnv, "Jo-v0", (2, 3, 4), {"rounds": (2, 1), "max_turns": 25},
    {"rounds": (1,), "max_turns": 1},
)  # fmt: skip
RUMMY_BO = Game(
    rummy_bo, rummy_bo_v0, jo_env.RummyBoVectorEnv, "RummyBo-v0", (2, 3, 4, 5, 6),
    {"hands": 2, "max_turns": 25}, {"hands": 1, "max_turns": 1},
)  # fmt: skip
GAMES = (JO, RUMMY_BO)
both = pytest.mark.parametrize("game", GAMES, ids=str)
at_all_seats = pytest.mark.parametrize(
    ("game", "seats"), [(game, seats) for game in GAMES for seats in game.seats], ids=str
)


def hand_rewards(game: Game, points: np.ndarray) -> np.ndarray:
    """What the seats earn by the points of a hand."""
    if game is JO:
        return ((points.sum() - points) / (len(points) - 1) - points) / 100
    return points / 100


def win_rewards(game: Game, scores: np.ndarray) -> np.ndarray:
    """What the seats earn at the end of a game."""
    is_winner = scores == (scores.min() if game is JO else scores.max())
    if is_winner.all():
        return np.zeros(len(scores))
    return np.where(is_winner, 1 / is_winner.sum(), -1 / max((~is_winner).sum(), 1))


def is_dead(game: Game, points: np.ndarray) -> bool:
    """Whether nobody went out."""
    return bool(points.min() > 0) if game is JO else bool(points.sum() < 0)
