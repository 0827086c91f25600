"""The game as plain tables: what actions mean and what the rules count, for whoever must agree on them."""

from typing import Any

from jo_env.cards import FACE_NAMES
from jo_env.jo.actions import DISCARD, LAY_FACES, LAY_OFF, LAY_SIZES, NUM_PLACES
from jo_env.jo.goals import CARDS_DEALT, FOURS, THREES
from jo_env.jo.points import FACE_POINTS
from jo_env.jo.state import MAX_BUYS


def action_table() -> list[str]:
    """Every action as text, whatever the table: what an index means."""
    simple = ["pass", "buy", "draw_stock", "take_discard"]
    lays = [
        "lay " + " ".join(FACE_NAMES[face] for face in LAY_FACES[action][: LAY_SIZES[action]])
        for action in range(len(simple), LAY_OFF)
    ]
    lay_offs = [f"lay_off {i // NUM_PLACES} {i % NUM_PLACES}" for i in range(DISCARD - LAY_OFF)]
    return [*simple, *lays, *lay_offs, *(f"discard {name}" for name in FACE_NAMES)]


def rules() -> dict[str, Any]:
    """The rules as far as they are numbers, with the settings that policies are trained under."""
    return {
        "goals": [[int(threes), int(fours)] for threes, fours in zip(THREES, FOURS, strict=True)],
        "cards_dealt": [int(count) for count in CARDS_DEALT],
        "points": dict(zip(FACE_NAMES, (int(points) for points in FACE_POINTS), strict=True)),
        "buys": MAX_BUYS,
        "decks": 2,
    }
