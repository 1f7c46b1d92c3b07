"""The part of the API's description that the TypeScript package in `sdk-ts/` is made of.

It is kept there as `openapi.json`, and its types are generated from it; a test says when either is out of date.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from api.schema.views import get_schema

# What the package calls.
OPERATIONS = {
    "/api/v1/query": ("post",),
    "/api/v1/collaborate": ("post",),
    "/api/v1/review": ("post",),
    "/api/v1/me": ("get",),
    "/api/v1/batch": ("get", "post"),
    "/api/v1/batch/{batch}": ("get", "delete"),
    "/api/v1/batch/{batch}/cancel": ("post",),
    "/api/v1/batch/{batch}/results": ("get",),
    "/api/marketplace": ("get",),
    "/api/plugins/{plugin}/documents/{document}/pages/{number}": ("get",),
    "/api/queries/{query}/feedback": ("post",),
    "/api/sources/{source_type}/{document}": ("get",),
}
# What is kept of an operation; of its responses only what succeeds.
_KEPT = ("operationId", "summary", "parameters", "requestBody", "responses")
_SCHEMA_PREFIX = "#/components/schemas/"


def make_client_schema() -> dict[str, Any]:
    """A description of these operations alone, without examples, headers of responses and errors."""
    whole = get_schema()
    paths = {
        path: {method: _bare_operation(whole["paths"][path][method]) for method in methods}
        for path, methods in OPERATIONS.items()
    }
    schemas = whole["components"]["schemas"]
    names = _reachable_names(paths, schemas) | _reachable_names(schemas["Error"], schemas) | {"Error"}
    return {
        "openapi": whole["openapi"],
        "info": {"title": "Lexic", "version": "1"},
        "paths": paths,
        "components": {"schemas": {name: _without_examples(schemas[name]) for name in sorted(names)}},
    }


def _bare_operation(operation: dict[str, Any]) -> dict[str, Any]:
    kept = {name: operation[name] for name in _KEPT if name in operation}
    kept["responses"] = {
        status: {name: response[name] for name in ("description", "content") if name in response}
        for status, response in operation["responses"].items()
        if status.startswith("2")
    }
    return _without_examples(kept)


def _without_examples(part: Any) -> Any:
    if isinstance(part, list):
        return [_without_examples(one) for one in part]
    if not isinstance(part, dict):
        return part
    left_out = [name for name in part if name in {"example", "examples"} or name.startswith("x-")]
    return {name: _without_examples(one) for name, one in part.items() if name not in left_out}


def _reachable_names(part: Any, schemas: dict[str, Any]) -> set[str]:
    """The names of all schemas that this part refers to, and of those that they refer to."""
    found: set[str] = set()
    waiting = list(_references(part))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += _references(schemas[name])
    return found


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(reference := part.get("$ref"), str) and reference.startswith(_SCHEMA_PREFIX):
            yield reference.removeprefix(_SCHEMA_PREFIX)
        part = list(part.values())
    if isinstance(part, list):
        for one in part:
            yield from _references(one)
