"""Environments for reinforcement learning in contract rummy, and in a basic rummy.

Importing this registers `Jo-v0` and `RummyBo-v0` with Gymnasium, `jo_v0` and `rummy_bo_v0` with PettingZoo.
"""

from importlib import import_module
from typing import Any

import gymnasium
import pettingzoo

__version__ = "0.1.0"
__all__ = ["JoVectorEnv", "RummyBoVectorEnv"]

# Entry points are texts, so that nothing is imported or compiled before a game is made.
gymnasium.register("Jo-v0", entry_point="jo_env.jo_v0:JoSeatEnv")
gymnasium.register("RummyBo-v0", entry_point="jo_env.rummy_bo_v0:RummyBoSeatEnv")
pettingzoo.register("aec", "jo_v0", entry_point="jo_env.jo_v0:env")
pettingzoo.register("aec", "rummy_bo_v0", entry_point="jo_env.rummy_bo_v0:env")

_MODULES = {"JoVectorEnv": "jo_env.jo_v0", "RummyBoVectorEnv": "jo_env.rummy_bo_v0"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
