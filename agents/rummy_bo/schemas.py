"""JSON Schema of what a seat of Rummy Bo sees and plays. Whether play leads to such a table, rules say."""

from agents.schema import Schema, listed, maybe, record, ref, typed, whole
from jo_env.cards import FACE_NAMES
from jo_env.rummy_bo.notation import GAME_NAME, PHASES, PROTOCOL
from jo_env.rummy_bo.state import MAX_GROUPS, MAX_HANDS, MAX_SEATS, MIN_SEATS

SEAT = whole(0, MAX_SEATS - 1)
GROUP_PLACE = whole(0, MAX_GROUPS - 1)
END = {"enum": ["low", "high"]}
PER_SEAT = {"minItems": MIN_SEATS, "maxItems": MAX_SEATS}
CARDS = listed(ref("Card"))
GROUP = {"kind": {"enum": ["set", "run"]}, "cards": listed(ref("Card"), 3, 13)}
LAY_OFF = {"group": GROUP_PLACE, "card": ref("Card"), "end": END}

SCHEMAS: dict[str, Schema] = {
    "Card": {"enum": list(FACE_NAMES), "description": "rank, then suit"},
    "Group": record(GROUP),
    "Event": {
        "oneOf": [
            typed(
                "draw",
                {"seat": SEAT, "from": {"enum": ["stock", "discard"]}, "count": whole(1, 2), "cards": CARDS},
                "event",
                ("count", "cards"),
            ),
            typed("turn_over", {"seat": SEAT}, "event"),
            typed("lay", {"seat": SEAT, **GROUP}, "event"),
            typed("lay_off", {"seat": SEAT, **LAY_OFF}, "event", ("end",)),
            typed("discard", {"seat": SEAT, "card": ref("Card")}, "event"),
        ]
    },
    "View": record(
        {
            "protocol": {"const": PROTOCOL},
            "game": {"const": GAME_NAME},
            "seats": whole(MIN_SEATS, MAX_SEATS),
            "seat": SEAT,
            "dealer": SEAT,
            "num_hands": whole(1, MAX_HANDS),
            "hand_number": whole(1, MAX_HANDS),
            "turns": whole(0),
            "turn": SEAT,
            "phase": {"enum": list(PHASES)},
            "hand": CARDS,
            "hand_sizes": listed(whole(0)) | PER_SEAT,
            "melded": listed({"type": "boolean"}) | PER_SEAT,
            "groups": listed(ref("Group"), 0, MAX_GROUPS),
            "laid": whole(0, MAX_GROUPS),
            "laid_off": whole(0, 52),
            "discard": CARDS,
            "stock_size": whole(0, 52),
            "stock": maybe(CARDS),
            "taken": listed(ref("Card"), 0, 2),
            "scores": listed({"type": "integer"}) | PER_SEAT,
            "rules": maybe(record({"max_turns": maybe(whole(1))}, ("max_turns",))),
            "events": listed(ref("Event")),
        },
        ("num_hands", "hand_number", "turns", "stock", "rules", "events"),
        description="what a seat may know when it is asked",
    ),
    "Move": {
        "oneOf": [
            *(typed(kind, {}, "type") for kind in ("draw_stock", "take_two", "take_discard", "turn_over")),
            typed("lay", GROUP, "type"),
            typed("lay_off", LAY_OFF, "type", ("end",)),
            typed("discard", {"card": ref("Card")}, "type"),
        ]
    },
}
