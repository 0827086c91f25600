"""A policy in a seat: a view in, a move out, from a checkpoint or from an exported bundle."""

from pathlib import Path

import numpy as np

from jo_env.bots import BatchBot, BotError


class PolicyBot(BatchBot):
    """`policy:PATH`: a `.safetensors` checkpoint (needs torch) or a bundle folder (needs onnxruntime).

    It plays its likeliest legal action, or draws one when `temperature` is above 0. Raises `BotError`
    for a path that holds no policy of this version.
    """

    def __init__(self, path: Path | str, temperature: float = 0.0) -> None:
        if not temperature >= 0:
            raise BotError(f"temperature={temperature!r}: give 0 for the likeliest action, or more")
        path = Path(path)
        if path.is_dir():
            self.bot = _bundle_bot(path, temperature)
        elif path.suffix == ".safetensors":
            self.bot = _checkpoint_bot(path, temperature)
        else:
            raise BotError(f"policy:{path} is neither a .safetensors checkpoint nor the folder of a bundle")

    def choose(self, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Legal actions int32[N] for views VIEW[N], masks int8[N, num_actions], seeds uint64[N]."""
        return self.bot.choose(views, masks, seeds)


# Each way to play is imported only where it is asked for: a server needs no torch, a trainer no ONNX.


def _bundle_bot(path: Path, temperature: float) -> BatchBot:
    try:
        from agents.bundle import BundleError, load_bundle
    except ModuleNotFoundError as error:
        raise BotError(f"policy:{path}: a bundle needs onnxruntime ({error})") from None
    try:
        bot, _ = load_bundle(path)
    except BundleError as error:
        raise BotError(f"policy:{error}") from error  # it begins with the path
    bot.temperature = temperature
    return bot


def _checkpoint_bot(path: Path, temperature: float) -> BatchBot:
    try:
        from agents.checkpoint import CheckpointError, load_policy
        from agents.policy import NetBot
    except ModuleNotFoundError as error:
        raise BotError(
            f"policy:{path}: a checkpoint needs torch ({error}); a bundle (scripts/export.py) does not"
        ) from None
    try:
        return NetBot(load_policy(path)[0], temperature)
    except CheckpointError as error:
        raise BotError(f"policy:{error}") from error  # it begins with the path
