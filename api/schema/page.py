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
from api.schema.types import Field, Piece, fields_of, kind_of, words_of
from api.schema.views import description
from marketplace.site import guides

_WAYS = {"apiKey": "a key", "session": "a session", "csrf": ""}


@dataclass(frozen=True, kw_only=True)
class Content:
    media_type: str
    kind: tuple[Piece, ...]
    fields: tuple[Field, ...] = ()
    examples: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Outcome:
    status: str
    words: str
    contents: tuple[Content, ...]

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
    parameters: tuple[tuple[str, Field], ...]
    bodies: tuple[Content, ...]
    outcomes: tuple[Outcome, ...]

    @property
    def done(self) -> tuple[Outcome, ...]:
        return tuple(one for one in self.outcomes if not one.is_error)

    @property
    def errors(self) -> tuple[Outcome, ...]:
        return tuple(one for one in self.outcomes if one.is_error)


@dataclass(frozen=True, kw_only=True)
class Part:
    name: str
    words: str
    operations: list[Operation] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Component:
    name: str
    words: str
    kind: tuple[Piece, ...]
    fields: tuple[Field, ...]


@require_safe
def docs(request: HttpRequest) -> HttpResponse:
    """Every operation and every schema, by part."""
    shown = {"parts": parts(), "components": components(), "info": description()["info"]}
    around = {"section": "docs", "shelves": guides.SHELVES, "is_reference": True}
    return render(request, "api/docs.html", {**shown, **around, "address": settings.PUBLIC_URL + reverse("query")})


@cache
def parts() -> list[Part]:
    described = description()
    found = {tag["name"]: Part(name=tag["name"], words=tag["description"]) for tag in described["tags"]}
    for (path, method), (part, _) in OPERATIONS.items():
        if said := described["paths"].get(path, {}).get(method):
            found[part].operations.append(_operation(path, method, said))
    return [part for part in found.values() if part.operations]


@cache
def components() -> list[Component]:
    schemas = description()["components"]["schemas"]
    return [
        Component(
            name=name,
            words=schema.get("description", ""),
            kind=() if "properties" in schema else kind_of(schema),
            fields=fields_of(schema),
        )
        for name, schema in sorted(schemas.items())
    ]


def _operation(path: str, method: str, said: Mapping[str, Any]) -> Operation:
    return Operation(
        name=said["operationId"],
        method=method.upper(),
        path=path,
        summary=said["summary"],
        words=said.get("description", ""),
        ways=_ways(said.get("security", [])),
        parameters=tuple((one["in"], _parameter(one)) for one in said.get("parameters", [])),
        bodies=tuple(_contents(said.get("requestBody", {}), opened=True)),
        outcomes=tuple(_outcome(status, one) for status, one in said["responses"].items()),
    )


def _ways(security: list[Mapping[str, Any]]) -> str:
    ways = [" ".join(filter(None, (_WAYS[name] for name in way))) for way in security if way]
    return "With " + " or ".join(ways) + "." if ways else "Open to anybody."


def _parameter(said: Mapping[str, Any]) -> Field:
    schema = {**said["schema"], **({"description": said["description"]} if said.get("description") else {})}
    return Field(
        name=said["name"], kind=kind_of(schema), words=words_of(schema), is_required=bool(said.get("required"))
    )


def _outcome(status: str, said: Mapping[str, Any]) -> Outcome:
    found = _resolved(said)
    return Outcome(status=status, words=found["description"], contents=tuple(_contents(found)))


def _contents(said: Mapping[str, Any], *, opened: bool = False) -> Iterator[Content]:
    """`opened`: with the fields of the component that it names, which the reader needs to send it."""
    for media_type, one in said.get("content", {}).items():
        schema = one["schema"]
        yield Content(
            media_type=media_type,
            kind=_kind(schema),
            fields=fields_of(_resolved(schema)) if opened else (),
            examples=tuple(_examples(one)),
        )


def _kind(schema: Mapping[str, Any]) -> tuple[Piece, ...]:
    """Of an event in a stream: what its data is."""
    data = schema.get("properties", {}).get("data", {})
    inside = next((one for one in (data, *data.get("anyOf", ())) if "contentSchema" in one), None)
    if inside is None:
        return kind_of(schema)
    return (Piece(text="a stream of "), *kind_of(inside["contentSchema"]))


def _examples(said: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for one in said.get("examples", {}).values():
        yield one["summary"], json.dumps(one["value"], indent=2, ensure_ascii=False)


def _resolved(said: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in said:
        return said
    _, kind, name = said["$ref"].rsplit("/", 2)
    found: Mapping[str, Any] = description()["components"][kind][name]
    return found
