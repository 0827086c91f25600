"""Fields of JSON data: each is read with one `TableError` that names it where it is not what it must be."""

from typing import Any

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
