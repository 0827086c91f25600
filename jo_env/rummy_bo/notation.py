"""How Rummy Bo is written as JSON: the words, cards and groups that all of its forms share."""

from typing import Any

import numpy as np

from jo_env.cards import FACE_NAMES, NUM_FACES, NUM_RANKS
from jo_env.errors import TableError
from jo_env.fields import Json, read_faces
from jo_env.rummy_bo.actions import LAY_RUN, LAY_SET, NUM_SETS, NUM_STARTS, SET_SUITS
from jo_env.rummy_bo.state import MAX_RUN

GAME_NAME = "rummy_bo"
ENV_VERSION = "rummy_bo_v0"  # of rules, actions and JSON forms; the observation has a version of its own
PROTOCOL = 1
PHASES = ("draw", "play", "over")


def card_names(cards: int | np.uint64) -> list[str]:
    """The cards of a set of faces, by face."""
    return [FACE_NAMES[face] for face in range(NUM_FACES) if int(cards) >> face & 1]


def card_bits(faces: list[int]) -> int:
    """A set of faces, a bit each."""
    return sum(1 << face for face in set(faces))


def group_json(group: np.record) -> Json:
    """A set by suit, a run from low to high."""
    if group.is_set:
        return {"kind": "set", "cards": card_names(group.cards)}
    suit, rank = divmod(int(group.low), NUM_RANKS)
    ranks = [(rank + i) % NUM_RANKS for i in range(int(group.length))]
    return {"kind": "run", "cards": [FACE_NAMES[NUM_RANKS * suit + r] for r in ranks]}


def parse_group(data: Any, where: str) -> list[int]:
    """The faces of a group from its JSON form, a set by suit and a run from low to high; raises `TableError`.

    A run of fewer than 13 cards may be written in any order.
    """
    if not isinstance(data, dict) or data.get("kind") not in ("set", "run"):
        raise TableError(f"{where}: {data!r} is no group; give kind 'set' or 'run', and cards")
    faces = read_faces(data.get("cards"), f"{where}.cards")
    if len(set(faces)) != len(faces):
        raise TableError(f"{where}: {data['cards']} has a card twice; there is one pack")
    if data["kind"] == "set":
        if not 3 <= len(faces) <= 4 or len({face % NUM_RANKS for face in faces}) != 1:
            raise TableError(f"{where}: {data['cards']} is no set; it needs 3 or 4 cards of one rank")
        return sorted(faces)
    held = {face % NUM_RANKS for face in faces}
    lows = [rank for rank in sorted(held) if (rank - 1) % NUM_RANKS not in held]
    if len(faces) == MAX_RUN:  # every card has one below it: it begins where it is written to
        lows = [faces[0] % NUM_RANKS]
    if not 3 <= len(faces) or len({face // NUM_RANKS for face in faces}) != 1 or len(lows) != 1:
        raise TableError(
            f"{where}: {data['cards']} is no run; it needs 3 or more cards of one suit in a row, "
            "which may go round the corner"
        )
    suit = faces[0] // NUM_RANKS
    return [NUM_RANKS * suit + (lows[0] + i) % NUM_RANKS for i in range(len(faces))]


def lay_of(kind: str, faces: list[int]) -> int:
    """The lay action that begins a group: of a run its three lowest cards."""
    if kind == "run":
        return LAY_RUN + NUM_STARTS * (faces[0] // NUM_RANKS) + faces[0] % NUM_RANKS
    suits = tuple(face // NUM_RANKS for face in faces)
    return LAY_SET + NUM_SETS * (faces[0] % NUM_RANKS) + SET_SUITS.index(suits)
