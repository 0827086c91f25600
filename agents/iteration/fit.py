"""Least squares: a critic of the whole table, and on what it leaves, the advantages of the moves."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from agents.embedding import OTHER_SCALE
from agents.heuristics.candidates import MOST_MOVES
from agents.hidden import NUM_DRAWS, SUMMARY
from agents.iteration.explore import NUM_CRITIC_INPUTS, Rows
from agents.iteration.improved import Advantages
from agents.iteration.traits import DRAWING, NUM_KINDS, NUM_TRAITS, YES

UNIT = 0.1  # the networks answer in tens of points, rewards are in hundreds


@dataclass
class FitConfig:
    """Numbers of a fit."""

    hidden: int = 48  # width of the advantage networks
    critic: int = 192  # width of the critic
    lr: float = 2e-3  # of the advantages, falling to 0 by a cosine
    critic_lr: float = 1e-3
    batch_size: int = 8192


def _critic_scale() -> Tensor:
    scale = np.ones(len(SUMMARY), np.float32)
    num_hands = len(SUMMARY) - 8 * NUM_DRAWS  # two numbers a hand, then two blocks of draws a seat
    scale[:num_hands:2] = 1 / 4  # cards missing
    scale[1:num_hands:2] = 1 / 10  # points, in tens
    for start in range(num_hands, len(SUMMARY), 2 * NUM_DRAWS):
        scale[start : start + NUM_DRAWS] = 1 / 4
    return torch.from_numpy(np.concatenate([OTHER_SCALE.astype(np.float32), scale, np.ones(2, np.float32)]))


class Critic(nn.Module):
    """What a seat may expect of the hand, float32[B], from int8[B, NUM_CRITIC_INPUTS]."""

    scale: Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("scale", _critic_scale())
        sizes = (NUM_CRITIC_INPUTS, width, width)
        layers = [m for a, b in pairwise(sizes) for m in (nn.Linear(a, b), nn.ReLU())]
        self.layers = nn.Sequential(*layers, nn.Linear(width, 1))

    def forward(self, table: Tensor) -> Tensor:
        return self.layers(table.float() * self.scale).squeeze(1)


class AdvantageNet(nn.Module):
    """`improved.judge` for batches: one small network for each kind of decision."""

    def __init__(self, hidden: int) -> None:
        super().__init__()
        k, n, h = NUM_KINDS, NUM_TRAITS, hidden
        self.w1 = nn.Parameter(torch.randn(k, n, h) * 0.5 / n**0.5)
        self.b1 = nn.Parameter(torch.zeros(k, h))
        self.w2 = nn.Parameter(torch.randn(k, h, h) / h**0.5)
        self.b2 = nn.Parameter(torch.zeros(k, h))
        self.w3 = nn.Parameter(torch.randn(k, h) * 0.02)
        self.linear = nn.Parameter(torch.zeros(k, n))

    def judge(self, traits: Tensor, kind: int) -> Tensor:
        """In tens of points, float32[...], of traits int8[..., NUM_TRAITS]."""
        x = traits.float() / YES
        y = F.relu(x @ self.w1[kind] + self.b1[kind])
        y = F.relu(y @ self.w2[kind] + self.b2[kind])
        return y @ self.w3[kind] + x @ self.linear[kind]

    def forward(self, traits: Tensor, num_moves: Tensor, takes_first: Tensor, kind: int) -> Tensor:
        """Advantages float32[B, MOST_MOVES] over the mean of the candidates, in rewards; -inf beyond them."""
        if kind <= DRAWING:
            worth = UNIT * self.judge(traits[:, 0], kind) * torch.where(takes_first > 0, 1.0, -1.0)
            beyond = worth.new_full((len(worth), MOST_MOVES - 2), -torch.inf)
            return torch.cat([worth[:, None], -worth[:, None], beyond], 1)
        worths = UNIT * self.judge(traits, kind)
        is_move = torch.arange(MOST_MOVES) < num_moves[:, None]
        mean = (worths * is_move).sum(1, keepdim=True) / num_moves[:, None]
        return (worths - mean).masked_fill(~is_move, -torch.inf)

    def export(self) -> Advantages:
        return Advantages(**{name: p.detach().numpy().copy() for name, p in self.named_parameters()})

    def load(self, advantages: Advantages) -> None:
        """Raises `ValueError` for networks of another width."""
        for name, p in self.named_parameters():
            array = getattr(advantages, name)
            if array.shape != p.shape:
                raise ValueError(f"advantages {name} of shape {array.shape}: give ones of {tuple(p.shape)}")
            p.data = torch.from_numpy(array.copy())


class Fit:
    """Goes once through the rows it is handed, `total` in all, file by file.

    It starts from the advantages of the policy that explored: they change little between iterations.
    """

    def __init__(self, config: FitConfig, total: int, seed: int, start: Advantages | None = None) -> None:
        self.generator = torch.Generator().manual_seed(seed)
        torch.manual_seed(seed)
        self.config, self.total, self.num_seen = config, total, 0
        self.critic, self.net = Critic(config.critic), AdvantageNet(config.hidden)
        if start is not None:
            self.net.load(start)
        self.critic_optimizer = torch.optim.Adam(self.critic.parameters(), config.critic_lr)
        self.optimizer = torch.optim.Adam(self.net.parameters(), config.lr, betas=(0.9, 0.99))

    def learn(self, rows: Rows) -> dict[str, float]:
        """One pass over these rows; returns the mean squares of what both leave, in points."""
        tensors = as_tensors(rows)
        order = torch.randperm(len(rows.rewards), generator=self.generator)
        sums, num_batches = torch.zeros(2), 0
        for part in order.split(self.config.batch_size):
            self._set_rates()
            batch = {name: tensor[part] for name, tensor in tensors.items()}
            values = self.critic(batch["table"])
            critic_loss = (batch["rewards"] - values).square().mean()
            self.critic_optimizer.zero_grad()
            critic_loss.backward()
            self.critic_optimizer.step()
            error = batch["rewards"] - values.detach()
            loss = (error - self.chosen_advantages(batch)).square().mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.num_seen += len(part)
            sums += torch.stack([critic_loss, loss]).detach()
            num_batches += 1
        critic, advantage = (sums / num_batches).sqrt().tolist()
        return {"critic_error": 100 * critic, "advantage_error": 100 * advantage}

    def chosen_advantages(self, batch: dict[str, Tensor]) -> Tensor:
        """The advantage float32[B] of the move that was drawn."""
        chosen = torch.zeros(len(batch["rewards"]))
        for kind, rows in by_kind(batch):
            some = {name: batch[name][rows] for name in ("traits", "num_moves", "takes_first", "chosen")}
            advantages = self.net(some["traits"], some["num_moves"], some["takes_first"], kind)
            chosen = chosen.index_copy(0, rows, advantages.gather(1, some["chosen"].long()[:, None])[:, 0])
        return chosen

    def _set_rates(self) -> None:
        """A short rise and a cosine's fall, so that noise averages out at the end."""
        done = min(self.num_seen / self.total, 1.0)
        factor = min(1.0, done / 0.02 + 0.01) * 0.5 * (1 + np.cos(np.pi * done))
        for optimizer, rate in (
            (self.critic_optimizer, self.config.critic_lr),
            (self.optimizer, self.config.lr),
        ):
            for group in optimizer.param_groups:
                group["lr"] = rate * factor

    @torch.no_grad()
    def measure(self, rows: Rows) -> dict[str, float]:
        """On rows not learned from: explained variance, and points gained a decision by kind, with margins.

        The gain of the best move over the policy that explored is estimated from the rows in which one of
        both was drawn, each as many times as there were candidates: unbiased, as the draw was even.
        """
        batch = as_tensors(rows)
        error = 100 * (batch["rewards"] - self.critic(batch["table"]))
        figures = {"explained_variance": float(1 - error.var() / (100 * batch["rewards"]).var())}
        for kind, places in by_kind(batch):
            some = {name: tensor[places] for name, tensor in batch.items() if name != "table"}
            best = self.net(some["traits"], some["num_moves"], some["takes_first"], kind).argmax(1)
            drew = (best == some["chosen"]).float() - (some["planned"] == some["chosen"]).float()
            gains = some["num_moves"] * drew * error[places]
            name = ("buying", "drawing", "building", "down")[kind]
            figures[f"{name}_gain"] = float(gains.mean())
            figures[f"{name}_margin"] = float(1.96 * gains.std() / len(gains) ** 0.5)
            figures[f"{name}_changes"] = float((best != some["planned"]).float().mean())
        return figures


def as_tensors(rows: Rows) -> dict[str, Tensor]:
    return {name: torch.from_numpy(array) for name, array in vars(rows).items()}


def by_kind(batch: dict[str, Tensor]) -> Iterable[tuple[int, Tensor]]:
    """(kind of decision, the rows of that kind)."""
    for kind in range(NUM_KINDS):
        rows = torch.nonzero(batch["kinds"] == kind)[:, 0]
        if len(rows):
            yield kind, rows
