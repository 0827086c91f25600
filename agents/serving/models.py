"""The models that play: a bundle at its levels, with a guard of its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from agents.bundle import load_bundle
from agents.games import load_game
from agents.levels import NAMES
from agents.serving.guard import PATIENCE, Guard
from jo_env.bots import BatchBot, make_bot


@dataclass(frozen=True)
class Model:
    """Bots by level, from the weakest to the strongest, which is the default.

    `id` is that of the bundle they belong to. Where there is none (None) they are heuristics, and every
    answer is degraded.
    """

    game: ModuleType
    levels: Mapping[str, BatchBot]
    id: str | None = None
    guard: Guard = field(default_factory=Guard)


def load_model(bundle: Path | str | None, patience: float = PATIENCE, game: str = "jo") -> Model:
    """The model in a bundle, or the planner of a game in its place; raises `BundleError`.

    A move of it that takes longer than `patience` seconds is not waited for.
    """
    if bundle is None:
        planner: Any = make_bot("planner", game)
        return Model(load_game(game), dict.fromkeys(NAMES, planner), guard=Guard(patience))
    bot, manifest = load_bundle(bundle)
    levels = {level: bot.at(how) for level, how in bot.game.LEVELS.items()}
    return Model(bot.game, levels, manifest["id"], Guard(patience))
