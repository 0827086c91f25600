"""The first layer of the network, which knows what a card is.

Runs are made within a suit and threes within a rank, and it does not matter which: so one linear map
reads each suit's cards, another each rank's, and a third whatever is not about single faces. Sharing
the maps lets every decision teach all suits and ranks at once, and costs less than one wide layer.
"""

import numpy as np
import torch
from torch import Tensor, nn

from jo_env import jo
from jo_env.cards import NUM_FACES, NUM_RANKS, NUM_SUITS
from jo_env.jit import jit

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
}


def split_layout() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where the observation's blocks of 52 faces begin, the other entries, and the scale of those."""
    faces: list[int] = []
    others: list[int] = []
    scales: list[float] = []
    for name, offset, size in jo.observation_layout():
        if size == NUM_FACES:
            faces.append(offset)
        else:
            others += range(offset, offset + size)
            scales += [1 / RANGES.get(name.split(".")[-1], 1)] * size
    return np.array(faces), np.array(others), np.array(scales, np.float32)


FACE_BLOCKS, OTHERS, OTHERS_SCALE = split_layout()


@jit
def split_observations(observations, suits, ranks, others):
    """Write int8[B, OBSERVATION_SIZE] by suit, by rank, and the rest.

    suits float32[B, 4, 13 * blocks], ranks float32[B, 13, 4 * blocks], others float32[B, len(OTHERS)].
    """
    for b in range(len(observations)):
        for k in range(len(FACE_BLOCKS)):
            face = FACE_BLOCKS[k]
            for suit in range(NUM_SUITS):
                for rank in range(NUM_RANKS):
                    count = observations[b, face]
                    suits[b, suit, NUM_RANKS * k + rank] = count
                    ranks[b, rank, NUM_SUITS * k + suit] = count
                    face += 1
        for i in range(len(OTHERS)):
            others[b, i] = observations[b, OTHERS[i]] * OTHERS_SCALE[i]


class TableEmbedding(nn.Module):
    """Features float32[B, 4 * suit + 13 * rank + other] of observations int8[B, OBSERVATION_SIZE]."""

    def __init__(self, suit: int, rank: int, other: int) -> None:
        super().__init__()
        self.sizes = (NUM_SUITS * suit, NUM_RANKS * rank, other)
        self.suit = nn.Linear(NUM_RANKS * len(FACE_BLOCKS), suit)
        self.rank = nn.Linear(NUM_SUITS * len(FACE_BLOCKS), rank)
        self.other = nn.Linear(len(OTHERS), other)
        self.width = sum(self.sizes)

    def forward(self, observations: Tensor) -> Tensor:
        size = len(observations)
        suits = np.empty((size, NUM_SUITS, NUM_RANKS * len(FACE_BLOCKS)), np.float32)
        ranks = np.empty((size, NUM_RANKS, NUM_SUITS * len(FACE_BLOCKS)), np.float32)
        others = np.empty((size, len(OTHERS)), np.float32)
        split_observations(observations.cpu().numpy(), suits, ranks, others)
        device = self.suit.weight.device
        return torch.cat(
            [
                self.suit(torch.from_numpy(suits).to(device)).flatten(1),
                self.rank(torch.from_numpy(ranks).to(device)).flatten(1),
                self.other(torch.from_numpy(others).to(device)),
            ],
            1,
        )

    def as_linear(self) -> tuple[Tensor, Tensor]:
        """The same map as one matrix float32[OBSERVATION_SIZE, width] and a bias float32[width]."""
        with torch.no_grad():
            bias = self(torch.zeros(1, jo.OBSERVATION_SIZE, dtype=torch.int8))
            return self(torch.eye(jo.OBSERVATION_SIZE, dtype=torch.int8)) - bias, bias[0]


class DiscardHead(nn.Module):
    """What a suit's and a rank's own features say of discarding each face: float32[B, 52]."""

    def __init__(self, suit: int, rank: int) -> None:
        super().__init__()
        self.suit = nn.Linear(suit, NUM_RANKS)
        self.rank = nn.Linear(rank, NUM_SUITS)

    def forward(self, features: Tensor) -> Tensor:
        size = len(features)
        split = NUM_SUITS * self.suit.in_features
        suits = features[:, :split].view(size, NUM_SUITS, -1)
        ranks = features[:, split : split + NUM_RANKS * self.rank.in_features].view(size, NUM_RANKS, -1)
        return (self.suit(suits) + self.rank(ranks).transpose(1, 2)).flatten(1)

    def as_linear(self, width: int) -> tuple[Tensor, Tensor]:
        """The same map as one matrix float32[width, 52] and a bias float32[52]."""
        with torch.no_grad():
            bias = self(torch.zeros(1, width))
            return self(torch.eye(width)) - bias, bias[0]
