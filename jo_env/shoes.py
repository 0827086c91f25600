"""Shoes: the cards of a deal in an order of the user's own, from the top."""

from typing import Any

import numpy as np

from jo_env.cards import FACE_NAMES, NUM_FACES, parse_face
from jo_env.errors import SettingsError


def read_shoes(
    shoes: Any, deal: str, first: int, num_deals: int, decks: int, shape: tuple[int, ...]
) -> tuple[np.ndarray, np.ndarray]:
    """Shoes for the deals from `first` on as faces, int8 of this shape, and which deals have one.

    A shoe may be None: that deal is shuffled. `deal` is what the game calls one, a round or a hand. Raises
    `SettingsError`, or `UnknownCardError` for a text that names no card.
    """
    shoes = [] if shoes is None else shoes
    if not isinstance(shoes, list | tuple) or any(
        not isinstance(shoe, list | tuple | None) for shoe in shoes
    ):
        raise SettingsError(f"shoes: {shoes!r}; give a list of shoes, each a list of cards or None")
    left = num_deals - first
    if len(shoes) > left:
        raise SettingsError(f"shoes: {len(shoes)} given for {left} {deal}s; give one a {deal} at most")
    rows = np.zeros(shape, np.int8)
    given = np.zeros(shape[0], np.int8)
    for i, shoe in enumerate(shoes, start=first):
        if shoe is None:
            continue
        faces = [parse_face(card) for card in shoe]
        counts = np.bincount(np.array(faces, int), minlength=NUM_FACES)
        wrong = np.flatnonzero(counts != decks)
        if len(wrong):
            face = wrong[0]
            each = "once (one pack)" if decks == 1 else f"{decks} times ({decks} packs)"
            raise SettingsError(
                f"shoes: a shoe must hold each card {each}, "
                f"but this one holds {FACE_NAMES[face]} {counts[face]} times and {len(faces)} cards in all"
            )
        rows[i, : len(faces)] = faces
        given[i] = 1
    return rows, given
