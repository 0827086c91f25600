"""The first layer of the network, which knows what a card is.

Runs are made within a suit and threes within a rank, and it does not matter which: so one linear map
reads each suit's cards, another each rank's, and a third whatever is not about single faces. Sharing
the maps lets every decision teach all suits and ranks at once, and costs less than one wide layer.
"""

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from agents.features import NUM_FEATURES, feature_layout
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
    "odds": 40,
    "odds_gained": 30,
    "outs": 20,
    "outs_with_top": 20,
}


def read_layout() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Where the three maps find their entries, and the scale of every feature.

    suits int64[4, 13 * blocks], ranks int64[13, 4 * blocks], others int64[K], scale float32[NUM_FEATURES].
    """
    faces, others = [], []
    scale = np.ones(NUM_FEATURES, np.float32)
    for name, offset, size in feature_layout():
        places = np.arange(offset, offset + size)
        scale[places] = 1 / RANGES.get(name.split(".")[-1], 1)
        if size == NUM_FACES:
            faces.append(places.reshape(NUM_SUITS, NUM_RANKS))
        else:
            others.append(places)
    blocks = np.stack(faces)  # [blocks, 4, 13]
    suits = blocks.transpose(1, 0, 2).reshape(NUM_SUITS, -1)
    ranks = blocks.transpose(2, 0, 1).reshape(NUM_RANKS, -1)
    return suits, ranks, np.concatenate(others), scale


SUITS, RANKS, OTHERS, SCALE = read_layout()


class TableEmbedding(nn.Module):
    """What each suit, each rank and all else say."""

    suits: Tensor
    ranks: Tensor
    others: Tensor
    scale: Tensor

    def __init__(self, suit: int, rank: int, other: int) -> None:
        super().__init__()
        for name, array in (("suits", SUITS), ("ranks", RANKS), ("others", OTHERS), ("scale", SCALE)):
            self.register_buffer(name, torch.from_numpy(array.reshape(-1)), persistent=False)
        self.suit = nn.Linear(SUITS.shape[1], suit)
        self.rank = nn.Linear(RANKS.shape[1], rank)
        self.other = nn.Linear(len(OTHERS), other)
        self.width = NUM_SUITS * suit + NUM_RANKS * rank + other

    def forward(self, features: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """(float32[B, 4, suit], float32[B, 13, rank], float32[B, other]) of int8[B, NUM_FEATURES]."""
        x = features.float().mul_(self.scale)
        suits = x.index_select(1, self.suits).view(-1, *SUITS.shape)
        ranks = x.index_select(1, self.ranks).view(-1, *RANKS.shape)
        others = x.index_select(1, self.others)
        return F.relu(self.suit(suits)), F.relu(self.rank(ranks)), F.relu(self.other(others))


class CardHead(nn.Module):
    """What a suit's and a rank's own features say of each face: float32[B, 52]."""

    def __init__(self, suit: int, rank: int) -> None:
        super().__init__()
        self.suit = nn.Linear(suit, NUM_RANKS)
        self.rank = nn.Linear(rank, NUM_SUITS)

    def forward(self, suits: Tensor, ranks: Tensor) -> Tensor:
        return (self.suit(suits) + self.rank(ranks).transpose(1, 2)).flatten(1)
