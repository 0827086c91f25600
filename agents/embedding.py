"""The first layer of the network, which knows what a card is.

Runs are made within a suit and sets within a rank, and it does not matter which: so one linear map
reads each suit's cards, another each rank's (summed over the suits), and a third whatever is not about
single faces. Sharing the maps lets every decision teach all suits and ranks at once, and costs less than
one wide layer.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from agents.layout import Layout
from jo_env.cards import NUM_RANKS, NUM_SUITS


class TableEmbedding(nn.Module):
    """What each suit, each rank and all else say."""

    suit_scale: Tensor
    rank_scale: Tensor
    other_scale: Tensor

    def __init__(self, layout: Layout, suit: int, rank: int, other: int) -> None:
        super().__init__()
        self.layout = layout
        for name, scale in zip(("suit", "rank", "other"), layout.scales, strict=True):
            self.register_buffer(f"{name}_scale", torch.from_numpy(scale))  # a policy keeps its own
        self.suit = nn.Linear(len(self.suit_scale), suit)
        self.rank = nn.Linear(len(self.rank_scale), rank)
        self.other = nn.Linear(len(self.other_scale), other)
        self.width = NUM_SUITS * suit + NUM_RANKS * rank + other

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """What int8[B, num_features] say of (each face, each suit, each rank, all else).

        The faces float32[B, 4, 13, blocks] only scaled, the rest embedded: float32[B, 4, suit],
        float32[B, 13, rank] and float32[B, other].
        """
        by_rank, others = self.layout.by_rank, self.layout.others
        suits = features[:, :by_rank].float().unflatten(1, (NUM_SUITS, -1)).mul_(self.suit_scale)
        ranks = features[:, by_rank:others].float().unflatten(1, (NUM_RANKS, -1)).mul_(self.rank_scale)
        rest = features[:, others:].float().mul_(self.other_scale)
        faces = suits.unflatten(2, (-1, NUM_RANKS)).transpose(2, 3)
        return faces, F.relu(self.suit(suits)), F.relu(self.rank(ranks)), F.relu(self.other(rest))


class CardHead(nn.Module):
    """Two numbers for each face: what discarding it and what taking it from the pile is worth.

    One small network reads every face: what is known of it and of its suit and rank, and the whole table.
    """

    def __init__(self, blocks: int, suit: int, rank: int, width: int, hidden: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.face = nn.Linear(blocks, hidden)
        self.suit = nn.Linear(suit, NUM_RANKS * hidden, bias=False)
        self.rank = nn.Linear(rank, hidden, bias=False)
        self.table = nn.Linear(width, hidden, bias=False)
        self.mix = nn.Linear(hidden, hidden)
        self.worth = nn.Linear(hidden, 2)
        nn.init.orthogonal_(self.worth.weight, gain=0.01)
        nn.init.zeros_(self.worth.bias)

    def forward(self, faces: Tensor, suits: Tensor, ranks: Tensor, x: Tensor) -> Tensor:
        """float32[B, 52, 2] of faces[B, 4, 13, blocks], suits[B, 4, :], ranks[B, 13, :] and x[B, width]."""
        by_suit = self.suit(suits).unflatten(2, (NUM_RANKS, self.hidden))
        common = self.rank(ranks) + self.table(x)[:, None]
        y = F.relu(self.face(faces) + by_suit + common[:, None])
        return self.worth(F.relu(self.mix(y))).flatten(1, 2)
