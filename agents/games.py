"""The games by name, as bots and trainers know them: what differs between games is in `agents/<game>/`.

A game's module has its rules as `room` and names what else differs: the `LAYOUT` of the features and
`features_of`, what the critic sees (`look_behind`), the kinds of hands, the levels, the pauses.
"""

import importlib
from types import ModuleType
from typing import Any

from jo_env.rooms import load_room


def load_game(name: Any) -> ModuleType:
    """The game of this name; raises `SettingsError`."""
    return importlib.import_module(f"agents.{load_room(name).GAME_NAME}")


def load_words(name: Any) -> ModuleType:
    """How the game of this name reads in words; raises `SettingsError`."""
    return importlib.import_module(f"agents.{load_room(name).GAME_NAME}.words")


def load_iteration(name: Any) -> ModuleType:
    """How the planner of the game of this name is improved; raises `SettingsError`."""
    return importlib.import_module(f"agents.{load_room(name).GAME_NAME}.iteration")
