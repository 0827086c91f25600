"""Fields of JSON data: each is read with one `TableError` that names it where it is not what it must be."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from jo_env.cards import UnknownCardError, parse_faces
from jo_env.checks import is_int
from jo_env.errors import TableError

Json = dict[str, Any]


def read_faces(cards: Any, where: str) -> list[int]:
    if not isinstance(cards, list | tuple):
        raise TableError(f"{where}: {cards!r} is no list of cards")
    try:
        return parse_faces(cards)
    except UnknownCardError as error:
        raise TableError(f"{where}: {error}") from None


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


def read_game(data: Any, name: str) -> None:
    """Refuse what is no table of the game of this name."""
    if not isinstance(data, dict):
        raise TableError(f"{data!r} is no table; give a JSON object")
    if data.get("game") != name:
        raise TableError(f"game: {data.get('game')!r}; this is {name!r}")


def read_rng(data: Json) -> tuple[np.uint64, np.uint64]:
    """The luck of a table: its seed and the state of the generator."""
    rng = read_field(data, "rng", dict)
    try:
        return np.uint64(int(rng["seed"], 16)), np.uint64(int(rng["state"], 16))
    except (KeyError, TypeError, ValueError, OverflowError):
        raise TableError(f"rng: {rng!r}; give seed and state, 64 bits each in hexadecimal") from None


def read_phase(data: Json, phases: Sequence[str]) -> int:
    """The number of a phase by its name."""
    name = data.get("phase")
    if name not in phases:
        raise TableError(f"phase: {name!r}; give one of {', '.join(phases)}")
    return phases.index(name)


def check_protocol(data: Json, protocol: int) -> None:
    """A view may leave out its protocol, but not have another one."""
    if data.get("protocol", protocol) != protocol:
        raise TableError(f"protocol: {data['protocol']!r}; this is protocol {protocol}")


def int8(numbers: Iterable[int]) -> np.ndarray:
    """Numbers from 0 to 127 as int8[N]; much faster than `np.array`."""
    return np.frombuffer(bytes(numbers), np.int8)
