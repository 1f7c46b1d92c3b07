"""A schema in words: what a value may be, with links to the components that the page describes elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_MAX_VALUES = 12
_LIMIT_TEXTS = {
    "minimum": "From {}.",
    "maximum": "To {}.",
    "minLength": "At least {} characters.",
    "maxLength": "At most {} characters.",
    "minItems": "At least {} of them.",
    "maxItems": "At most {} of them.",
}


@dataclass(frozen=True, kw_only=True)
class TypeText:
    """Words of a type, and the `component` that they link to, if any."""

    text: str
    component: str = ""


@dataclass(frozen=True, kw_only=True)
class FieldDescription:
    name: str
    type: tuple[TypeText, ...]
    description: str
    is_required: bool


def type_description(schema: Mapping[str, Any]) -> tuple[TypeText, ...]:
    """What a value of this schema is, such as `list of Citation`."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return (TypeText(text=name, component=name),)
    for form in ("oneOf", "anyOf", "allOf"):
        if form in schema:
            separated = [(TypeText(text=" or "), *type_description(one)) for one in schema[form]]
            return tuple(text for alternative in separated for text in alternative)[1:]
    if "enum" in schema:
        values = [json.dumps(value, ensure_ascii=False) for value in schema["enum"]]
        more = " …" if len(values) > _MAX_VALUES else ""
        return (TypeText(text=", ".join(values[:_MAX_VALUES]) + more),)
    if "const" in schema:
        return (TypeText(text=json.dumps(schema["const"])),)
    return _plain_type(schema)


def _plain_type(schema: Mapping[str, Any]) -> tuple[TypeText, ...]:
    types = schema.get("type", "anything")
    types = [types] if isinstance(types, str) else list(types)
    or_null = (TypeText(text=" or null"),) if "null" in types else ()
    if "array" in types:
        return (TypeText(text="list of "), *type_description(schema.get("items", {})), *or_null)
    values = schema.get("additionalProperties")
    if "object" in types and isinstance(values, Mapping) and "properties" not in schema:
        return (TypeText(text="object of "), *type_description(values), *or_null)
    if form := schema.get("format"):
        types[0] = f"{types[0]} ({form})"
    return (TypeText(text=" or ".join(types)),)


def description_text(schema: Mapping[str, Any]) -> str:
    """The description of a schema, and its limits."""
    sentences = [schema["description"].rstrip(".") + "."] if schema.get("description") else []
    if schema.get("minLength") == 1:
        sentences.append("Not empty.")
    limits = ((text, schema.get(name, 1)) for name, text in _LIMIT_TEXTS.items())
    sentences += [text.replace("{}", str(limit)) for text, limit in limits if limit != 1]
    return " ".join(sentences)


def field_descriptions(schema: Mapping[str, Any]) -> tuple[FieldDescription, ...]:
    """The fields of an object, required ones first."""
    required = schema.get("required", ())
    fields = (
        FieldDescription(
            name=name,
            type=type_description(field),
            description=description_text(field),
            is_required=name in required,
        )
        for name, field in schema.get("properties", {}).items()
    )
    return tuple(sorted(fields, key=lambda field: not field.is_required))
