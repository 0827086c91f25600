"""The games by name: the rules of each are a room of this package."""

import importlib
from types import ModuleType
from typing import Any

import numpy as np

from jo_env.errors import SettingsError, TableError
from jo_env.records import zeroed

ROOMS = {"jo": "jo_env.jo", "rummy_bo": "jo_env.rummy_bo"}


def load_room(name: Any) -> ModuleType:
    """The room of the game with this name; raises `SettingsError`."""
    if name not in ROOMS:
        raise SettingsError(f"game={name!r}; give one of {', '.join(ROOMS)}")
    return importlib.import_module(ROOMS[name])


def observed(room: ModuleType, games: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(VIEW[N], masks int8[N, NUM_ACTIONS]) of the seats asked in GAME[N]."""
    views, masks = zeroed(len(games), room.VIEW), np.zeros((len(games), room.NUM_ACTIONS), np.int8)
    room.observe(games, views, masks)
    return views, masks


def room_of_view(view: Any) -> ModuleType:
    """The room of the game that a view or snapshot is of; raises `TableError`."""
    if not isinstance(view, dict):
        raise TableError(f"{view!r} is no table; give a JSON object")
    if view.get("game") not in tuple(ROOMS):
        raise TableError(f"game: {view.get('game')!r}; give one of {', '.join(ROOMS)}")
    return load_room(view["game"])
