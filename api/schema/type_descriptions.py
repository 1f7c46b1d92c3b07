"""A schema in words: what a value may be, with links to what is described elsewhere on the page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_MAX_VALUES = 12
_LIMIT_TEXTS = {
    "minimum": "from {}",
    "maximum": "to {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} of them",
    "maxItems": "at most {} of them",
}


@dataclass(frozen=True, kw_only=True)
class TypeText:
    """Words of a type. `name`: of the component that they link to, if any."""

    text: str
    name: str = ""


@dataclass(frozen=True, kw_only=True)
class FieldDescription:
    name: str
    kind: tuple[TypeText, ...]
    words: str
    is_required: bool


def type_description(schema: Mapping[str, Any]) -> tuple[TypeText, ...]:
    """What a value of this schema is, such as `list of Citation`."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return (TypeText(text=name, name=name),)
    for form in ("oneOf", "anyOf", "allOf"):
        if form in schema:
            return _join_alternatives([type_description(one) for one in schema[form]])
    if "enum" in schema:
        return (TypeText(text=_enum_text(schema["enum"])),)
    if "const" in schema:
        return (TypeText(text=json.dumps(schema["const"])),)
    return _plain_type(schema)


def _plain_type(schema: Mapping[str, Any]) -> tuple[TypeText, ...]:
    kinds = schema.get("type", "anything")
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    if "array" in kinds:
        inside = type_description(schema.get("items", {}))
        return (TypeText(text="list of "), *inside, *_null_suffix(kinds))
    values = schema.get("additionalProperties")
    if "object" in kinds and isinstance(values, Mapping) and "properties" not in schema:
        return (TypeText(text="object of "), *type_description(values), *_null_suffix(kinds))
    if form := schema.get("format"):
        kinds[0] = f"{kinds[0]} ({form})"
    return (TypeText(text=" or ".join(kinds)),)


def _null_suffix(kinds: list[str]) -> tuple[TypeText, ...]:
    return (TypeText(text=" or null"),) if "null" in kinds else ()


def _join_alternatives(kinds: list[tuple[TypeText, ...]]) -> tuple[TypeText, ...]:
    joined: list[TypeText] = []
    for number, kind in enumerate(kinds):
        joined += [TypeText(text=" or "), *kind] if number else kind
    return tuple(joined)


def _enum_text(values: list[Any]) -> str:
    shown = [json.dumps(value, ensure_ascii=False) for value in values[:_MAX_VALUES]]
    return ", ".join(shown) + (" …" if len(values) > _MAX_VALUES else "")


def description_text(schema: Mapping[str, Any]) -> str:
    """Its description, its limits and its default."""
    said = [schema["description"].rstrip(".") + "."] if schema.get("description") else []
    if schema.get("minLength") == 1:
        said.append("Not empty.")
    limits = [(words, schema[name]) for name, words in _LIMIT_TEXTS.items() if schema.get(name, 1) != 1]
    said += [_sentence(words.replace("{}", str(limit))) for words, limit in limits]
    if schema.get("default") not in (None, ""):
        said.append(f"`{json.dumps(schema['default'], ensure_ascii=False)}` unless said.")
    return " ".join(said)


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:] + "."


def field_descriptions(schema: Mapping[str, Any]) -> tuple[FieldDescription, ...]:
    """Those that are required first."""
    required = schema.get("required", ())
    found = (
        FieldDescription(
            name=name, kind=type_description(one), words=description_text(one), is_required=name in required
        )
        for name, one in schema.get("properties", {}).items()
    )
    return tuple(sorted(found, key=lambda one: not one.is_required))
