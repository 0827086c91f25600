"""Rummy Bo, version 0: the rules' room and the environments put together. This is what users import.

from jo_env import rummy_bo_v0
env = rummy_bo_v0.env(seats=4)
"""

from typing import Any

from jo_env import rummy_bo
from jo_env.envs.aec import InOrder, TableEnv
from jo_env.envs.single_seat import SeatEnv
from jo_env.envs.table import METADATA
from jo_env.envs.vector import TableVectorEnv


class raw_env(TableEnv):
    """The AEC environment without the guard on the order of calls; settings as for `env`."""

    room = rummy_bo
    metadata = METADATA | {"name": rummy_bo.ENV_VERSION}


def env(
    seats: int = 4,
    hands: int = 5,
    max_turns: int | None = 200,
    reward: str = "points",
    render_mode: str | None = None,
) -> InOrder:
    """A game of Rummy Bo for PettingZoo; raises `SettingsError` for settings that make no game.

    A hand that has lasted `max_turns` turns is dead (None: never). `"points"` gives each seat, at the end of
    a hand, what it received (or paid) / 100, which sums to zero but in a dead hand; `"win"` shares +1 among
    the winners and -1 among the others at the end of the game.
    """
    settings: dict[str, Any] = {"seats": seats, "hands": hands, "max_turns": max_turns}
    return InOrder(raw_env(reward=reward, render_mode=render_mode, **settings))


class RummyBoSeatEnv(SeatEnv):
    """One seat of Rummy Bo for Gymnasium: `gymnasium.make("RummyBo-v0", seats=4, opponents=...)`."""

    room = rummy_bo
    metadata = METADATA


class RummyBoVectorEnv(TableVectorEnv):
    """Many games of Rummy Bo at a time: `RummyBoVectorEnv(num_envs, seats=4, ...)`, settings as for `env`."""

    room = rummy_bo
