"""Jo, version 0: the rules' room and the environments put together. This is what users import.

from jo_env import jo_v0
env = jo_v0.env(seats=4)
"""

from collections.abc import Sequence
from typing import Any

from jo_env import jo
from jo_env.envs.aec import InOrder, TableEnv
from jo_env.envs.single_seat import SeatEnv
from jo_env.envs.table import METADATA
from jo_env.envs.vector import TableVectorEnv


class raw_env(TableEnv):
    """The AEC environment without the guard on the order of calls; settings as for `env`."""

    room = jo
    metadata = METADATA | {"name": jo.ENV_VERSION}


def env(
    seats: int = 4,
    rounds: Sequence[int] = (1, 2, 3, 4, 5, 6, 7),
    decks: int = 2,
    max_turns: int | None = 200,
    reward: str = "points",
    render_mode: str | None = None,
) -> InOrder:
    """A game of Jo for PettingZoo; raises `SettingsError` for settings that make no game.

    A hand that has lasted `max_turns` turns is dead (None: never). Rewards sum to zero over the seats:
    `"points"` gives each, at the end of a hand, (mean of the others' points - its own) / 100; `"win"`
    shares +1 among the winners and -1 among the others at the end of the game.
    """
    settings: dict[str, Any] = {"seats": seats, "rounds": rounds, "decks": decks, "max_turns": max_turns}
    return InOrder(raw_env(reward=reward, render_mode=render_mode, **settings))


class JoSeatEnv(SeatEnv):
    """One seat of Jo for Gymnasium: `gymnasium.make("Jo-v0", seats=4, opponents="planner")`."""

    room = jo
    metadata = METADATA


class JoVectorEnv(TableVectorEnv):
    """Many games of Jo at a time: `JoVectorEnv(num_envs, seats=4, ...)`, settings as for `env`."""

    room = jo
