"""JSON Schema of what goes in and out, for other languages and for the OpenAPI page.

`scripts/make_docs.py` writes them to docs/schemas/. They say what has the right form; whether play leads to
such a table, the service checks itself.
"""

from typing import Any

from agents.levels import LEVELS
from agents.serving.batcher import MAX_BATCH
from agents.serving.requests import DEFAULT_DEADLINE_MS, ERRORS, MAX_DEADLINE_MS, MAX_ID, MAX_REJECTED
from jo_env.cards import FACE_NAMES
from jo_env.jo.notation import GAME_NAME, PHASES, PROTOCOL

Schema = dict[str, Any]


def ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def listed(items: Schema, least: int = 0, most: int | None = None) -> Schema:
    return {"type": "array", "items": items, "minItems": least} | ({"maxItems": most} if most else {})


def whole(least: int, most: int | None = None) -> Schema:
    return {"type": "integer", "minimum": least} | ({"maximum": most} if most is not None else {})


def record(properties: Schema, optional: tuple[str, ...] = (), **more: Any) -> Schema:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, **more}


def typed(kind: str, properties: Schema, key: str, optional: tuple[str, ...] = ()) -> Schema:
    return record({key: {"const": kind}, **properties}, optional)


def maybe(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


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
    "Request": record(
        {
            "id": {"anyOf": [{"type": "string", "maxLength": MAX_ID}, whole(1 - 2**63, 2**63 - 1)]},
            "view": ref("View"),
            "level": {"enum": list(LEVELS), "default": list(LEVELS)[-1]},
            "seed": whole(0, 2**64 - 1) | {"default": 0},
            "deadline_ms": whole(1, MAX_DEADLINE_MS) | {"default": DEFAULT_DEADLINE_MS},
            "rejected": listed(ref("Move"), 0, MAX_REJECTED),
            "plan": {"type": "boolean", "default": False},
            "model": maybe({"type": "string"}),
        },
        ("level", "seed", "deadline_ms", "rejected", "plan", "model"),
        additionalProperties=False,
    ),
    "Answer": record(
        {
            "id": {"type": ["string", "integer"]},
            "move": ref("Move"),
            "think_ms": whole(0),
            "source": {"enum": ["model", "heuristic", "first_legal"]},
            "model": {"type": ["string", "null"]},
            "degraded": {"type": "boolean"},
            "plan": listed(ref("Move"), 1),
        },
        ("plan",),
    ),
    "Error": record(
        {
            "id": {"type": ["string", "integer", "null"]},
            "error": record(
                {
                    "code": {"enum": list(ERRORS)},
                    "message": {"type": "string"},
                    "field": {"type": ["string", "null"]},
                }
            ),
        }
    ),
    "Batch": record({"requests": listed(ref("Request"), 1, MAX_BATCH)}, additionalProperties=False),
    "BatchAnswer": record({"answers": listed({"oneOf": [ref("Answer"), ref("Error")]}, 1, MAX_BATCH)}),
}


def standalone(name: str) -> Schema:
    """One schema as a file of its own, with those that it refers to."""

    def moved(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: inner.replace("#/components/schemas/", "#/$defs/") if key == "$ref" else moved(inner)
                for key, inner in value.items()
            }
        return [moved(inner) for inner in value] if isinstance(value, list) else value

    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": name}
    others = {other: moved(schema) for other, schema in SCHEMAS.items() if other != name}
    return head | moved(SCHEMAS[name]) | {"$defs": others}
