"""A schema in words: what a value may be, with links to what is described elsewhere on the page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_MOST_VALUES = 12
_LIMITS = {
    "minimum": "from {}",
    "maximum": "to {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} of them",
    "maxItems": "at most {} of them",
}


@dataclass(frozen=True, kw_only=True)
class Piece:
    """Words of a type. `name`: of the component that they link to, if any."""

    text: str
    name: str = ""


@dataclass(frozen=True, kw_only=True)
class Field:
    name: str
    kind: tuple[Piece, ...]
    words: str
    is_required: bool


def kind_of(schema: Mapping[str, Any]) -> tuple[Piece, ...]:
    """What a value of this schema is, such as `list of Citation`."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return (Piece(text=name, name=name),)
    for form in ("oneOf", "anyOf", "allOf"):
        if form in schema:
            return _either([kind_of(one) for one in schema[form]])
    if "enum" in schema:
        return (Piece(text=_values(schema["enum"])),)
    if "const" in schema:
        return (Piece(text=json.dumps(schema["const"])),)
    return _plain(schema)


def _plain(schema: Mapping[str, Any]) -> tuple[Piece, ...]:
    kinds = schema.get("type", "anything")
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    if "array" in kinds:
        inside = kind_of(schema.get("items", {}))
        return (Piece(text="list of "), *inside, *_or_null(kinds))
    values = schema.get("additionalProperties")
    if "object" in kinds and isinstance(values, Mapping) and "properties" not in schema:
        return (Piece(text="object of "), *kind_of(values), *_or_null(kinds))
    if form := schema.get("format"):
        kinds[0] = f"{kinds[0]} ({form})"
    return (Piece(text=" or ".join(kinds)),)


def _or_null(kinds: list[str]) -> tuple[Piece, ...]:
    return (Piece(text=" or null"),) if "null" in kinds else ()


def _either(kinds: list[tuple[Piece, ...]]) -> tuple[Piece, ...]:
    joined: list[Piece] = []
    for number, kind in enumerate(kinds):
        joined += [Piece(text=" or "), *kind] if number else kind
    return tuple(joined)


def _values(values: list[Any]) -> str:
    shown = [json.dumps(value, ensure_ascii=False) for value in values[:_MOST_VALUES]]
    return ", ".join(shown) + (" …" if len(values) > _MOST_VALUES else "")


def words_of(schema: Mapping[str, Any]) -> str:
    """Its description, its limits and its default."""
    said = [schema["description"].rstrip(".") + "."] if schema.get("description") else []
    if schema.get("minLength") == 1:
        said.append("Not empty.")
    limits = [(words, schema[name]) for name, words in _LIMITS.items() if schema.get(name, 1) != 1]
    said += [_said(words.replace("{}", str(limit))) for words, limit in limits]
    if schema.get("default") not in (None, ""):
        said.append(f"`{json.dumps(schema['default'], ensure_ascii=False)}` unless said.")
    return " ".join(said)


def _said(words: str) -> str:
    return words[0].upper() + words[1:] + "."


def fields_of(schema: Mapping[str, Any]) -> tuple[Field, ...]:
    """Those that are required first."""
    required = schema.get("required", ())
    found = (
        Field(name=name, kind=kind_of(one), words=words_of(one), is_required=name in required)
        for name, one in schema.get("properties", {}).items()
    )
    return tuple(sorted(found, key=lambda one: not one.is_required))
