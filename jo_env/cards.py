"""Faces of the 52-card pack as integers, and their text.

A face is ``13 * suit + rank``; suits run clubs, diamonds, hearts, spades, ranks ace (0) to king (12).
"""

from collections.abc import Sequence
from typing import Any

RANKS = "A23456789TJQK"
SUITS = "CDHS"
NUM_RANKS = len(RANKS)
NUM_SUITS = len(SUITS)
NUM_FACES = NUM_RANKS * NUM_SUITS

FACE_NAMES = tuple(rank + suit for suit in SUITS for rank in RANKS)
_FACES = {name: face for face, name in enumerate(FACE_NAMES)}


class UnknownCardError(ValueError):
    """A text that names no card."""


def face_name(face: int) -> str:
    """The text of a face: rank, then suit, as in ``TH``."""
    return FACE_NAMES[face]


def parse_face(text: Any) -> int:
    """The face that a text names; raises `UnknownCardError` for anything else."""
    try:
        return _FACES[text]
    except (KeyError, TypeError):
        raise UnknownCardError(
            f"{text!r} is not a card; write rank then suit, as in '7H' (ranks {RANKS}, suits {SUITS})"
        ) from None


def parse_faces(texts: Sequence[str]) -> list[int]:
    """The faces that texts name; raises `UnknownCardError` for the first that names none."""
    try:
        return [_FACES[text] for text in texts]
    except (KeyError, TypeError):
        return [parse_face(text) for text in texts]
