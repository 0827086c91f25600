"""The first layer of the network, which knows what a card is.

Runs are made within a suit and threes within a rank, and it does not matter which: so one linear map
reads each suit's cards, another each rank's (summed over the suits), and a third whatever is not about
single faces. Sharing the maps lets every decision teach all suits and ranks at once, and costs less than
one wide layer.
"""

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from agents.features import BY_RANK, NUM_FACE_BLOCKS, OTHERS, feature_layout
from jo_env.cards import NUM_FACES, NUM_RANKS, NUM_SUITS

# What brings counts of cards, points and turns near one.
RANGES = {
    "hand_size": 10,
    "score_tens": 20,
    "score_units": 10,
    "stock_tens": 8,
    "stock_units": 10,
    "turns_tens": 5,
    "turns_units": 10,
    "missing": 4,
    "low": 12,
    "length": 4,
    "rounds_left": 6,
    "buys_left": 3,
    "decks": 2,
    "threes": 2,
    "fours": 2,
    "outs_without": 20,
    "fits_after": 2,
    "use_to_next": 60,
    "use_to_others": 60,
    "odds_lost": 30,
    "favor": 60,
    "odds": 40,
    "odds_gained": 30,
    "outs": 20,
    "outs_with_top": 20,
}


def _scales() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What each part of the features is multiplied with: float32[blocks * 13], [blocks] and [K]."""
    blocks, others = [], []
    for name, _, size in feature_layout():
        scale = np.float32(1 / RANGES.get(name.split(".")[-1], 1))
        if size == NUM_FACES:
            blocks.append(scale)
        else:
            others += [scale] * size
    return np.repeat(np.array(blocks), NUM_RANKS), np.array(blocks), np.array(others)


SUIT_SCALE, RANK_SCALE, OTHER_SCALE = _scales()


class TableEmbedding(nn.Module):
    """What each suit, each rank and all else say."""

    suit_scale: Tensor
    rank_scale: Tensor
    other_scale: Tensor

    def __init__(self, suit: int, rank: int, other: int) -> None:
        super().__init__()
        for name, scale in (("suit", SUIT_SCALE), ("rank", RANK_SCALE), ("other", OTHER_SCALE)):
            self.register_buffer(f"{name}_scale", torch.from_numpy(scale))  # a policy keeps its own
        self.suit = nn.Linear(len(SUIT_SCALE), suit)
        self.rank = nn.Linear(len(RANK_SCALE), rank)
        self.other = nn.Linear(len(OTHER_SCALE), other)
        self.width = NUM_SUITS * suit + NUM_RANKS * rank + other

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """What int8[B, NUM_FEATURES] say of (each face, each suit, each rank, all else).

        The faces float32[B, 4, 13, blocks] only scaled, the rest embedded: float32[B, 4, suit],
        float32[B, 13, rank] and float32[B, other].
        """
        suits = features[:, :BY_RANK].float().view(-1, NUM_SUITS, len(SUIT_SCALE)).mul_(self.suit_scale)
        ranks = features[:, BY_RANK:OTHERS].float().view(-1, NUM_RANKS, len(RANK_SCALE)).mul_(self.rank_scale)
        others = features[:, OTHERS:].float().mul_(self.other_scale)
        faces = suits.unflatten(2, (NUM_FACE_BLOCKS, NUM_RANKS)).transpose(2, 3)
        return faces, F.relu(self.suit(suits)), F.relu(self.rank(ranks)), F.relu(self.other(others))


class CardHead(nn.Module):
    """Two numbers for each face: what discarding it and what taking it from the pile is worth.

    One small network reads every face: what is known of it and of its suit and rank, and the whole table.
    """

    def __init__(self, suit: int, rank: int, width: int, hidden: int) -> None:
        super().__init__()
        self.hidden = hidden
        self.face = nn.Linear(NUM_FACE_BLOCKS, hidden)
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
