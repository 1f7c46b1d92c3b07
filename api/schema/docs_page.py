"""`GET /api/docs`: the description as a page for people. It loads nothing from other sites, and needs no script."""

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
    type: tuple[TypeText, ...]
    fields: tuple[FieldDescription, ...] = ()
    examples: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class OperationResponse:
    status: str
    description: str
    contents: tuple[MediaContent, ...]


@dataclass(frozen=True, kw_only=True)
class Operation:
    name: str
    method: str
    path: str
    summary: str
    description: str
    security: str
    parameters: tuple[tuple[str, FieldDescription], ...]
    bodies: tuple[MediaContent, ...]
    successes: tuple[OperationResponse, ...]
    errors: tuple[OperationResponse, ...]


@dataclass(frozen=True, kw_only=True)
class OperationGroup:
    name: str
    description: str
    operations: list[Operation] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Component:
    name: str
    description: str
    type: tuple[TypeText, ...]
    fields: tuple[FieldDescription, ...]


@require_safe
def docs_page(request: HttpRequest) -> HttpResponse:
    """Every operation and every schema, by part of the API."""
    context = {
        "parts": operation_groups(),
        "components": schema_components(),
        "info": get_schema()["info"],
        "section": "docs",
        "shelves": guides.GUIDE_GROUPS,
        "is_reference": True,
        "address": settings.PUBLIC_URL + reverse("query"),
    }
    return render(request, "api/docs.html", context)


@cache
def operation_groups() -> list[OperationGroup]:
    """The operations by part of the API, in the order of the table of operations."""
    schema = get_schema()
    groups = {tag["name"]: OperationGroup(name=tag["name"], description=tag["description"]) for tag in schema["tags"]}
    for (path, method), (tag, _) in OPERATIONS.items():
        if operation := schema["paths"].get(path, {}).get(method):
            groups[tag].operations.append(_read_operation(path, method, operation))
    return [group for group in groups.values() if group.operations]


@cache
def schema_components() -> list[Component]:
    """The schemas that operations refer to, by name."""
    schemas = get_schema()["components"]["schemas"]
    return [
        Component(
            name=name,
            description=schema.get("description", ""),
            type=() if "properties" in schema else type_description(schema),
            fields=field_descriptions(schema),
        )
        for name, schema in sorted(schemas.items())
    ]


def _read_operation(path: str, method: str, operation: Mapping[str, Any]) -> Operation:
    ways = [
        " ".join(filter(None, (_SECURITY_LABELS[name] for name in way))) for way in operation.get("security", []) if way
    ]
    responses = [_read_response(status, one) for status, one in operation["responses"].items()]
    return Operation(
        name=operation["operationId"],
        method=method.upper(),
        path=path,
        summary=operation["summary"],
        description=operation.get("description", ""),
        security=f"With {' or '.join(ways)}." if ways else "Open to anybody.",
        parameters=tuple((one["in"], _read_parameter(one)) for one in operation.get("parameters", [])),
        bodies=tuple(_read_contents(operation.get("requestBody", {}), with_fields=True)),
        successes=tuple(one for one in responses if one.status < "400"),
        errors=tuple(one for one in responses if one.status >= "400"),
    )


def _read_parameter(parameter: Mapping[str, Any]) -> FieldDescription:
    schema = dict(parameter["schema"])
    if parameter.get("description"):
        schema["description"] = parameter["description"]
    return FieldDescription(
        name=parameter["name"],
        type=type_description(schema),
        description=description_text(schema),
        is_required=bool(parameter.get("required")),
    )


def _read_response(status: str, response: Mapping[str, Any]) -> OperationResponse:
    response = _resolve_reference(response)
    return OperationResponse(
        status=status, description=response["description"], contents=tuple(_read_contents(response))
    )


def _read_contents(part: Mapping[str, Any], *, with_fields: bool = False) -> Iterator[MediaContent]:
    """`with_fields`: also the fields of the component that is named, which a caller needs to send it."""
    for media_type, content in part.get("content", {}).items():
        schema = content["schema"]
        yield MediaContent(
            media_type=media_type,
            type=_content_type(schema),
            fields=field_descriptions(_resolve_reference(schema)) if with_fields else (),
            examples=tuple(
                (example["summary"], json.dumps(example["value"], indent=2, ensure_ascii=False))
                for example in content.get("examples", {}).values()
            ),
        )


def _content_type(schema: Mapping[str, Any]) -> tuple[TypeText, ...]:
    """The type of a body; of a stream, the type of the data of its events."""
    data = schema.get("properties", {}).get("data", {})
    event = next((one for one in (data, *data.get("anyOf", ())) if "contentSchema" in one), None)
    if event is None:
        return type_description(schema)
    return (TypeText(text="a stream of "), *type_description(event["contentSchema"]))


def _resolve_reference(part: Mapping[str, Any]) -> Mapping[str, Any]:
    if "$ref" not in part:
        return part
    _, kind, name = part["$ref"].rsplit("/", 2)
    component: Mapping[str, Any] = get_schema()["components"][kind][name]
    return component
