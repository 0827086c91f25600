"""JSON Schema of what goes in and out, for other languages and for the OpenAPI page.

`scripts/make_docs.py` writes them to docs/schemas/. They say what has the right form; whether play leads to
such a table, the service checks itself.
"""

from types import ModuleType
from typing import Any

from agents.levels import NAMES
from agents.schema import Schema, listed, maybe, record, ref, whole
from agents.serving.requests import (
    DEFAULT_DEADLINE_MS,
    ERRORS,
    MAX_BATCH,
    MAX_DEADLINE_MS,
    MAX_ID,
    MAX_REJECTED,
)

_SCHEMAS: dict[str, Schema] = {
    "Request": record(
        {
            "id": {"anyOf": [{"type": "string", "maxLength": MAX_ID}, whole(1 - 2**63, 2**63 - 1)]},
            "view": ref("View"),
            "level": {"enum": list(NAMES), "default": NAMES[-1]},
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


def schemas(game: ModuleType) -> dict[str, Schema]:
    """All schemas by name: those of the game's views and moves, and those of the service."""
    return game.SCHEMAS | _SCHEMAS


def standalone(game: ModuleType, name: str) -> Schema:
    """One schema as a file of its own, with those that it refers to."""

    def moved(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: inner.replace("#/components/schemas/", "#/$defs/") if key == "$ref" else moved(inner)
                for key, inner in value.items()
            }
        return [moved(inner) for inner in value] if isinstance(value, list) else value

    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": name}
    others = {other: moved(schema) for other, schema in schemas(game).items() if other != name}
    return head | moved(schemas(game)[name]) | {"$defs": others}
