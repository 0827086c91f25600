"""Environments for reinforcement learning in contract rummy.

Importing this registers `Jo-v0` with Gymnasium and `jo_v0` with PettingZoo.
"""

from typing import Any

import gymnasium
import pettingzoo

__version__ = "0.1.0"
__all__ = ["JoVectorEnv"]

# Entry points are texts, so that nothing is imported or compiled before a game is made.
gymnasium.register("Jo-v0", entry_point="jo_env.jo_v0:JoSeatEnv")
pettingzoo.register("aec", "jo_v0", entry_point="jo_env.jo_v0:env")


def __getattr__(name: str) -> Any:
    if name == "JoVectorEnv":
        from jo_env.jo_v0 import JoVectorEnv

        return JoVectorEnv
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
