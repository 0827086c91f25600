"""The game as plain tables: what actions mean and what the rules count, for whoever must agree on them."""

from typing import Any

from jo_env.cards import FACE_NAMES, NUM_RANKS
from jo_env.rummy_bo.actions import LAY_FACES, LAY_OFF, LAY_SET, LAY_SIZES
from jo_env.rummy_bo.payment import RANK_POINTS
from jo_env.rummy_bo.state import DEALT, MAX_SEATS, MIN_SEATS


def action_table() -> list[str]:
    """Every action as text, whatever the table: what an index means."""
    draws = ["draw_stock", "take_two", "take_discard", "turn_over"]
    lays = [
        "lay " + " ".join(FACE_NAMES[face] for face in LAY_FACES[action, : LAY_SIZES[action]])
        for action in range(LAY_SET, LAY_OFF)
    ]
    blocks = ("lay_off set", "lay_off low", "lay_off high", "discard")
    return [*draws, *lays, *(f"{block} {name}" for block in blocks for name in FACE_NAMES)]


def rules() -> dict[str, Any]:
    """The rules as far as they are numbers."""
    points = {name: int(RANK_POINTS[face % NUM_RANKS]) for face, name in enumerate(FACE_NAMES)}
    dealt = {str(seats): int(DEALT[seats]) for seats in range(MIN_SEATS, MAX_SEATS + 1)}
    return {"cards_dealt": dealt, "points": points, "rummy": 2}
