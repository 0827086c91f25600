"""A training run: clone the planner, warm up the critic, then PPO in self-play.

Every rank plays tables of its own and takes an equal share of each minibatch; gradients are averaged
by DistributedDataParallel. The state of the run is saved whole at intervals and a run resumes to the
same next update.
"""

import math
import os
import shutil
import signal
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn.parallel import DistributedDataParallel

from agents import ppo
from agents.arena import play_mirrored
from agents.checkpoint import (
    CheckpointError,
    latest,
    load_policy,
    load_tensors,
    pack_array,
    pack_optimizer,
    save_policy,
    save_tensors,
    unpack_array,
    unpack_optimizer,
)
from agents.policy import NetBot, NetConfig, PolicyNet, legal_lists, legal_log_probs
from agents.ppo import PpoConfig
from agents.ranks import Ranks
from agents.rollout import Buffer, Tables, new_tables
from jo_env.bots import BatchBot, make_bot


class ConfigError(ValueError):
    """A training config that cannot work."""


class DivergedError(RuntimeError):
    """A run whose gradients are no longer finite; its last state is as it was."""


@dataclass
class CloneConfig:
    """Warm start: imitate a teacher's decisions, then fit the critic to the clone's own play."""

    teacher: str = "planner"
    share: float = 0.15  # of the run; 0 for none
    critic_share: float = 0.02  # likewise, after it
    lr: float = 1e-3
    num_minibatches: int = 32  # small ones: imitation is short of steps, not of decisions


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
    folder: str = "runs"
    seed: int = 1
    ranks: int = 2  # processes, one core each
    device: str = "auto"
    precision: str = "auto"  # "fp32", "bf16" or "auto": bf16 where the hardware multiplies it
    seats: tuple[int, ...] = (2, 3, 4)
    max_turns: int = 100
    num_games: int = 256  # tables of each rank
    num_steps: int = 144  # decisions a table between updates
    lookahead: int = 24  # of these, the last ones, which only show what comes of those before
    num_updates: int = 1000  # of all stages
    minutes: float | None = None  # stop after this long instead; stages and schedules go by it as well
    opponents: dict[str, float] = field(default_factory=dict)  # bot: share of tables it sits at
    start_from: str | None = None  # a policy file whose weights a new run begins with
    resume: bool = True
    checkpoint_every: int = 20  # updates
    net: NetConfig = field(default_factory=NetConfig)
    clone: CloneConfig = field(default_factory=CloneConfig)
    ppo: PpoConfig = field(default_factory=PpoConfig)
    evaluate: EvaluateConfig = field(default_factory=EvaluateConfig)

    def check(self) -> None:
        """Raise `ConfigError` for numbers that make no run, before anything is written."""
        positive = ("ranks", "num_games", "num_steps", "num_updates", "checkpoint_every")
        for name in positive:
            if getattr(self, name) < 1:
                raise ConfigError(f"{name}={getattr(self, name)}: give a whole number from 1 on")
        if not set(self.seats) <= {2, 3, 4} or not self.seats:
            raise ConfigError(f"seats={list(self.seats)}: choose from 2, 3 and 4")
        if self.num_games < len(self.seats):
            raise ConfigError(f"num_games={self.num_games}: give at least one table a seat count")
        if not 0 <= self.lookahead < self.num_steps:
            raise ConfigError(f"lookahead={self.lookahead}: give a number below num_steps={self.num_steps}")
        steps = self.num_steps - self.lookahead
        rows = self.num_games * steps
        for stage, count in (("ppo", self.ppo.num_minibatches), ("clone", self.clone.num_minibatches)):
            if count < 1 or rows < 4 * count:
                raise ConfigError(
                    f"num_games={self.num_games} x (num_steps - lookahead)={steps} = {rows} decisions do not "
                    f"fill {stage}.num_minibatches={count}; try {max(rows // 256, 1)} or fewer"
                )
        if sum(self.opponents.values()) > 1:
            raise ConfigError(f"opponents={self.opponents}: their shares add up to more than 1")
        if self.precision not in ("auto", "fp32", "bf16"):
            raise ConfigError(f"precision={self.precision!r}: give auto, fp32 or bf16")
        shares = (self.clone.share, self.clone.critic_share)
        if min(shares) < 0 or sum(shares) > 1:
            raise ConfigError(f"clone.share + critic_share = {shares}: give shares that add up to at most 1")
        if self.minutes is not None and self.minutes <= 0:
            raise ConfigError(f"minutes={self.minutes}: give a number above 0, or null")
        for name in (self.clone.teacher, *self.opponents, *self.evaluate.opponents):
            if not hasattr(make_bot(name), "choose"):
                raise ConfigError(f"{name}: bots in training decide in batches, and need choose()")


def pick_device(name: str) -> torch.device:
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    return torch.device(name)


def uses_bf16(precision: str, device: torch.device) -> bool:
    """Whether to multiply in bf16: where asked for, or by `auto` where the hardware does it natively."""
    if precision != "auto":
        return precision == "bf16"
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported()
    return torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported()


class Trainer:
    """One rank of a run; `report` is told what to show and log."""

    def __init__(self, config: TrainConfig, report: Any) -> None:
        config.check()
        self.stopping = False
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, self._stop)
        torch.set_num_threads(1)  # a process a core; busy-waiting threads would only get in the way
        self.config, self.report = config, report
        self.ranks = Ranks()
        self.folder = Path(config.folder) / config.name
        self.device = pick_device(config.device)
        self.bf16 = uses_bf16(config.precision, self.device)
        torch.manual_seed(config.seed)
        self.net = PolicyNet(config.net)
        if config.start_from:
            self._start_from(Path(config.start_from))
        self.net.to(self.device)
        self.train_net: torch.nn.Module = self.net
        if self.ranks.size > 1:
            self.train_net = DistributedDataParallel(self.net)
        self.anchor: PolicyNet | None = None
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=config.clone.lr, eps=1e-5, fused=True)
        self.rank_seed = 1000 * config.seed + self.ranks.index
        self.generator = torch.Generator().manual_seed(self.rank_seed)
        self.teacher = make_bot(config.clone.teacher)
        self.update = 0  # over all stages
        self.decisions = 0  # learned from, over all ranks
        self.seconds = 0.0
        self.tables = self.new_tables(cloning=self.stage == "clone")
        self.buffer = Buffer.empty(config.num_steps, config.num_games)

    def _start_from(self, path: Path) -> None:
        net, _ = load_policy(path)
        if net.config != self.config.net:
            raise ConfigError(f"start_from={path}: its net is {net.config}, this run's is {self.config.net}")
        self.net.load_state_dict(net.state_dict())

    # --- stages -----------------------------------------------------------------------------------

    @property
    def stage(self) -> str:
        clone = self.config.clone
        if self.progress < clone.share:
            return "clone"
        return "critic" if self.progress < clone.share + clone.critic_share else "ppo"

    @property
    def progress(self) -> float:
        """How much of the run is done, in [0, 1]."""
        if self.config.minutes is not None:
            return min(self.seconds / 60 / self.config.minutes, 1.0)
        return self.update / self.config.num_updates

    @property
    def ppo_progress(self) -> float:
        """How much of the PPO stage is done, in [0, 1]: what its schedules go by."""
        start = self.config.clone.share + self.config.clone.critic_share
        return max(self.progress - start, 0.0) / max(1 - start, 1e-9)

    def run(self) -> None:
        """Train to the end, or until a signal asks to stop; either way the state is saved."""
        state = latest(self.folder)
        if state and self.config.resume:
            self.restore(state)
        elif state and self.ranks.leads:
            for old in self.folder.glob("state-*"):
                shutil.rmtree(old)
        self.ranks.wait()
        self._compile()
        clock = time.perf_counter()
        while self.progress < 1 and not self._any_stopping():
            stage = self.stage
            metrics = self.clone_update() if stage == "clone" else self.ppo_update(stage)
            now = time.perf_counter()
            seconds = float(self.ranks.mean(torch.tensor(now - clock, dtype=torch.float64)))
            clock, self.seconds = now, self.seconds + seconds
            metrics["speed/decisions_per_second"] = metrics.pop("rows") / seconds
            self.update += 1
            if stage == "clone" and self.stage != "clone":
                self.tables = self.new_tables(cloning=False)
            if self.update % self.config.evaluate.every == 0:
                metrics |= self.evaluate()
            self.report.update(self, stage, metrics)
            if self.update % self.config.checkpoint_every == 0:
                self.save()
        self.save()

    def _compile(self) -> None:
        """Have all compiled code ready before the clock of the run starts."""
        tables = new_tables(3, 0, bots=[(self.teacher, 1.0)])  # type: ignore[list-item]
        tables.collect(Buffer.empty(1, 3), self.forward)
        tables = new_tables(3, 0)
        tables.collect(Buffer.empty(1, 3), self.forward)

    def _stop(self, *_: Any) -> None:
        self.stopping = True

    def _any_stopping(self) -> bool:
        return float(self.ranks.mean(torch.tensor(float(self.stopping)))) > 0

    # --- updates ----------------------------------------------------------------------------------

    def new_tables(self, cloning: bool) -> Tables:
        """Tables for a stage: the teacher in every seat, or the learner with its opponents."""
        config = self.config
        bots: list[tuple[BatchBot, float]] = []
        if not cloning:
            bots = [(make_bot(name), share) for name, share in config.opponents.items()]  # type: ignore
        seed = self.rank_seed + (0 if cloning else 500)
        tables = new_tables(config.num_games, seed, config.seats, config.max_turns, bots)
        if cloning:
            tables.bots = [self.teacher]  # type: ignore[list-item]
            tables.lineup[:] = 1
        return tables

    def forward(self, features: np.ndarray, hidden: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The net for play: logits and values without gradients."""
        with torch.no_grad(), torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16):
            logits, values = self.net(
                torch.from_numpy(features).to(self.device), torch.from_numpy(hidden).to(self.device)
            )
        return logits.cpu().numpy(), values.cpu().numpy()

    def clone_update(self) -> dict[str, float]:
        """One pass over fresh decisions of the teacher: cross-entropy of its actions."""
        config = self.config
        self.tables.collect(self.buffer, self.forward)
        batch = ppo.make_batch(self.buffer, 1.0, every_row=True)
        self._set_lr(config.clone.lr * min(1.0, 2 * (1 - self.progress / config.clone.share) + 0.05))
        sums: dict[str, float] = {}
        parts = list(ppo.minibatches(batch, config.clone.num_minibatches, self.generator))
        for part in parts:
            with torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16):
                part = part.to(self.device)
                logits, values = self.train_net(part.features, part.hidden)
                legal = legal_lists(part.masks)
                log_probs = legal_log_probs(logits, legal)
                chosen = log_probs[legal == part.actions[:, None]]
                # Nothing for the value head here, but its gradients must be there to be averaged.
                loss = -chosen.mean() + 0 * values.sum()
            agreement = (chosen == log_probs.amax(1)).float().mean()
            self._step(loss)
            self._add(sums, {"clone/loss": loss, "clone/agreement": agreement})
        return self._means(sums, parts, calls=len(parts))

    def ppo_update(self, stage: str) -> dict[str, float]:
        """Play, then one PPO update; the critic stage fits the value head alone."""
        config = self.config.ppo
        now = ppo.coefficients(config, self.ppo_progress)
        if stage == "ppo" and self.anchor is None and now.kl > 0:
            self.anchor = PolicyNet(self.config.net).to(self.device).eval()
            self.anchor.load_state_dict(self.net.state_dict())
        self.tables.collect(self.buffer, self.forward)
        batch = ppo.make_batch(self.buffer, config.gae_lambda, self.config.lookahead)
        metrics = {"loss/explained_variance": ppo.explained_variance(batch)}
        batch.advantages = ppo.normalize(batch, self.ranks.mean)
        self._set_lr(now.lr if stage == "ppo" else self.config.clone.lr)
        sums: dict[str, float] = {}
        parts = [
            part
            for _ in range(config.epochs)
            for part in ppo.minibatches(batch, config.num_minibatches, self.generator)
        ]
        for part in parts:
            with torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16):
                part = part.to(self.device)
                if stage == "critic":
                    logits, values = self.train_net(part.features, part.hidden)
                    loss = 0.5 * (values - part.returns).square().mean() + 0 * logits.sum()
                    losses = {"value_loss": loss}
                else:
                    loss, losses = ppo.ppo_loss(self.train_net, part, config, now, self.anchor)
            self._step(loss, critic_only=stage == "critic")
            self._add(sums, {f"loss/{name}": value for name, value in losses.items()})
        if now.kl == 0:
            self.anchor = None
        return metrics | self._means(sums, parts[: config.num_minibatches], calls=len(parts))

    def _step(self, loss: Tensor, critic_only: bool = False) -> None:
        self.optimizer.zero_grad()
        loss.backward()
        if critic_only:
            for name, parameter in self.net.named_parameters():
                if not name.startswith("critic"):
                    parameter.grad = None
        norm = torch.nn.utils.clip_grad_norm_(self.net.parameters(), self.config.ppo.max_grad_norm)
        if not torch.isfinite(norm):  # the same on every rank, as gradients are averaged before
            raise DivergedError(
                f"update {self.update}: gradients are no longer finite; try a lower learning rate "
                f"(the last good state is in {self.folder})"
            )
        self.optimizer.step()

    def _set_lr(self, lr: float) -> None:
        for group in self.optimizer.param_groups:
            group["lr"] = lr

    @staticmethod
    def _add(sums: dict[str, float], metrics: dict[str, Tensor]) -> None:
        for name, value in metrics.items():
            sums[name] = sums.get(name, 0.0) + float(value.detach())

    def _means(self, sums: dict[str, float], parts: Iterable[ppo.Batch], calls: int) -> dict[str, float]:
        """Means over `calls` minibatches and the ranks, with the number of decisions learned from."""
        rows = sum(len(part) for part in parts)
        means = self.ranks.mean(torch.tensor([*sums.values(), float(rows)], dtype=torch.float64))
        total = float(means[-1]) * self.ranks.size
        self.decisions += round(total)
        return {name: float(value) / calls for name, value in zip(sums, means[:-1], strict=True)} | {
            "rows": total
        }

    # --- strength ---------------------------------------------------------------------------------

    def evaluate(self) -> dict[str, float]:
        """Win share of one seat for the net against bots in the rest; every rank plays a share of deals."""
        config = self.config.evaluate
        bot = NetBot(self.net)
        deals = math.ceil(config.num_deals / self.ranks.size)
        results = {}
        for name in config.opponents:
            for seats in config.seats:
                lineup = [bot, *[make_bot(name)] * (seats - 1)]
                result = play_mirrored(lineup, deals, config.seed + self.ranks.index)
                share, points = result.win_share().mean[0], result.mean_points().mean
                results[f"strength/{name}_{seats}_win_share"] = share
                results[f"strength/{name}_{seats}_points_ahead"] = points[1:].mean() - points[0]
        means = self.ranks.mean(torch.tensor(list(results.values()), dtype=torch.float64))
        return dict(zip(results, means.tolist(), strict=True))

    # --- state ------------------------------------------------------------------------------------

    def info(self) -> dict[str, Any]:
        """Where the policy stands, for the header of its file."""
        return {
            "update": self.update,
            "decisions": self.decisions,
            "seconds": self.seconds,
            # Not where it ran: a policy is passed on.
            "config": {k: v for k, v in asdict(self.config).items() if k not in ("folder", "start_from")},
        }

    def save(self) -> None:
        """Write the whole state of all ranks as one folder, then drop older ones."""
        target = self.folder / f"state-{self.update}"
        if target.exists():
            return
        parts = self.folder / f".parts-{self.update}"
        tensors = {
            "games": pack_array(self.tables.games),
            "lucks": pack_array(self.tables.lucks),
            "lineup": pack_array(self.tables.lineup),
            "generator": self.generator.get_state(),
            **(pack_optimizer(self.optimizer) if self.ranks.leads else {}),
        }
        save_tensors(parts / f"rank-{self.ranks.index}.safetensors", tensors, self.info())
        self.ranks.wait()
        if self.ranks.leads:
            save_policy(parts / "policy.safetensors", self.net, self.info())
            if self.anchor is not None:
                save_policy(parts / "anchor.safetensors", self.anchor, self.info())
            os.replace(parts, target)
            save_policy(self.folder / "policy.safetensors", self.net, self.info())
            for old in self.folder.glob("state-*"):
                if old != target:
                    shutil.rmtree(old)
        self.ranks.wait()

    def restore(self, state: Path) -> None:
        """Go on exactly where a saved state left off; raises `CheckpointError` if it is another run's."""
        net, info = load_policy(state / "policy.safetensors")
        saved = info["config"]
        for key in ("seed", "ranks", "num_games", "num_steps", "seats", "net"):
            ours = asdict(self.config)[key]
            if saved[key] != (list(ours) if isinstance(ours, tuple) else ours):
                raise CheckpointError(
                    f"{state}: it was made with {key}={saved[key]}, this run has {ours}; "
                    "give the run another name, or resume=false to start again"
                )
        self.net.load_state_dict(net.state_dict())
        self.update, self.decisions, self.seconds = info["update"], info["decisions"], info["seconds"]
        tensors, _ = load_tensors(state / f"rank-{self.ranks.index}.safetensors")
        moments, _ = load_tensors(state / "rank-0.safetensors")
        unpack_optimizer(self.optimizer, moments)
        self.generator.set_state(tensors["generator"])
        self.tables = self.new_tables(cloning=self.stage == "clone")
        self.tables.games = unpack_array(tensors["games"], self.tables.games)
        self.tables.lucks = unpack_array(tensors["lucks"], self.tables.lucks)
        self.tables.lineup = unpack_array(tensors["lineup"], self.tables.lineup)
        self.tables.observe()
        if (state / "anchor.safetensors").exists():
            self.anchor = load_policy(state / "anchor.safetensors")[0].to(self.device)
