"""The models that play: a bundle at its levels, with a guard of its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agents.bundle import load_bundle
from agents.heuristics.planner import Planner
from agents.levels import LEVELS
from agents.serving.guard import PATIENCE, Guard
from jo_env.bots import BatchBot


@dataclass(frozen=True)
class Model:
    """Bots by level, from the weakest to the strongest, which is the default.

    `id` is that of the bundle they belong to. Where there is none (None) they are heuristics, and every
    answer is degraded.
    """

    levels: Mapping[str, BatchBot]
    id: str | None = None
    guard: Guard = field(default_factory=Guard)


def load_model(bundle: Path | str | None, patience: float = PATIENCE) -> Model:
    """The model in a bundle, or the planner in its place; raises `BundleError`.

    A move of it that takes longer than `patience` seconds is not waited for.
    """
    if bundle is None:
        return Model(dict.fromkeys(LEVELS, Planner()), guard=Guard(patience))
    bot, manifest = load_bundle(bundle)
    return Model({level: bot.at(how) for level, how in LEVELS.items()}, manifest["id"], Guard(patience))
