"""`GET /api/docs`: the description as a page for people. Nothing is loaded from elsewhere, and no script is needed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from api.schema.operations import OPERATIONS
from api.schema.type_descriptions import (
    FieldDescription,
    TypeText,
    description_text,
    field_descriptions,
    type_description,
)
from api.schema.views import get_schema
from marketplace.site import guides

_SECURITY_LABELS = {"apiKey": "a key", "session": "a session", "csrf": ""}


@dataclass(frozen=True, kw_only=True)
class MediaContent:
    media_type: str
    kind: tuple[TypeText, ...]
    fields: tuple[FieldDescription, ...] = ()
    examples: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class OperationResponse:
    status: str
    words: str
    contents: tuple[MediaContent, ...]

    @property
    def is_error(self) -> bool:
        return self.status >= "400"


@dataclass(frozen=True, kw_only=True)
class Operation:
    name: str
    method: str
    path: str
    summary: str
    words: str
    ways: str
    parameters: tuple[tuple[str, FieldDescription], ...]
    bodies: tuple[MediaContent, ...]
    outcomes: tuple[OperationResponse, ...]

    @property
    def done(self) -> tuple[OperationResponse, ...]:
        return tuple(one for one in self.outcomes if not one.is_error)

    @property
    def errors(self) -> tuple[OperationResponse, ...]:
        return tuple(one for one in self.outcomes if one.is_error)


@dataclass(frozen=True, kw_only=True)
class OperationGroup:
    name: str
    words: str
    operations: list[Operation] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Component:
    name: str
    words: str
    kind: tuple[TypeText, ...]
    fields: tuple[FieldDescription, ...]


@require_safe
def docs_page(request: HttpRequest) -> HttpResponse:
    """Every operation and every schema, by part."""
    shown = {"parts": operation_groups(), "components": schema_components(), "info": get_schema()["info"]}
    around = {"section": "docs", "shelves": guides.GUIDE_GROUPS, "is_reference": True}
    return render(request, "api/docs.html", {**shown, **around, "address": settings.PUBLIC_URL + reverse("query")})


@cache
def operation_groups() -> list[OperationGroup]:
    described = get_schema()
    found = {tag["name"]: OperationGroup(name=tag["name"], words=tag["description"]) for tag in described["tags"]}
    for (path, method), (part, _) in OPERATIONS.items():
        if said := described["paths"].get(path, {}).get(method):
            found[part].operations.append(_read_operation(path, method, said))
    return [part for part in found.values() if part.operations]


@cache
def schema_components() -> list[Component]:
    schemas = get_schema()["components"]["schemas"]
    return [
        Component(
            name=name,
            words=schema.get("description", ""),
            kind=() if "properties" in schema else type_description(schema),
            fields=field_descriptions(schema),
        )
        for name, schema in sorted(schemas.items())
    ]


def _read_operation(path: str, method: str, said: Mapping[str, Any]) -> Operation:
    return Operation(
        name=said["operationId"],
        method=method.upper(),
        path=path,
        summary=said["summary"],
        words=said.get("description", ""),
        ways=_security_text(said.get("security", [])),
        parameters=tuple((one["in"], _read_parameter(one)) for one in said.get("parameters", [])),
        bodies=tuple(_read_contents(said.get("requestBody", {}), opened=True)),
        outcomes=tuple(_read_response(status, one) for status, one in said["responses"].items()),
    )


def _security_text(security: list[Mapping[str, Any]]) -> str:
    ways = [" ".join(filter(None, (_SECURITY_LABELS[name] for name in way))) for way in security if way]
    return "With " + " or ".join(ways) + "." if ways else "Open to anybody."


def _read_parameter(said: Mapping[str, Any]) -> FieldDescription:
    schema = {**said["schema"], **({"description": said["description"]} if said.get("description") else {})}
    return FieldDescription(
        name=said["name"],
        kind=type_description(schema),
        words=description_text(schema),
        is_required=bool(said.get("required")),
    )


def _read_response(status: str, said: Mapping[str, Any]) -> OperationResponse:
    found = _resolve_reference(said)
    return OperationResponse(status=status, words=found["description"], contents=tuple(_read_contents(found)))


def _read_contents(said: Mapping[str, Any], *, opened: bool = False) -> Iterator[MediaContent]:
    """`opened`: with the fields of the component that it names, which the reader needs to send it."""
    for media_type, one in said.get("content", {}).items():
        schema = one["schema"]
        yield MediaContent(
            media_type=media_type,
            kind=_content_type(schema),
            fields=field_descriptions(_resolve_reference(schema)) if opened else (),
            examples=tuple(_read_examples(one)),
        )


def _content_type(schema: Mapping[str, Any]) -> tuple[TypeText, ...]:
    """Of an event in a stream: what its data is."""
    data = schema.get("properties", {}).get("data", {})
    inside = next((one for one in (data, *data.get("anyOf", ())) if "contentSchema" in one), None)
    if inside is None:
        return type_description(schema)
    return (TypeText(text="a stream of "), *type_description(inside["contentSchema"]))


def _read_examples(said: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for one in said.get("examples", {}).values():
        yield one["summary"], json.dumps(one["value"], indent=2, ensure_ascii=False)


def _resolve_reference(said: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in said:
        return said
    _, kind, name = said["$ref"].rsplit("/", 2)
    found: Mapping[str, Any] = get_schema()["components"][kind][name]
    return found
