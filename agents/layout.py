"""How a network gets its features: what is about single faces by suit and, summed over the suits, by rank.

A game's `features.py` describes a view block by block: one int8 a place, a block of size 52 has a place for
every face. A `Layout` says how such a row is arranged for a network, and what of the actions the network
treats by what they are about: the discards, the actions that take what lies on offer, the lays.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from jo_env.cards import NUM_FACES, NUM_RANKS, NUM_SUITS
from jo_env.jit import jit

MOST = 127  # of an int8
Block = tuple[str, int, int]  # name, offset, size


@dataclass(frozen=True)
class Layout:
    """The features of one game, and the actions that a network knows the meaning of.

    The last block is `planned_lay`, a place for every lay or lay-off, with 1 for what a planner would or
    could play.
    `made_of` is whatever else the numbers depend on, as the weights of a planner: policies are trained on
    what it says, so another one makes another layout.
    """

    blocks: Sequence[Block]  # of a described row, in order
    ranges: Mapping[str, float]  # what brings blocks near one, by the last part of their names; others: 1
    num_actions: int
    discards: int  # the first of the 52 actions that discard a face
    lays: int  # the first of the actions of `planned_lay`
    takes: Sequence[int]  # the actions that take what is on offer
    offer: str  # the block that marks the faces on offer
    made_of: list[Any]

    @cached_property
    def face_blocks(self) -> list[str]:
        """The blocks about single faces."""
        return [name for name, _, size in self.blocks if size == NUM_FACES]

    @cached_property
    def face_places(self) -> np.ndarray:
        """Places of the faces in a described row, int32[4, blocks, 13]."""
        places = [offset + np.arange(NUM_FACES) for _, offset, size in self.blocks if size == NUM_FACES]
        return np.stack([block.reshape(NUM_SUITS, NUM_RANKS) for block in places], 1).astype(np.int32)

    @cached_property
    def other_places(self) -> np.ndarray:
        """Places of all else in a described row, int32[K]."""
        places = [offset + np.arange(size) for _, offset, size in self.blocks if size != NUM_FACES]
        return np.concatenate(places).astype(np.int32)

    @property
    def num_described(self) -> int:
        _, offset, size = self.blocks[-1]
        return offset + size

    # Where the three parts of a row of features begin: [4, blocks, 13], [13, blocks] and [K].

    @cached_property
    def by_rank(self) -> int:
        return self.face_places.size

    @cached_property
    def others(self) -> int:
        return self.by_rank + NUM_RANKS * len(self.face_blocks)

    @cached_property
    def num_features(self) -> int:
        return self.others + len(self.other_places)

    @cached_property
    def planned(self) -> int:
        """Where `planned_lay` begins, the last of the others."""
        return self.num_features - self.blocks[-1][2]

    @cached_property
    def offer_block(self) -> int:
        """The number of `offer` among the blocks about single faces."""
        return self.face_blocks.index(self.offer)

    @cached_property
    def scales(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What each part of the features is multiplied with: float32[blocks * 13], [blocks] and [K]."""
        faces, others = [], []
        for name, _, size in self.blocks:
            scale = np.float32(1 / self.ranges.get(name.split(".")[-1], 1))
            if size == NUM_FACES:
                faces.append(scale)
            else:
                others += [scale] * size
        return np.repeat(np.array(faces), NUM_RANKS), np.array(faces), np.array(others)

    @cached_property
    def hash(self) -> str:
        """SHA-256 of the layout: a policy reads the features it was trained on and no others."""
        return hashlib.sha256(json.dumps([self.blocks, *self.made_of, "by suit"]).encode()).hexdigest()

    def parts(self) -> list[dict[str, Any]]:
        """The parts of a network's input, in order: name, offset and shape, and the blocks in each.

        The first part has them by suit, block and rank; the second, by rank and block, their sums over the
        suits.
        """
        faces, n = self.face_blocks, len(self.face_blocks)
        parts = [
            {"name": "by suit", "offset": 0, "shape": [NUM_SUITS, n, NUM_RANKS], "blocks": faces},
            {"name": "by rank", "offset": self.by_rank, "shape": [NUM_RANKS, n], "blocks": faces},
        ]
        offset = self.others
        for name, _, size in self.blocks:
            if size != NUM_FACES:
                parts.append({"name": name, "offset": offset, "shape": [size], "blocks": [name]})
                offset += size
        return parts


def blocks_after(first: Sequence[Block], start: int, sizes: Sequence[tuple[str, int]]) -> list[Block]:
    """The blocks `first`, and from place `start` on others one after another."""
    offsets = start + np.cumsum([0] + [size for _, size in sizes])
    return [
        *first,
        *((name, int(offset), size) for (name, size), offset in zip(sizes, offsets, strict=False)),
    ]


@jit
def arrange(row, face_places, other_places, features):
    """A described row as a network reads it: by suit, by rank (sums over the suits, at most 127), others."""
    n = 0
    for suit in range(NUM_SUITS):
        for block in range(face_places.shape[1]):
            first = face_places[suit, block, 0]
            for rank in range(NUM_RANKS):
                features[n] = row[first + rank]
                n += 1
    size = NUM_RANKS * face_places.shape[1]
    for rank in range(NUM_RANKS):
        for block in range(face_places.shape[1]):
            place = NUM_RANKS * block + rank
            total = 0
            for suit in range(NUM_SUITS):
                total += features[suit * size + place]
            features[n] = min(max(total, -MOST), MOST)
            n += 1
    for place in other_places:
        features[n] = row[place]
        n += 1
