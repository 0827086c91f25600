"""How Jo is written as JSON: the words, cards and groups that snapshots, views, events and moves share.

The forms are those of the public contract (docs/protocol.md).
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np

from jo_env.cards import FACE_NAMES, NUM_RANKS, NUM_SUITS
from jo_env.errors import TableError
from jo_env.fields import Json, read_faces
from jo_env.jo.actions import (
    HIGH_END,
    LAY_FOUR,
    LAY_THREE,
    LOW_END,
    NUM_STARTS,
    NUM_TRIPLES,
    TRIPLES,
)
from jo_env.jo.state import GROUP, MAX_DECKS

GAME_NAME = "jo"
ENV_VERSION = "jo_v0"  # of rules, actions and JSON forms; the observation has a version of its own
PROTOCOL = 1
PHASES = ("buy", "draw", "play", "over")
_TRIPLE_PLACES = {tuple(triple): t for t, triple in enumerate(TRIPLES.tolist())}


class Group(NamedTuple):
    """A record `GROUP` as plain numbers, field by field: those of a record are slow to reach from Python."""

    is_three: int
    is_four: int
    low: int
    length: int
    suits: Sequence[int]
    span: Sequence[int]


# --- cards and groups -----------------------------------------------------------------------------


def hand_texts(counts: np.ndarray) -> list[str]:
    return [FACE_NAMES[face] for face, copies in enumerate(counts.tolist()) for _ in range(copies)]


def group_cards(group: Group | np.record) -> list[str]:
    """The cards of a group: a three by suit, a run from low to high."""
    if group.is_three:
        return [
            FACE_NAMES[NUM_RANKS * suit + group.low]
            for suit in range(NUM_SUITS)
            for _ in range(group.suits[suit])
        ]
    first = NUM_RANKS * list(group.suits).index(1)
    return [FACE_NAMES[first + rank % NUM_RANKS] for rank in range(group.low, group.low + group.length)]


def group_json(group: Group | np.record) -> Json:
    return {"kind": "three" if group.is_three else "four", "cards": group_cards(group)}


def groups_json(groups: np.ndarray) -> list[list[Json]]:
    """Rows of groups GROUP[N, MAX_GROUPS], without the places where none lies."""
    rows = zip(*(groups[name].tolist() for name in Group._fields), strict=True)
    return [
        [group_json(group) for group in map(Group._make, zip(*row, strict=True)) if group.length > 0]
        for row in rows
    ]


def parse_group(data: Json, where: str) -> Group:
    """A group from its JSON form; a run may be written in any order. Raises `TableError`."""
    if not isinstance(data, dict) or data.get("kind") not in ("three", "four"):
        raise TableError(f"{where}: {data!r} is no group; give kind 'three' or 'four', and cards")
    faces = read_faces(data.get("cards"), f"{where}.cards")
    if len(faces) > NUM_SUITS * MAX_DECKS:
        raise TableError(f"{where}: {len(faces)} cards; no group is that large")
    if data["kind"] == "three":
        group = _three(tuple(faces))
        if group is None:
            raise TableError(f"{where}: {data['cards']} is no three; it needs 3 or more cards of one rank")
        return group
    group = _four(tuple(faces))
    if group is None:
        raise TableError(
            f"{where}: {data['cards']} is no four; it needs 4 or more consecutive cards of one suit, "
            "the ace low or high but not both"
        )
    return group


# A group comes again with every view of its hand, on the table and in the events.
@lru_cache(4096)
def _three(faces: tuple[int, ...]) -> Group | None:
    ranks = {face % NUM_RANKS for face in faces}
    if len(faces) < 3 or len(ranks) != 1:
        return None
    (low,) = ranks
    suits = [face // NUM_RANKS for face in faces]
    return Group(1, 0, low, len(faces), tuple(map(suits.count, range(NUM_SUITS))), _span(low, 1))


@lru_cache(4096)
def _four(faces: tuple[int, ...]) -> Group | None:
    ranks = {face % NUM_RANKS for face in faces}
    if 0 in ranks and NUM_RANKS - 1 in ranks and (1 not in ranks or faces[0] % NUM_RANKS != 0):
        ranks = ranks - {0} | {NUM_RANKS}  # the ace is high
    low = min(ranks, default=0)
    is_run = len(ranks) == len(faces) and max(ranks, default=0) == low + len(faces) - 1
    suits = {face // NUM_RANKS for face in faces}
    if len(faces) < 4 or len(suits) != 1 or not is_run:
        return None
    marks = tuple(int(suit in suits) for suit in range(NUM_SUITS))
    return Group(0, 1, low, len(faces), marks, _span(low, len(faces)))


def _span(low: int, size: int) -> tuple[int, ...]:
    return tuple(int(low <= rank < low + size) for rank in range(NUM_RANKS + 1))


def group_records(groups: Iterable[Group]) -> np.ndarray:
    """The same as records GROUP[N], not to be written to."""
    fields = [(*four, *suits, *span) for *four, suits, span in groups]
    return np.frombuffer(bytes(chain.from_iterable(fields)), GROUP)


def smallest_lay(group: Group | np.record) -> int:
    """The lay action that begins a group: its lowest cards, three of a three and four of a four."""
    if group.is_three:
        suits = [suit for suit in range(NUM_SUITS) for _ in range(group.suits[suit])]
        return LAY_THREE + NUM_TRIPLES * int(group.low) + _TRIPLE_PLACES[tuple(suits[:3])]
    return LAY_FOUR + NUM_STARTS * list(group.suits).index(1) + min(int(group.low), NUM_STARTS - 1)


def end_json(place: int) -> Json:
    return {LOW_END: {"end": "low"}, HIGH_END: {"end": "high"}}.get(place, {})
