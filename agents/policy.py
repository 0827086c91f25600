"""The network: one for all seat counts of a game. It knows sizes, not training.

A seat's features go through a layer that shares its weights among suits and among ranks, then a
pre-LayerNorm residual MLP. The policy head gives a logit for every action. A small network that reads every
card adds what discarding or taking it is worth, and one weight is added to what the planner would lay: where
melds go is for a solver to find, not for a network. The value head gives the hand's expected reward; it may
also see the other hands, as it is used in training only and is not exported.
"""

from dataclasses import dataclass
from types import ModuleType

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from agents.embedding import CardHead, TableEmbedding
from agents.levels import EXPERT, Level
from agents.sampling import choose
from jo_env.bots import BatchBot
from jo_env.jit import jit

ILLEGAL = -1e9  # a finite fill, so that no NaN can come of it


@dataclass
class NetConfig:
    """Sizes of the network."""

    suit: int = 64  # features of each suit
    rank: int = 16  # features of each rank
    other: int = 64  # features of all else
    card: int = 32  # width of what judges each card
    width: int = 256  # width of the trunk
    blocks: int = 1  # residual blocks
    critic: int = 256  # width of the value head


class ResidualBlock(nn.Module):
    """x + W2 relu(W1 LayerNorm(x))."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.expand = nn.Linear(width, width)
        self.project = nn.Linear(width, width)
        nn.init.zeros_(self.project.weight)
        nn.init.zeros_(self.project.bias)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.project(F.relu(self.expand(self.norm(x))))


class PolicyNet(nn.Module):
    """Policy and value of a seat's features, for one game."""

    is_take: Tensor

    def __init__(self, game: ModuleType, config: NetConfig) -> None:
        super().__init__()
        self.game, self.config = game, config
        self.layout = layout = game.LAYOUT
        self.embed = TableEmbedding(layout, config.suit, config.rank, config.other)
        self.enter = nn.Linear(self.embed.width, config.width)
        self.blocks = nn.ModuleList(ResidualBlock(config.width) for _ in range(config.blocks))
        self.norm = nn.LayerNorm(config.width)
        self.policy = nn.Linear(config.width, layout.num_actions)
        nn.init.orthogonal_(self.policy.weight, gain=0.01)
        nn.init.zeros_(self.policy.bias)
        num_blocks = len(layout.face_blocks)
        self.cards = CardHead(num_blocks, config.suit, config.rank, config.width, config.card)
        self.planned = nn.Parameter(torch.ones(1))  # added to the logit of what the planner would lay
        is_take = torch.zeros(layout.num_actions)
        is_take[list(layout.takes)] = 1
        self.register_buffer("is_take", is_take, persistent=False)  # the actions that take what is on offer
        self.critic_hidden = nn.Linear(game.HIDDEN_SIZE, config.critic)
        self.critic_trunk = nn.Linear(config.width, config.critic)
        self.critic = nn.Linear(config.critic, 1)

    def trunk(self, features: Tensor) -> tuple[Tensor, Tensor]:
        """(x, logits) of int8[B, num_features]: float32[B, width], and float32[B, NUM_ACTIONS] not masked."""
        faces, suits, ranks, others = self.embed(features)
        x = self.enter(torch.cat([suits.flatten(1), ranks.flatten(1), others], 1))
        for block in self.blocks:
            x = block(x)
        x = F.relu(self.norm(x))
        discards, takes = self.cards(faces, suits, ranks, x).unbind(2)
        take = (takes * faces[..., self.layout.offer_block].flatten(1)).sum(1, keepdim=True)
        logits = self.policy(x).float() + take.float() * self.is_take
        lays = self.planned * features[:, self.layout.planned :]
        return x, logits + self._placed(discards.float(), self.layout.discards) + self._placed(
            lays, self.layout.lays
        )

    def _placed(self, values: Tensor, first: int) -> Tensor:
        """Values float32[B, K] for the actions from `first` on, 0 for all others: float32[B, NUM_ACTIONS]."""
        return F.pad(values, (first, self.layout.num_actions - first - values.shape[1]))

    def logits(self, features: Tensor) -> Tensor:
        """Action logits float32[B, NUM_ACTIONS], not masked, of int8[B, num_features]."""
        return self.trunk(features)[1]

    def value(self, x: Tensor, hidden: Tensor) -> Tensor:
        """Expected reward float32[B] of the hand, given what is hidden as well, int8[B, HIDDEN_SIZE]."""
        x = self.critic_trunk(x) + self.critic_hidden(hidden.to(x.dtype))
        return self.critic(F.relu(x)).squeeze(-1).float()

    def forward(self, features: Tensor, hidden: Tensor) -> tuple[Tensor, Tensor]:
        """(logits, values) of one pass, as training needs them."""
        x, logits = self.trunk(features)
        return logits, self.value(x, hidden)


@jit
def write_legal_lists(masks, legal):
    """The legal actions of each row of int8[B, A], in order, into int64[B, K], which holds -1 elsewhere."""
    for i in range(len(masks)):
        n = 0
        for action in range(masks.shape[1]):
            if masks[i, action]:
                legal[i, n] = action
                n += 1


def legal_lists(masks: Tensor) -> Tensor:
    """The legal actions of each row, padded with -1: int64[B, K] for masks int8[B, A].

    Seldom are more than a few dozen of the actions legal, so what follows works on a tenth of them.
    """
    array = masks.cpu().numpy()
    legal = np.full((len(array), int(array.sum(1, dtype=np.int64).max())), -1, np.int64)
    write_legal_lists(array, legal)
    return torch.from_numpy(legal).to(masks.device)


def legal_log_probs(logits: Tensor, legal: Tensor) -> Tensor:
    """Log-probabilities float32[B, K] of the legal actions; the padding gets a finite, huge negative."""
    picked = logits.float().gather(1, legal.clamp_min(0))
    return F.log_softmax(picked.masked_fill(legal < 0, ILLEGAL), dim=-1)


def entropy(log_probs: Tensor) -> Tensor:
    """Entropy float32[B] of log-probabilities of legal actions (padding has probability 0)."""
    return -(log_probs.exp() * log_probs).sum(-1)


class NetBot(BatchBot):
    """A net in a seat, at a level."""

    def __init__(self, net: PolicyNet, level: Level = EXPERT) -> None:
        self.net = net
        self.level = level
        self.room = net.game.room

    def logits(self, features: np.ndarray) -> np.ndarray:
        """Action logits float32[N, NUM_ACTIONS], not masked, of int8[N, num_features]."""
        with torch.inference_mode():
            return self.net.logits(torch.from_numpy(features).to(self.net.policy.weight.device)).cpu().numpy()

    def choose(self, views: np.ndarray, masks: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Actions int32[N]; views are VIEW[N], masks int8[N, NUM_ACTIONS], seeds uint64[N]."""
        return choose(self.logits(self.net.game.features_of(views)), masks, seeds, self.level)
