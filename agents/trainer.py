"""A training run: clone the planner, warm up the critic, then PPO in self-play.

Every rank plays tables of its own and takes an equal share of each minibatch; gradients are averaged
by DistributedDataParallel. The state of the run is saved whole at intervals and a run resumes to the
same next update.
"""

import json
import math
import os
import shutil
import signal
import time
from dataclasses import asdict
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
    states,
    unpack_array,
    unpack_optimizer,
)
from agents.clone import Lessons, clone_loss, collect
from agents.config import ConfigError, TrainConfig, pick_device, uses_bf16
from agents.games import load_game
from agents.policy import NetBot, NetConfig, PolicyNet
from agents.ppo import PpoConfig
from agents.ranks import Ranks
from agents.rollout import Buffer, Tables, new_tables
from jo_env.bots import BatchBot, make_bot

TABLE_ARRAYS = ("games", "lucks", "lineup")  # of `Tables`: what a resumed run needs of them


class DivergedError(RuntimeError):
    """A run whose gradients are no longer finite; its last state is as it was."""


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
        self.game = load_game(config.game)
        self.teacher: BatchBot = make_bot(config.clone.teacher, config.game)  # type: ignore[assignment]  # check() saw to it
        self.folder = Path(config.folder) / config.name
        self.device = pick_device(config.device)
        self.bf16 = uses_bf16(config.precision, self.device)
        torch.manual_seed(config.seed)
        self.net = PolicyNet(self.game, config.net)
        self.state = latest(self.folder) if config.resume else None
        if self.state:
            self._check_resumable(self.state)
        elif config.start_from:
            self._start_from(Path(config.start_from))
        report.note("getting compiled code ready: minutes on a new machine, seconds from then on")
        self.ranks.leader_first(self._compile)  # the others find it done
        self.net.to(self.device)
        self.train_net: torch.nn.Module = self.net
        if self.ranks.size > 1:
            self.train_net = DistributedDataParallel(self.net)
        self.anchor: PolicyNet | None = None
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=config.clone.lr, eps=1e-5, fused=True)
        self.rank_seed = 1000 * config.seed + self.ranks.index
        self.generator = torch.Generator().manual_seed(self.rank_seed)
        self.update = 0  # over all stages
        self.decisions = 0  # of the learner (while it clones: of the teacher), over all ranks
        self.seconds = 0.0
        self.tables = self.new_tables(cloning=self.stage == "clone")
        self.buffer = Buffer.empty(self.game, config.num_steps, config.num_games)
        self.lessons = Lessons.empty(self.game, config.num_steps * config.num_games)

    def _start_from(self, path: Path) -> None:
        net, _ = load_policy(path)
        if net.game is not self.game:
            raise ConfigError(
                f"start_from={path}: it plays {net.game.room.GAME_NAME}, not {self.config.game}"
            )
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
        if self.state:
            self._resume(self.state)
        elif self.ranks.leads:
            for old in states(self.folder):
                shutil.rmtree(old)
        self.ranks.wait()
        while self.progress < 1 and not self._any_stopping():
            clock = time.perf_counter()  # saving and measuring strength do not count as training
            stage = self.stage
            metrics = self.clone_update() if stage == "clone" else self.ppo_update(stage)
            own_seconds = torch.tensor(time.perf_counter() - clock, dtype=torch.float64)
            seconds = float(self.ranks.mean(own_seconds))
            self.seconds += seconds
            metrics["speed/decisions_per_second"] = metrics.pop("rows") / seconds
            self.update += 1
            if stage == "clone" and self.stage != "clone":
                self.tables = self.new_tables(cloning=False)
            due = self.update % self.config.evaluate.every == 0
            if due or self.update % self.config.checkpoint_every == 0:
                self.save()
            if due:
                metrics |= self.evaluate()
            self.report.update(self, stage, metrics)
        self.save()
        how = "trained" if self.progress >= 1 else "stopped; the same command goes on from here"
        self.report.note(f"{how}: {self.folder}/policy.safetensors, update {self.update}")

    def _compile(self) -> None:
        """Have all compiled code ready before the clock of the run starts."""
        game = self.game
        net = PolicyNet(game, NetConfig(1, 1, 1, width=1, critic=1))
        tables, buffer = new_tables(game, 6, 0, [game.room.MIN_SEATS]), Buffer.empty(game, 8, 6)
        collect(tables, self.teacher, Lessons.empty(game, 12))
        tables.collect(buffer, self.forward_nothing)
        batch = ppo.make_batch(buffer, 1.0)
        ppo.ppo_loss(net, batch, PpoConfig(), ppo.coefficients(PpoConfig(), 0.0), None)
        play_mirrored(game.room, [NetBot(net), self.teacher], 1, 0)

    def forward_nothing(self, features: np.ndarray, hidden: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A net that prefers nothing: for compiling."""
        logits = np.zeros((len(features), self.game.room.NUM_ACTIONS), np.float32)
        return logits, np.zeros(len(features), np.float32)

    def _stop(self, *_: Any) -> None:
        self.stopping = True

    def _any_stopping(self) -> bool:
        return self.ranks.any(self.stopping)

    # --- updates ----------------------------------------------------------------------------------

    def new_tables(self, cloning: bool) -> Tables:
        """Tables for a stage; to play at them the learner has its opponents."""
        config = self.config
        bots: list[tuple[BatchBot, float]] = []
        if not cloning:
            opponents = sorted(config.opponents.items())  # in an order of their own, as a resumed run needs
            bots = [(make_bot(name, config.game), share) for name, share in opponents]  # type: ignore[misc]
        seed = self.rank_seed + (0 if cloning else 500)
        return new_tables(self.game, config.num_games, seed, config.seats, bots, **config.settings)

    def forward(self, features: np.ndarray, hidden: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The net for play: logits and values without gradients."""
        with torch.no_grad(), torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16):
            logits, values = self.net(
                torch.from_numpy(features).to(self.device), torch.from_numpy(hidden).to(self.device)
            )
        return logits.cpu().numpy(), values.cpu().numpy()

    def clone_update(self) -> dict[str, float]:
        """One pass over fresh decisions of the teacher."""
        config = self.config.clone
        collect(self.tables, self.teacher, self.lessons)
        self._set_lr(config.lr * min(1.0, 2 * (1 - self.progress / config.share) + 0.05))
        sums: dict[str, float] = {}
        parts = ppo.minibatches(len(self.lessons), config.num_minibatches, self.generator)
        for rows in parts:
            part = self.lessons[rows].to(self.device)
            with torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16):
                logits, values = self.train_net(
                    part.features, part.features.new_zeros(len(rows), self.game.HIDDEN_SIZE)
                )
                loss, metrics = clone_loss(logits, part, config.temperature)
                loss = loss + 0 * values.sum()  # its gradients must be there to be averaged
            self._step(loss)
            self._add(sums, {f"clone/{name}": value for name, value in {"loss": loss, **metrics}.items()})
        return self._means(sums, sum(map(len, parts)), calls=len(parts))

    def ppo_update(self, stage: str) -> dict[str, float]:
        """Play, then one PPO update; the critic stage fits the value head alone."""
        config = self.config.ppo
        now = ppo.coefficients(config, self.ppo_progress)
        if stage == "ppo" and self.anchor is None and now.kl > 0:
            self.anchor = PolicyNet(self.game, self.config.net).to(self.device).eval()
            self.anchor.load_state_dict(self.net.state_dict())
        self.tables.collect(self.buffer, self.forward)
        batch = ppo.make_batch(self.buffer, config.gae_lambda, self.config.lookahead)
        if self.ranks.any(len(batch) < config.num_minibatches):
            raise ConfigError(
                f"update {self.update}: {len(batch)} decisions to learn from for ppo.num_minibatches="
                f"{config.num_minibatches}; give more num_games, more num_steps or less lookahead"
            )
        metrics = {
            "loss/explained_variance": ppo.explained_variance(batch),
            "speed/share_learned_from": len(batch) / max(int(self.buffer.own.sum()), 1),
        }
        batch.advantages = ppo.normalize(batch, self.game.NUM_KINDS, self.ranks.mean)
        self._set_lr(now.lr if stage == "ppo" else self.config.clone.lr)
        sums: dict[str, float] = {}
        parts = [
            rows
            for _ in range(config.epochs)
            for rows in ppo.minibatches(len(batch), config.num_minibatches, self.generator)
        ]
        for rows in parts:
            with torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16):
                part = batch[rows].to(self.device)
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
        played = int(self.buffer.own[: len(self.buffer.own) - self.config.lookahead].sum())
        return metrics | self._means(sums, played, calls=len(parts))

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

    def _means(self, sums: dict[str, float], rows: int, calls: int) -> dict[str, float]:
        """Means over `calls` minibatches and the ranks, and the decisions of this update over all ranks."""
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
                if self._any_stopping():
                    return {}
                lineup = [bot, *[make_bot(name, self.config.game)] * (seats - 1)]
                result = play_mirrored(self.game.room, lineup, deals, config.seed + self.ranks.index)
                results[f"strength/{name}_{seats}_win_share"] = result.win_share().mean[0]
                results[f"strength/{name}_{seats}_points_ahead"] = result.points_ahead().mean[0]
        means = self.ranks.mean(torch.tensor(list(results.values()), dtype=torch.float64))
        return dict(zip(results, means.tolist(), strict=True))

    # --- state ------------------------------------------------------------------------------------

    def info(self) -> dict[str, Any]:
        """Where the policy stands, for the header of its file."""
        return {
            "update": self.update,
            "decisions": self.decisions,
            "seconds": self.seconds,
            "stage": self.stage,
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
            **{name: pack_array(getattr(self.tables, name)) for name in TABLE_ARRAYS},
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
            for old in states(self.folder):
                if old != target:
                    shutil.rmtree(old)
            for unfinished in self.folder.glob(".parts-*"):
                shutil.rmtree(unfinished)
        self.ranks.wait()

    def _check_resumable(self, state: Path) -> None:
        """Raise `CheckpointError` for the state of another run."""
        saved = load_policy(state / "policy.safetensors")[1]["config"]
        config = json.loads(json.dumps(asdict(self.config)))
        for key in (
            "game",
            "seed",
            "ranks",
            "num_games",
            "num_steps",
            "seats",
            "settings",
            "opponents",
            "net",
        ):
            if saved.get(key) != config[key]:
                raise CheckpointError(
                    f"{state}: it was made with {key}={saved.get(key)}, this run has {config[key]}; "
                    "give the run another name, or resume=false to start again"
                )

    def _resume(self, state: Path) -> None:
        """`restore` on all ranks or on none."""
        error = None
        try:
            self.restore(state)
        except CheckpointError as found:
            error = found
        self.ranks.agree(error)
        if self.progress < 1:
            self.report.note(f"going on from update {self.update}")

    def restore(self, state: Path) -> None:
        """Go on exactly where a saved state left off; raises `CheckpointError` if it is damaged."""
        net, info = load_policy(state / "policy.safetensors")
        self.net.load_state_dict(net.state_dict())
        self.update, self.decisions, self.seconds = info["update"], info["decisions"], info["seconds"]
        own, leader = state / f"rank-{self.ranks.index}.safetensors", state / "rank-0.safetensors"
        files = {path: load_tensors(path) for path in {own, leader}}
        for path, (_, found) in files.items():
            if any(found.get(key) != info[key] for key in ("update", "decisions", "config")):
                raise CheckpointError(f"{path}: it is of another moment or run than the policy beside it")
        tensors, _ = files[own]
        self.tables = self.new_tables(cloning=self.stage == "clone")
        try:
            unpack_optimizer(self.optimizer, files[leader][0])
            self.generator.set_state(tensors["generator"])
            # A run made longer or shorter may be in another stage now, with others at its tables.
            if (info["stage"] == "clone") == (self.stage == "clone"):
                for name in TABLE_ARRAYS:
                    setattr(self.tables, name, unpack_array(tensors[name], getattr(self.tables, name)))
        except (KeyError, RuntimeError, TypeError, ValueError) as error:
            raise CheckpointError(f"{own}: not the state of a rank of this run ({error})") from error
        self.tables.observe()
        if self.stage == "ppo" and (state / "anchor.safetensors").exists():
            self.anchor = load_policy(state / "anchor.safetensors")[0].to(self.device)
