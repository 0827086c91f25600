"""A policy in a seat: a view in, a move out, from a checkpoint or from an exported bundle."""

import re
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from agents.levels import NAMES, Level
from jo_env.bots import BatchBot, BotError

THINKING = re.compile(r"(\d+)ms")


class PolicyBot(BatchBot):
    """`policy:PATH`: a `.safetensors` checkpoint (needs torch) or a bundle, folder or .zip (needs no torch).

    `policy:PATH@LEVEL` plays at a level of `agents/levels.py`; without one, and as `expert`, it plays its
    likeliest legal action. `policy:PATH@50ms` is the expert that searches for 50 milliseconds a decision.
    Raises `BotError` for a path that holds no policy of this version.
    """

    def __init__(self, path: Path | str, level: Level | None = None) -> None:
        path, name, milliseconds = (Path(path), "expert", 0) if level else _split_level(Path(path))
        if path.is_dir() or path.suffix == ".zip":
            self.bot, game = _bundle_bot(path)
        elif path.suffix == ".safetensors":
            self.bot, game = _checkpoint_bot(path)
        else:
            raise BotError(
                f"policy:{path} is neither a .safetensors checkpoint nor a bundle, a folder or .zip"
            )
        self.room = game.room
        self.bot.level = level or game.LEVELS[name]
        if milliseconds:
            self.bot = _searching(self.bot, game, milliseconds)

    def choose(self, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Legal actions int32[N] for views VIEW[N], masks int8[N, num_actions], seeds uint64[N]."""
        return self.bot.choose(views, masks, seeds)


def _split_level(path: Path) -> tuple[Path, str, int]:
    """The path, the name of the level and the milliseconds of search of PATH@LEVEL or PATH@50ms."""
    name, at, level = path.name.rpartition("@")
    if not at or path.exists():
        return path, "expert", 0
    thinking = THINKING.fullmatch(level)
    if thinking:
        return path.with_name(name), "expert", int(thinking[1])
    if level not in NAMES:
        choices = ", ".join(NAMES)
        raise BotError(f"policy:{path}: there is no level {level!r}; choose from {choices}, or as 50ms")
    return path.with_name(name), level, 0


# Each way to play is imported only where it is asked for: a server needs no torch, a trainer no ONNX.


def _bundle_bot(path: Path) -> tuple[Any, ModuleType]:
    """The bot in a bundle, and the game it plays."""
    try:
        from agents.bundle import BundleError, load_bundle
    except ModuleNotFoundError as error:
        raise BotError(f"policy:{path}: a bundle needs onnxruntime ({error})") from None
    try:
        bot, _ = load_bundle(path)
    except BundleError as error:
        raise BotError(f"policy:{error}") from error  # it begins with the path
    return bot, bot.game


def _checkpoint_bot(path: Path) -> tuple[Any, ModuleType]:
    """The bot of a checkpoint, and the game it plays."""
    try:
        from agents.checkpoint import CheckpointError, load_policy
        from agents.policy import NetBot
    except ModuleNotFoundError as error:
        raise BotError(
            f"policy:{path}: a checkpoint needs torch ({error}); a bundle (scripts/export.py) does not"
        ) from None
    try:
        net, _ = load_policy(path)
    except CheckpointError as error:
        raise BotError(f"policy:{error}") from error  # it begins with the path
    return NetBot(net), net.game


def _searching(bot: Any, game: ModuleType, milliseconds: int) -> Any:
    try:
        return game.searching(bot, milliseconds)
    except AttributeError:
        raise BotError(f"policies for {game.room.GAME_NAME} do not search") from None
