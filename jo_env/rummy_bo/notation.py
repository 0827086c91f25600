"""How Rummy Bo is written as JSON: the words, cards and groups that snapshots, views, events and moves share.

The forms are those of docs/rummy_bo/protocol.md.
"""

from typing import NamedTuple

import numpy as np

from jo_env.cards import FACE_NAMES, NUM_FACES, NUM_RANKS
from jo_env.errors import TableError
from jo_env.fields import Json, read_faces
from jo_env.rummy_bo.actions import LAY_CARDS, LAY_RUN, LAY_SET, NUM_SUIT_CHOICES
from jo_env.rummy_bo.groups import HIGH_END, LOW_END

GAME_NAME = "rummy_bo"
ENV_VERSION = "rummy_bo_v0"  # of rules, actions and JSON forms; the observation has a version of its own
PROTOCOL = 1
PHASES = ("draw", "play", "over")


class Group(NamedTuple):
    """A record `GROUP` as plain numbers, field by field: those of a record are slow to reach from Python."""

    cards: int
    is_run: int
    low: int
    length: int


def faces_of(cards: int) -> list[int]:
    """The faces of a set of cards, 52 bits, in their order."""
    return [face for face in range(NUM_FACES) if cards >> face & 1]


def card_texts(cards: int) -> list[str]:
    """The same as texts."""
    return [FACE_NAMES[face] for face in faces_of(cards)]


def group_faces(group: Group) -> list[int]:
    """The faces of a group: a set by suit, a run from low to high."""
    if not group.is_run:
        return faces_of(group.cards)
    first, rank = group.low - group.low % NUM_RANKS, group.low % NUM_RANKS
    return [first + (rank + i) % NUM_RANKS for i in range(group.length)]


def group_json(group: Group) -> Json:
    kind = "run" if group.is_run else "set"
    return {"kind": kind, "cards": [FACE_NAMES[face] for face in group_faces(group)]}


def plain_groups(groups: np.ndarray) -> list[Group]:
    """Rows GROUP[N] as plain numbers."""
    return list(map(Group._make, zip(*(groups[name].tolist() for name in Group._fields), strict=True)))


def parse_group(data: Json, where: str) -> Group:
    """A group from its JSON form; a run may be written in any order. Raises `TableError`."""
    if not isinstance(data, dict) or data.get("kind") not in ("set", "run"):
        raise TableError(f"{where}: {data!r} is no group; give kind 'set' or 'run', and cards")
    faces = read_faces(data.get("cards"), f"{where}.cards")
    cards = sum(1 << face for face in set(faces))
    ranks, suits = {face % NUM_RANKS for face in faces}, {face // NUM_RANKS for face in faces}
    if data["kind"] == "set":
        if len(faces) not in (3, 4) or len(ranks) != 1 or len(suits) != len(faces):
            raise TableError(f"{where}: {data['cards']} is no set; it needs 3 or 4 cards of one rank")
        return Group(cards, 0, min(ranks), len(faces))
    # Round the corner: a run begins where the rank below is missing, and does so once.
    starts = [rank for rank in ranks if (rank - 1) % NUM_RANKS not in ranks] or [0]
    if len(faces) < 3 or len(suits) != 1 or len(ranks) != len(faces) or len(starts) != 1:
        raise TableError(
            f"{where}: {data['cards']} is no run; it needs 3 or more neighbouring cards of one suit, "
            "round the corner if it likes"
        )
    return Group(cards, 1, NUM_RANKS * min(suits) + starts[0], len(faces))


def smallest_lay(group: Group) -> int:
    """The lay action that begins a group: a set as it stands, the three lowest cards of a run."""
    if group.is_run:
        return LAY_RUN + group.low
    first = LAY_SET + NUM_SUIT_CHOICES * group.low
    return first + LAY_CARDS[first : first + NUM_SUIT_CHOICES].tolist().index(group.cards)


def end_json(place: int) -> Json:
    return {LOW_END: {"end": "low"}, HIGH_END: {"end": "high"}}.get(place, {})
