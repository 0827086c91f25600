"""JSON Schema of what a seat of Jo sees and plays. Whether play leads to such a table, the rules say."""

from agents.schema import Schema, listed, maybe, record, ref, typed, whole
from jo_env.cards import FACE_NAMES
from jo_env.jo.notation import GAME_NAME, PHASES, PROTOCOL

SEAT = whole(0, 3)
GROUP_PLACE = whole(0, 2)
END = {"enum": ["low", "high"]}
PER_SEAT = {"minItems": 2, "maxItems": 4}

SCHEMAS: dict[str, Schema] = {
    "Card": {"enum": list(FACE_NAMES), "description": "rank, then suit"},
    "Group": record({"kind": {"enum": ["three", "four"]}, "cards": listed(ref("Card"), 3, 14)}),
    "Event": {
        "oneOf": [
            typed("request", {"seat": SEAT}, "event"),
            typed("pass", {"seat": SEAT}, "event"),
            typed(
                "draw",
                {"seat": SEAT, "from": {"enum": ["stock", "discard"]}, "card": ref("Card")},
                "event",
                ("card",),
            ),
            typed("buy", {"seat": SEAT, "card": ref("Card")}, "event"),
            typed("go_down", {"seat": SEAT, "groups": listed(ref("Group"), 1)}, "event"),
            typed(
                "lay_off",
                {"seat": SEAT, "owner": SEAT, "group": GROUP_PLACE, "card": ref("Card"), "end": END},
                "event",
                ("end",),
            ),
            typed("discard", {"seat": SEAT, "card": ref("Card")}, "event"),
            typed("recycle", {}, "event"),
        ]
    },
    "View": record(
        {
            "protocol": {"const": PROTOCOL},
            "game": {"const": GAME_NAME},
            "seats": whole(2, 4),
            "seat": SEAT,
            "dealer": SEAT,
            "rounds": listed(whole(1, 7), 1, 7),
            "round": whole(1, 7),
            "turns": whole(0),
            "turn": SEAT,
            "phase": {"enum": list(PHASES)},
            "hand": listed(ref("Card")),
            "hand_sizes": listed(whole(0)) | PER_SEAT,
            "down": listed({"type": "boolean"}) | PER_SEAT,
            "buys_used": listed(whole(0, 3)) | PER_SEAT,
            "groups": listed(listed(ref("Group"), 0, 3)) | PER_SEAT,
            "discard": listed(ref("Card")),
            "stock_size": whole(0),
            "requests": listed(SEAT, 0, 3),
            "taken": maybe(ref("Card")),
            "discarded_by": maybe(SEAT),
            "scores": listed(whole(0)) | PER_SEAT,
            "rules": maybe(record({"decks": whole(2), "max_turns": maybe(whole(1))}, ("decks", "max_turns"))),
            "events": listed(ref("Event")),
        },
        ("rounds", "turns", "rules", "events"),
        description="what a seat may know when it is asked",
    ),
    "Move": {
        "oneOf": [
            *(typed(kind, {}, "type") for kind in ("pass", "buy", "draw_stock", "take_discard")),
            typed("go_down", {"groups": listed(ref("Group"), 1)}, "type"),
            typed(
                "lay_off",
                {"owner": SEAT, "group": GROUP_PLACE, "card": ref("Card"), "end": END},
                "type",
                ("end",),
            ),
            typed("discard", {"card": ref("Card")}, "type"),
        ]
    },
}
