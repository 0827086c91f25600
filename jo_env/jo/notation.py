"""How Jo is written as JSON: the words, cards and groups that snapshots, views, events and moves share.

The forms are those of the public contract (docs/protocol.md). What reads a field raises one `TableError`
that names it.
"""

from typing import Any

import numpy as np

from jo_env.cards import FACE_NAMES, NUM_FACES, NUM_RANKS, NUM_SUITS, UnknownCardError, parse_face
from jo_env.checks import is_int
from jo_env.errors import TableError
from jo_env.jo.actions import (
    HIGH_END,
    LAY_FOUR,
    LAY_THREE,
    LOW_END,
    NUM_STARTS,
    NUM_TRIPLES,
    TRIPLES,
)
from jo_env.jo.groups import suit_of
from jo_env.jo.state import (
    GROUP,
    MAX_DECKS,
)

GAME_NAME = "jo"
ENV_VERSION = "jo_v0"  # of rules, actions and JSON forms; the observation has a version of its own
PROTOCOL = 1
PHASES = ("buy", "draw", "play", "over")
Json = dict[str, Any]


# --- cards and groups -----------------------------------------------------------------------------


def parse_faces(cards: Any, where: str) -> list[int]:
    if not isinstance(cards, list | tuple):
        raise TableError(f"{where}: {cards!r} is no list of cards")
    try:
        return [parse_face(card) for card in cards]
    except UnknownCardError as error:
        raise TableError(f"{where}: {error}") from None


def hand_texts(counts: np.ndarray) -> list[str]:
    return [FACE_NAMES[face] for face in range(NUM_FACES) for _ in range(counts[face])]


def group_cards(group: np.record) -> list[str]:
    """The cards of a group: a three by suit, a run from low to high."""
    if group.is_three:
        return [
            FACE_NAMES[NUM_RANKS * suit + group.low]
            for suit in range(NUM_SUITS)
            for _ in range(group.suits[suit])
        ]
    suit = suit_of(group)
    ranks = range(group.low, group.low + group.length)
    return [FACE_NAMES[NUM_RANKS * suit + rank % NUM_RANKS] for rank in ranks]


def group_json(group: np.record) -> Json:
    return {"kind": "three" if group.is_three else "four", "cards": group_cards(group)}


def parse_group(data: Json, where: str) -> np.record:
    """A GROUP record from its JSON form; a run may be written in any order. Raises `TableError`."""
    if not isinstance(data, dict) or data.get("kind") not in ("three", "four"):
        raise TableError(f"{where}: {data!r} is no group; give kind 'three' or 'four', and cards")
    faces = parse_faces(data.get("cards"), f"{where}.cards")
    if len(faces) > NUM_SUITS * MAX_DECKS:
        raise TableError(f"{where}: {len(faces)} cards; no group is that large")
    group = np.zeros(1, GROUP)[0]
    ranks = [face % NUM_RANKS for face in faces]
    suits = [face // NUM_RANKS for face in faces]
    group.length = len(faces)
    if data["kind"] == "three":
        if len(faces) < 3 or len(set(ranks)) != 1:
            raise TableError(f"{where}: {data['cards']} is no three; it needs 3 or more cards of one rank")
        group.is_three = 1
        group.low = ranks[0]
        for suit in suits:
            group.suits[suit] += 1
        group.span[group.low] = 1
        return group
    is_high = 0 in ranks and NUM_RANKS - 1 in ranks and (1 not in ranks or ranks[0] != 0)
    ranks = sorted(rank or NUM_RANKS if is_high else rank for rank in ranks)
    is_run = ranks == list(range(ranks[0], ranks[0] + len(ranks))) if ranks else False
    if len(faces) < 4 or len(set(suits)) != 1 or not is_run:
        raise TableError(
            f"{where}: {data['cards']} is no four; it needs 4 or more consecutive cards of one suit, "
            "the ace low or high but not both"
        )
    group.is_four = 1
    group.low = ranks[0]
    group.suits[suits[0]] = 1
    group.span[ranks[0] : ranks[0] + len(ranks)] = 1
    return group


def smallest_lay(group: np.record) -> int:
    """The lay action that begins a group: its lowest cards, three of a three and four of a four."""
    if group.is_three:
        triple = [suit for suit in range(NUM_SUITS) for _ in range(group.suits[suit])][:3]
        t = int(np.flatnonzero((TRIPLES == triple).all(1))[0])
        return LAY_THREE + NUM_TRIPLES * int(group.low) + t
    return LAY_FOUR + NUM_STARTS * suit_of(group) + min(int(group.low), NUM_STARTS - 1)


def end_json(place: int) -> Json:
    return {LOW_END: {"end": "low"}, HIGH_END: {"end": "high"}}.get(place, {})


# --- fields ---------------------------------------------------------------------------------------


def read_field(data: Json, key: str, kind: type, where: str | None = None) -> Any:
    if not isinstance(data.get(key), kind):
        name = f"{where}.{key}" if where else key
        raise TableError(f"{name}: {data.get(key)!r}; give {'a list' if kind is list else 'an object'}")
    return data[key]


def read_int(
    data: Json, key: str, low: int, high: int, default: int | None = None, where: str | None = None
) -> int:
    value: Any = data.get(key, default)
    if not is_int(value) or not low <= value <= high:
        name = f"{where}.{key}" if where else key
        raise TableError(f"{name}: {value!r}; give a whole number from {low} to {high}")
    return int(value)


def read_ints(values: Any, key: str, size: int, low: int, high: int) -> list[int]:
    if not isinstance(values, list) or len(values) != size:
        raise TableError(f"{key}: {values!r}; give a list of {size} whole numbers")
    for i, value in enumerate(values):
        if not is_int(value) or not low <= value <= high:
            raise TableError(f"{key}[{i}]: {value!r}; give a whole number from {low} to {high}")
    return list(values)


def read_bools(values: Any, key: str, size: int) -> list[bool]:
    if not isinstance(values, list) or len(values) != size or any(not isinstance(v, bool) for v in values):
        raise TableError(f"{key}: {values!r}; give a list of {size} booleans")
    return values
