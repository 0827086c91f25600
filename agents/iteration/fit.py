"""Least squares: what a hand comes to, what was to be expected, and on what is left, the moves' advantages.

A hand's reward has a spread of 40 points or more. So a move is judged by how the hand stands some turns
later: the value network says what such hands come to on average, without the luck of all that follows. A
critic that sees the whole table and the cards about to come predicts that, so that the luck of the turns
between is left out as well.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from agents.candidates import MOST_MOVES
from agents.iteration.advantages import YES, Advantages
from agents.iteration.explore import Rows

UNIT = 0.1  # the networks answer in tens of points, rewards are in hundreds


@dataclass
class FitConfig:
    """Numbers of a fit."""

    hidden: int = 48  # width of the advantage networks
    critic: int = 192  # width of the critic and of the value network
    lr: float = 2e-3  # of the advantages, falling to 0 by a cosine
    critic_lr: float = 1e-3
    batch_size: int = 8192


class _Scalar(nn.Module):
    """One number float32[B] of int8[B, inputs], each of which is first multiplied by its scale."""

    scale: Tensor

    def __init__(self, scale: np.ndarray, width: int) -> None:
        super().__init__()
        self.register_buffer("scale", torch.from_numpy(scale))
        sizes = (len(scale), width, width)
        layers = [m for a, b in pairwise(sizes) for m in (nn.Linear(a, b), nn.ReLU())]
        self.layers = nn.Sequential(*layers, nn.Linear(width, 1))

    def forward(self, inputs: Tensor) -> Tensor:
        return self.layers(inputs.float() * self.scale).squeeze(1)


class AdvantageNet(nn.Module):
    """`advantages.judge` for batches: one small network for each kind of decision of a game."""

    def __init__(self, game: ModuleType, hidden: int) -> None:
        super().__init__()
        self.num_taking = game.NUM_TAKING
        k, n, h = len(game.KINDS), game.NUM_TRAITS, hidden
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
        if kind < self.num_taking:
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
    """Goes twice through its rows, `total` in all, file by file: for the values, then for the rest.

    It starts from the advantages of the policy that explored: they change little between iterations.
    """

    def __init__(
        self, game: ModuleType, config: FitConfig, total: int, seed: int, start: Advantages | None = None
    ) -> None:
        self.game = game
        self.generator = torch.Generator().manual_seed(seed)
        torch.manual_seed(seed)
        self.config, self.total = config, total
        # What a hand comes to for a seat, by how it stands; what a seat may expect, by what the critic sees.
        self.value = _Scalar(np.full(game.STANDING_SIZE, 1 / YES, np.float32), config.critic)
        self.critic = _Scalar(game.CRITIC_SCALE, config.critic)
        self.net = AdvantageNet(game, config.hidden)
        if start is not None:
            self.net.load(start)
        self.value_optimizer = _Optimizer(self.value, config.critic_lr, total)
        self.critic_optimizer = _Optimizer(self.critic, config.critic_lr, total)
        self.optimizer = _Optimizer(self.net, config.lr, total, betas=(0.9, 0.99))

    def learn_values(self, rows: Rows) -> dict[str, float]:
        """One pass over these rows for the value network; returns the mean square it leaves, in points."""
        some = np.flatnonzero(rows.has_later)
        standing, rewards = torch.from_numpy(rows.later[some]), torch.from_numpy(rows.rewards[some])
        total, num_batches = torch.zeros(()), 0
        for part in torch.randperm(len(some), generator=self.generator).split(self.config.batch_size):
            loss = (rewards[part] - self.value(standing[part])).square().mean()
            self.value_optimizer.step(loss, len(part) * len(rows.rewards) / len(some))
            total, num_batches = total + loss.detach(), num_batches + 1
        return {"value_error": 100 * float((total / max(num_batches, 1)).sqrt())}

    @torch.no_grad()
    def returns(self, rows: Rows) -> Tensor:
        """What a row is judged by, float32[N]: the value of how the hand stood later, or what it came to."""
        returns = torch.from_numpy(rows.rewards.copy())
        some = torch.from_numpy(np.flatnonzero(rows.has_later))
        for part in some.split(self.config.batch_size):
            returns[part] = self.value(torch.from_numpy(rows.later[part.numpy()]))
        return returns

    def learn(self, rows: Rows) -> dict[str, float]:
        """One pass over these rows for the critic and the advantages; returns the mean squares they leave."""
        tensors = as_tensors(rows, self.returns(rows))
        order = torch.randperm(len(rows.rewards), generator=self.generator)
        sums, num_batches = torch.zeros(2), 0
        for part in order.split(self.config.batch_size):
            batch = {name: tensor[part] for name, tensor in tensors.items()}
            expected = self.critic(batch["table"])
            critic_loss = (batch["returns"] - expected).square().mean()
            self.critic_optimizer.step(critic_loss, len(part))
            error = batch["returns"] - expected.detach()
            loss = (error - self.chosen_advantages(batch)).square().mean()
            self.optimizer.step(loss, len(part))
            sums += torch.stack([critic_loss, loss]).detach()
            num_batches += 1
        critic, advantage = (sums / num_batches).sqrt().tolist()
        return {"critic_error": 100 * critic, "advantage_error": 100 * advantage}

    def chosen_advantages(self, batch: dict[str, Tensor]) -> Tensor:
        """The advantage float32[B] of the move that was drawn."""
        chosen = torch.zeros(len(batch["returns"]))
        for kind, rows in by_kind(batch, len(self.game.KINDS)):
            some = {name: batch[name][rows] for name in ("traits", "num_moves", "takes_first", "chosen")}
            advantages = self.net(some["traits"], some["num_moves"], some["takes_first"], kind)
            chosen = chosen.index_copy(0, rows, advantages.gather(1, some["chosen"].long()[:, None])[:, 0])
        return chosen

    @torch.no_grad()
    def measure(self, rows: Rows) -> dict[str, float]:
        """On rows not learned from: explained variances, and points gained a decision by kind, with margins.

        The gain of the best move over the policy that explored is estimated from the rows in which one of
        both was drawn, each as many times as there were candidates: unbiased, as the draw was even, but for
        what the value network overlooks.
        """
        batch = as_tensors(rows, self.returns(rows))
        error = 100 * (batch["returns"] - self.critic(batch["table"]))
        rewards = torch.from_numpy(rows.rewards)
        figures = {
            "value_explains": float(1 - (rewards - batch["returns"]).var() / rewards.var()),
            "critic_explains": float(1 - error.var() / (100 * batch["returns"]).var()),
        }
        for kind, places in by_kind(batch, len(self.game.KINDS)):
            some = {name: tensor[places] for name, tensor in batch.items() if name != "table"}
            best = self.net(some["traits"], some["num_moves"], some["takes_first"], kind).argmax(1)
            drew = (best == some["chosen"]).float() - (some["planned"] == some["chosen"]).float()
            gains = some["num_moves"] * drew * error[places]
            name = self.game.KINDS[kind]
            figures[f"{name}_gain"] = float(gains.mean())
            figures[f"{name}_margin"] = float(1.96 * gains.std(correction=0) / len(gains) ** 0.5)
            figures[f"{name}_changes"] = float((best != some["planned"]).float().mean())
        return figures


class _Optimizer:
    """Adam whose rate rises shortly and falls by a cosine, so that noise averages out at the end."""

    def __init__(self, net: nn.Module, rate: float, total: int, **options: Any) -> None:
        self.adam = torch.optim.Adam(net.parameters(), rate, **options)
        self.rate, self.total, self.num_seen = rate, total, 0.0

    def step(self, loss: Tensor, num_rows: float) -> None:
        done = min(self.num_seen / self.total, 1.0)
        rate = self.rate * min(1.0, done / 0.02 + 0.01) * 0.5 * (1 + np.cos(np.pi * done))
        for group in self.adam.param_groups:
            group["lr"] = rate
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()
        self.num_seen += num_rows


_READ = ("traits", "table", "num_moves", "chosen", "planned", "takes_first", "kinds")


def as_tensors(rows: Rows, returns: Tensor) -> dict[str, Tensor]:
    return {name: torch.from_numpy(getattr(rows, name)) for name in _READ} | {"returns": returns}


def by_kind(batch: dict[str, Tensor], num_kinds: int) -> Iterable[tuple[int, Tensor]]:
    """(kind of decision, the rows of that kind)."""
    for kind in range(num_kinds):
        rows = torch.nonzero(batch["kinds"] == kind)[:, 0]
        if len(rows):
            yield kind, rows
