"""Everything a training run depends on, and what of it makes no run."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from agents.clone import CloneConfig
from agents.policy import NetConfig
from agents.ppo import PpoConfig
from jo_env.bots import is_batched, make_bot
from jo_env.errors import SettingsError
from jo_env.rooms import load_room


class ConfigError(ValueError):
    """A training config that cannot work."""


@dataclass
class EvaluateConfig:
    """Strength during training: fixed mirrored deals against fixed bots."""

    every: int = 20  # updates
    opponents: tuple[str, ...] = ("greedy", "planner")
    seats: tuple[int, ...] = (2, 4)
    num_deals: int = 64
    seed: int = 1_000_000  # never used in training, nor for reported figures


@dataclass
class TrainConfig:
    """Everything a run depends on."""

    name: str = "default"
    game: str = "jo"
    folder: str = "runs"
    seed: int = 1
    ranks: int = 2  # processes, one core each
    device: str = "auto"
    precision: str = "auto"  # "fp32", "bf16" or "auto": bf16 where the hardware multiplies it
    seats: tuple[int, ...] = (2, 3, 4)
    settings: dict[str, Any] = field(default_factory=lambda: {"max_turns": 100})  # of the game
    num_games: int = 256  # tables of each rank
    num_steps: int = 144  # decisions a table between updates
    lookahead: int = 24  # of these, the last ones, which only show what comes of those before
    num_updates: int = 1000  # of all stages
    minutes: float | None = None  # train this long instead; stages and schedules go by it as well
    opponents: dict[str, float] = field(default_factory=dict)  # bot: share of tables it sits at
    start_from: str | None = None  # a policy file whose weights a new run begins with
    resume: bool = True
    checkpoint_every: int = 20  # updates
    net: NetConfig = field(default_factory=NetConfig)
    clone: CloneConfig = field(default_factory=CloneConfig)
    ppo: PpoConfig = field(default_factory=PpoConfig)
    evaluate: EvaluateConfig = field(default_factory=EvaluateConfig)

    def check(self) -> None:
        """Raise `ConfigError` for what makes no run, before anything is written."""
        check_ranges(self, _RANGES, _SCHEDULES)
        if not self.name or self.name in (".", "..") or set(self.name) & set("/\\"):
            raise ConfigError(f"name={self.name!r}: give the name of one folder, to be made in {self.folder}")
        try:
            room = load_room(self.game)
        except SettingsError as error:
            raise ConfigError(str(error)) from None
        for name, seats in (("seats", self.seats), ("evaluate.seats", self.evaluate.seats)):
            if not seats or not set(seats) <= set(range(room.MIN_SEATS, room.MAX_SEATS + 1)):
                raise ConfigError(f"{name}={list(seats)}: choose from {room.MIN_SEATS} to {room.MAX_SEATS}")
        try:
            room.new_games(1, seats=self.seats[0], **self.settings)
        except (SettingsError, TypeError) as error:
            raise ConfigError(f"settings={self.settings}: {error}") from None
        if self.num_games < len(self.seats):
            raise ConfigError(f"num_games={self.num_games}: give at least one table a seat count")
        if not self.lookahead < self.num_steps:
            raise ConfigError(f"lookahead={self.lookahead}: give a number below num_steps={self.num_steps}")
        steps = self.num_steps - self.lookahead
        rows = self.num_games * steps
        for stage, count in (("ppo", self.ppo.num_minibatches), ("clone", self.clone.num_minibatches)):
            if rows < 4 * count:
                raise ConfigError(
                    f"num_games={self.num_games} x (num_steps - lookahead)={steps} = {rows} decisions do not "
                    f"fill {stage}.num_minibatches={count}; try {max(rows // 256, 1)} or fewer"
                )
        check_opponents(self.opponents)
        if self.precision not in ("auto", "fp32", "bf16"):
            raise ConfigError(f"precision={self.precision!r}: give auto, fp32 or bf16")
        pick_device(self.device)
        if self.clone.share + self.clone.critic_share > 1:
            raise ConfigError(
                f"clone.share={self.clone.share} + clone.critic_share={self.clone.critic_share}: "
                "give shares that add up to at most 1"
            )
        for name in (self.clone.teacher, *self.opponents, *self.evaluate.opponents):
            if not is_batched(make_bot(name, self.game)):
                raise ConfigError(f"{name}: bots in training decide in batches, and need choose()")


def pick_device(name: str) -> torch.device:
    """The device that a config names, `auto` for a GPU where there is one; raises `ConfigError`."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    kind, _, number = name.partition(":")
    if kind not in ("cpu", "cuda") or (number and not number.isdecimal()):
        raise ConfigError(f"device={name!r}: give auto, cpu, cuda or, of several, cuda:1")
    if kind == "cuda" and int(number or 0) >= torch.cuda.device_count():
        raise ConfigError(f"device={name!r}: torch finds {torch.cuda.device_count()} GPUs; give auto or cpu")
    return torch.device(name)


def uses_bf16(precision: str, device: torch.device) -> bool:
    """Whether to multiply in bf16: where asked for, or by `auto` where the hardware does it natively."""
    if precision != "auto":
        return precision == "bf16"
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported()
    return torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()


_TINY = 1e-12  # the least of what must be above 0
_RANGES: dict[str, tuple[float, float]] = {
    "seed": (0, 2**31 - 1),
    "ranks": (1, 1024),
    "num_games": (1, 2**24),
    "num_steps": (1, 2**24),
    "lookahead": (0, 2**24),
    "num_updates": (1, math.inf),
    "minutes": (_TINY, math.inf),
    "checkpoint_every": (1, math.inf),
    "opponents": (0, 1),
    "net.suit": (1, 2**16),
    "net.rank": (1, 2**16),
    "net.other": (1, 2**16),
    "net.card": (1, 2**16),
    "net.width": (1, 2**16),
    "net.blocks": (0, 1000),
    "net.critic": (1, 2**16),
    "clone.share": (0, 1),
    "clone.critic_share": (0, 1),
    "clone.lr": (0, 1),
    "clone.num_minibatches": (1, math.inf),
    "clone.temperature": (0, math.inf),
    "ppo.lr": (0, 1),
    "ppo.clip": (_TINY, 1),
    "ppo.entropy": (0, math.inf),
    "ppo.kl": (0, math.inf),
    "ppo.kl_until": (0, 1),
    "ppo.gae_lambda": (0, 1),
    "ppo.value": (0, math.inf),
    "ppo.epochs": (1, 1000),
    "ppo.num_minibatches": (1, math.inf),
    "ppo.max_grad_norm": (_TINY, math.inf),
    "evaluate.every": (1, math.inf),
    "evaluate.num_deals": (2, math.inf),
    "evaluate.seed": (0, 2**53),
}
_SCHEDULES = ("ppo.lr", "ppo.clip", "ppo.entropy")  # two numbers: at the start and at the end


def check_opponents(opponents: dict[str, float]) -> None:
    """Raise `ConfigError` for shares of the tables that add up to more than all of them."""
    if sum(opponents.values()) > 1 + 1e-9:
        raise ConfigError(f"opponents={opponents}: their shares add up to more than 1")


def check_ranges(config: Any, ranges: dict[str, tuple[float, float]], schedules: Sequence[str] = ()) -> None:
    """Raise `ConfigError` for the first number out of its range; those in `schedules` come in twos."""
    for name, (low, high) in ranges.items():
        value: Any = config
        for part in name.split("."):
            value = getattr(value, part)
        if name in schedules and (not isinstance(value, Sequence) or len(value) != 2):
            raise ConfigError(f"{name}={value}: give two numbers, at the start and at the end")
        if isinstance(value, dict):
            values = list(value.values())
        else:
            values = list(value) if isinstance(value, Sequence) else [value]
        for number in values:
            if number is not None and not low <= number <= high:  # NaN included
                least = "above 0" if low == _TINY else f"from {low} on"
                most = "" if high == math.inf else f", at most {high}"
                raise ConfigError(f"{name}={value}: give a number {least}{most}")
