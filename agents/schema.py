"""How JSON Schemas are put together, for what games and the service publish of theirs."""

from typing import Any

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
