"""The game as plain tables: what actions mean and what the rules count, for whoever must agree on them."""

from typing import Any

from jo_env.cards import FACE_NAMES
from jo_env.rummy_bo.actions import ADD_TO_SET, LAY_CARDS, LAY_SET
from jo_env.rummy_bo.notation import card_names
from jo_env.rummy_bo.payment import FACE_POINTS
from jo_env.rummy_bo.rules import cards_dealt
from jo_env.rummy_bo.state import MAX_SEATS, MIN_SEATS


def action_table() -> list[str]:
    """Every action as text, whatever the table: what an index means."""
    draws = ["draw_stock", "take_two", "take_discard", "turn_over"]
    lays = ["lay " + " ".join(card_names(LAY_CARDS[action])) for action in range(LAY_SET, ADD_TO_SET)]
    blocks = ("add_to_set", "add_below", "add_above", "discard")
    return [*draws, *lays, *(f"{block} {name}" for block in blocks for name in FACE_NAMES)]


def rules() -> dict[str, Any]:
    """The rules as far as they are numbers."""
    return {
        "cards_dealt": {str(seats): cards_dealt(seats) for seats in range(MIN_SEATS, MAX_SEATS + 1)},
        "points": dict(zip(FACE_NAMES, (int(points) for points in FACE_POINTS), strict=True)),
        "rummy": 2,
    }
