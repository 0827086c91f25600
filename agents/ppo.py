"""Masked PPO for many seats at one table: advantages, losses, update. Read it top to bottom.

A seat's next decision is its own, wherever in time it comes: buy windows of other seats, their turns
and their rewards lie in between and are not its business. What the seat itself receives in between
belongs to its last decision. An episode is one hand: points are added up over a game, so with gamma 1
nothing after the hand depends on it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from agents.policy import PolicyNet, entropy, legal_lists, legal_log_probs
from agents.rollout import Buffer
from jo_env.jit import jit


@dataclass
class PpoConfig:
    """Numbers of the update; annealed ones go from the first to the second value over the stage."""

    lr: tuple[float, float] = (1e-4, 1e-5)
    clip: tuple[float, float] = (0.2, 0.1)
    entropy: tuple[float, float] = (0.005, 0.001)
    kl: float = 0.05  # pull towards the cloned policy, falling to 0 over `kl_until` of the stage
    kl_until: float = 1.0
    gae_lambda: float = 0.9  # counted in the seat's own decisions
    value: float = 0.5
    epochs: int = 1
    num_minibatches: int = 8
    max_grad_norm: float = 0.5


@jit
def compute_advantages(values, rewards, ended, seats, gae_lambda, advantages, returns, valid):
    """Generalized advantage estimation (Schulman et al., 2016) along each seat's own decisions, gamma 1.

    All arrays are [T, N], rewards [T, N, seats]. A seat's last decision in the buffer, when its hand goes on
    after it, has no successor yet: its value is the bootstrap of the one before, and it is not valid.
    """
    num_seats = rewards.shape[2]
    for i in range(values.shape[1]):
        next_value = np.zeros(num_seats, np.float32)
        next_advantage = np.zeros(num_seats, np.float32)
        received = np.zeros(num_seats, np.float32)  # since the seat's decision that comes next, going back
        has_next = np.zeros(num_seats, np.int8)
        for t in range(values.shape[0] - 1, -1, -1):
            for seat in range(num_seats):
                received[seat] += rewards[t, i, seat]
                if ended[t, i]:
                    received[seat] = rewards[t, i, seat]
                    next_value[seat] = 0
                    next_advantage[seat] = 0
                    has_next[seat] = 1
            seat = seats[t, i]
            valid[t, i] = has_next[seat]
            advantage = np.float32(0)
            if has_next[seat]:
                delta = received[seat] + next_value[seat] - values[t, i]
                advantage = delta + gae_lambda * next_advantage[seat]
            advantages[t, i] = advantage
            returns[t, i] = advantage + values[t, i]
            next_value[seat] = values[t, i]
            next_advantage[seat] = advantage
            received[seat] = 0
            has_next[seat] = 1


@dataclass
class Batch:
    """Decisions to learn from, as tensors with one row a decision."""

    features: Tensor  # int8[B, NUM_FEATURES]
    masks: Tensor  # int8[B, NUM_ACTIONS]
    hidden: Tensor  # int8[B, HIDDEN_SIZE]
    actions: Tensor  # int64[B]
    log_probs: Tensor  # float32[B]
    values: Tensor  # float32[B]
    advantages: Tensor  # float32[B]
    returns: Tensor  # float32[B]
    kinds: Tensor  # int64[B] the kind of hand

    def __len__(self) -> int:
        return len(self.actions)

    def to(self, device: torch.device) -> "Batch":
        return Batch(*(getattr(self, name).to(device) for name in self.__dataclass_fields__))

    def __getitem__(self, rows: Tensor) -> "Batch":
        return Batch(*(getattr(self, name).index_select(0, rows) for name in self.__dataclass_fields__))


def make_batch(buffer: Buffer, gae_lambda: float, lookahead: int = 0) -> Batch:
    """The learner's decisions of a buffer that have a successor, with their advantages.

    Those of the last `lookahead` steps are left out, whatever came of them. Else the choice would go by the
    outcome: who goes out ends the hand at once, while the others' decisions may run past the last step, so
    that more wins than losses were learned from, values rose above what is won, and with them the worth of
    whatever makes a hand last.
    """
    shape = buffer.seats.shape
    advantages, returns = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
    valid = np.zeros(shape, np.int8)
    compute_advantages(
        buffer.values,
        buffer.rewards,
        buffer.ended,
        buffer.seats,
        np.float32(gae_lambda),
        advantages,
        returns,
        valid,
    )
    valid[shape[0] - lookahead :] = 0
    rows = torch.from_numpy(np.flatnonzero(valid & buffer.learns))

    def pick(array: np.ndarray) -> Tensor:
        flat = torch.from_numpy(array.reshape(-1, *array.shape[2:]))
        return flat.index_select(0, rows)

    return Batch(
        features=pick(buffer.features),
        masks=pick(buffer.masks),
        hidden=pick(buffer.hidden),
        actions=pick(buffer.actions).long(),
        log_probs=pick(buffer.log_probs),
        values=pick(buffer.values),
        advantages=pick(advantages),
        returns=pick(returns),
        kinds=pick(buffer.kinds).long(),
    )


def minibatches(num_rows: int, count: int, generator: torch.Generator) -> Sequence[Tensor]:
    """`count` equal parts of the rows in random order (a few rows over are left out)."""
    size = num_rows // count
    return torch.randperm(num_rows, generator=generator)[: count * size].split(size)


@dataclass
class Coefficients:
    """The annealed numbers of one update."""

    lr: float
    clip: float
    entropy: float
    kl: float


def coefficients(config: PpoConfig, progress: float) -> Coefficients:
    """Linear schedules at `progress` in [0, 1] of the stage."""

    def at(ends: tuple[float, float]) -> float:
        return ends[0] + (ends[1] - ends[0]) * progress

    kl = config.kl * max(0.0, 1 - progress / config.kl_until) if config.kl_until > 0 else 0.0
    return Coefficients(at(config.lr), at(config.clip), at(config.entropy), kl)


def ppo_loss(
    net: nn.Module, part: Batch, config: PpoConfig, now: Coefficients, anchor: PolicyNet | None
) -> tuple[Tensor, dict[str, Tensor]]:
    """Clipped surrogate, value error, entropy of the legal actions and the pull towards `anchor`."""
    logits, values = net(part.features, part.hidden)
    legal = legal_lists(part.masks)
    log_probs = legal_log_probs(logits, legal)
    chosen = log_probs[legal == part.actions[:, None]]
    log_ratio = chosen - part.log_probs
    ratio = log_ratio.exp()
    advantages = part.advantages
    clipped = ratio.clamp(1 - now.clip, 1 + now.clip)
    policy_loss = -torch.min(ratio * advantages, clipped * advantages).mean()
    value_loss = 0.5 * (values - part.returns).square().mean()
    mean_entropy = entropy(log_probs).mean()
    loss = policy_loss + config.value * value_loss - now.entropy * mean_entropy
    metrics = {
        "policy_loss": policy_loss,
        "value_loss": value_loss,
        "entropy": mean_entropy,
        "approx_kl": (ratio - 1 - log_ratio).mean(),
        "clip_fraction": ((ratio - 1).abs() > now.clip).float().mean(),
    }
    if anchor is not None and now.kl > 0:
        with torch.no_grad():
            target = legal_log_probs(anchor.logits(part.features), legal)
        metrics["anchor_kl"] = F.kl_div(log_probs, target, reduction="batchmean", log_target=True)
        loss = loss + now.kl * metrics["anchor_kl"]
    return loss, metrics


def normalize(batch: Batch, num_kinds: int, mean_over_ranks) -> Tensor:
    """Advantages with mean 0 and deviation 1 for each kind of hand, over all ranks.

    Some hands are worth more points than others, as those of Jo's later rounds: none is to drown the rest.
    """
    advantages = batch.advantages.double()
    sums = torch.zeros(3, num_kinds, dtype=torch.float64)
    for row, values in zip(sums, (torch.ones_like(advantages), advantages, advantages.square()), strict=True):
        row.index_add_(0, batch.kinds, values)
    sums = mean_over_ranks(sums)
    count = sums[0].clamp_min(1e-9)
    mean = sums[1] / count
    deviation = (sums[2] / count - mean.square()).clamp_min(1e-8).sqrt()
    return ((advantages - mean[batch.kinds]) / deviation[batch.kinds]).float()


def explained_variance(batch: Batch) -> float:
    """1 - Var(returns - values) / Var(returns)."""
    return float(1 - (batch.returns - batch.values).var() / batch.returns.var().clamp_min(1e-8))
