"""Bots: whoever holds a seat and sees its view, and nothing else.

A bot is any object with ``act(view: dict) -> dict``, a view in and a move out. The bots of this
project also have ``choose``, the same decision for a batch of VIEW records at a time, and get their
``act`` from it. Wherever a bot is taken, it may be given as an object or as one of these texts:

- a name from `BOTS`;
- ``policy:PATH`` for a checkpoint or an exported bundle;
- ``package.module:Class`` or ``path/to/file.py:Class`` for one of your own.
"""

import importlib
import importlib.util
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from jo_env import jo
from jo_env.rng import mix, stream

BOTS = {
    "random": "agents.heuristics:Random",
    "greedy": "agents.heuristics:Greedy",
    "planner": "agents.heuristics:Planner",
}
POLICY = "agents.serve:PolicyBot"


class BotError(ValueError):
    """A text that names no bot, or an object that is none."""


@runtime_checkable
class Bot(Protocol):
    """A view in, a move out: the JSON forms of docs/protocol.md."""

    def act(self, view: dict[str, Any]) -> dict[str, Any]: ...


class BatchBot:
    """A bot that decides for many views at a time; `act` is a batch of one.

    A decision is a function of (view, mask, seed) alone, so play does not depend on the batch.
    """

    seed: int = 0

    def choose(self, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Legal actions int32[N] for views VIEW[N], masks int8[N, num_actions], seeds uint64[N]."""
        raise NotImplementedError

    def act(self, view: dict[str, Any]) -> dict[str, Any]:
        """The move for a JSON view; a go-down's lay actions are chosen one after another."""
        return self.move(jo.game_from_view(view)[0], self.seed)

    def move(self, games: np.ndarray, seed: int, barred: Iterable[int] = ()) -> dict[str, Any]:
        """The move of the seat asked in GAME[1], which does not begin with a barred action.

        The lay actions of a go-down are played in `games`. Raises `BotError` where nothing is left to play.
        """
        views = np.zeros(1, jo.VIEW)
        masks = np.zeros((1, jo.NUM_ACTIONS), np.int8)
        jo.observe(games, views, masks)
        masks[0, list(barred)] = 0
        luck = np.array([stream(np.uint64(seed), zlib.crc32(views.tobytes()))], np.uint64)
        actions: list[int] = []
        while True:
            chosen = self.choose(views, masks, luck)
            actions.append(int(chosen[0]))
            if not masks[0, actions[-1]]:
                raise BotError(f"{type(self).__name__} chose action {actions[-1]}, which is not legal")
            if not jo.is_lay(actions[-1]):
                break
            jo.step(games, chosen, np.zeros(1, np.int8))
            if not games["groups_laid"][0]:
                break
            jo.observe(games, views, masks)
            luck[0] = mix(luck[0])
        return jo.actions_move(games[0], actions)


def make_bot(bot: Any) -> Bot:
    """The bot that a text names, or the object itself if it is one; raises `BotError`."""
    if not isinstance(bot, str):
        if isinstance(bot, Bot):
            return bot
        raise BotError(f"{bot!r} is no bot: it has no act(view) method")
    if bot.startswith("policy:"):
        return _load(POLICY)(bot.removeprefix("policy:"))
    text = BOTS.get(bot, bot)
    if ":" not in text:
        raise BotError(
            f"{bot!r} is no bot; give {', '.join(BOTS)}, policy:PATH, package.module:Class or file.py:Class"
        )
    made = _load(text)()
    if not isinstance(made, Bot):
        raise BotError(f"{bot!r} is no bot: it has no act(view) method")
    return made


def _load(text: str) -> Any:
    place, _, name = text.rpartition(":")
    try:
        if place.endswith(".py"):
            spec = importlib.util.spec_from_file_location(Path(place).stem, place)
            if spec is None or spec.loader is None or not Path(place).is_file():
                raise ImportError(f"there is no file {place}")
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        else:
            module = importlib.import_module(place)
        return getattr(module, name)
    except (ImportError, AttributeError) as error:
        raise BotError(f"{text!r} cannot be loaded: {error}") from error
