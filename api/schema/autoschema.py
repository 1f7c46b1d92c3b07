"""How an operation is described: everything that follows from the view, the table of operations, and the method."""

from __future__ import annotations

import inspect
import json
from typing import Any

from drf_spectacular.drainage import warn
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import force_instance

from api.fields import StrictSerializer
from api.idempotency import HEADER, NAME_PATTERN
from api.pagination import DefaultPagination
from api.schema import security_schemes as security_schemes  # registers the schemes
from api.schema.error_responses import error_statuses, is_idempotent, response_headers, response_reference
from api.schema.operations import ETAG_PATHS, OPERATIONS, summary

_EVENT_STREAM = "text/event-stream"
_PATH_PARAMETERS = {
    "plugin": "Its slug or id.",
    "name": "A plugin's slug or id; `slug@1.2.0` for one release.",
    "version": "Such as 1.2.0, or `latest`.",
    "number": "From 1.",
    "source_type": "`document`, `law` or `judgment`: the type of the citation.",
}
_ETAG_PARAMETER = {"in": "header", "required": False, "schema": {"type": "string"}}
_PAGINATION_PARAMETERS = [
    {
        "name": "limit",
        "in": "query",
        "required": False,
        "description": "Rows on a page.",
        "schema": {"type": "integer", "minimum": 1, "maximum": 200},
    },
    {
        "name": "cursor",
        "in": "query",
        "required": False,
        "description": "Where the page begins: out of `next` or `previous`.",
        "schema": {"type": "string"},
    },
]


class ApiAutoSchema(AutoSchema):
    """`DEFAULT_SCHEMA_CLASS` of all views."""

    def get_operation_id(self) -> str:
        return self._tag_and_operation_id[1]

    def get_tags(self) -> list[str]:
        return [self._tag_and_operation_id[0]]

    def get_description(self) -> str:  # type: ignore[override]
        """The docstring of the view's method, without those of its base classes."""
        docstring = getattr(self.view, self.method.lower()).__doc__
        if not docstring:
            warn(f"{self.method} {self.path} does not say what it does")
        return inspect.cleandoc(docstring or "")

    @property
    def _tag_and_operation_id(self) -> tuple[str, str]:
        known = OPERATIONS.get((self.path, self.method.lower()))
        if known is None:
            warn(f"{self.method} {self.path} is not among the operations of api/schema/operations.yaml")
        return known or ("Description", super().get_operation_id())

    def get_summary(self) -> str:
        """The operation's name as words; the description says more."""
        return summary(self.get_operation_id())

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        operation = super().get_operation(*args, **kwargs)
        if operation is None:
            return None
        if parameters := [*self._etag_parameters(), *self._idempotency_parameters(operation)]:
            operation.setdefault("parameters", []).extend(parameters)
        errors = {
            str(status): response_reference(status, path=self.path)
            for status in error_statuses(operation, path=self.path, method=self.method, view=self.view)
        }
        operation["responses"] = dict(sorted({**errors, **operation["responses"]}.items()))
        return operation

    def _etag_parameters(self) -> list[dict[str, Any]]:
        if self.path not in ETAG_PATHS:
            return []
        if self.method == "GET":
            name, description = "If-None-Match", "304 where the version is still this one."
        else:
            name, description = "If-Match", "412 where the version is another one by now."
        return [{**_ETAG_PARAMETER, "name": name, "description": description}]

    def _idempotency_parameters(self, operation: dict[str, Any]) -> list[dict[str, Any]]:
        if not is_idempotent(self.view, self.method, operation):
            return []
        description = "A name of your own, such as a UUID: sent again within a day, the request is not done again."
        schema = {"type": "string", "pattern": f"^{NAME_PATTERN}$"}
        return [{"name": HEADER, "in": "header", "required": False, "description": description, "schema": schema}]

    def _resolve_path_parameters(self, variables: Any) -> list[dict[str, Any]]:
        parameters: list[dict[str, Any]] = super()._resolve_path_parameters(variables)  # type: ignore[no-untyped-call]
        for parameter in parameters:
            if parameter["name"] in _PATH_PARAMETERS:
                parameter["description"] = _PATH_PARAMETERS[parameter["name"]]
        return parameters

    # --- Pagination: a view with an `ordering` answers GET in pages ----------------------------------------

    @property
    def _is_paged(self) -> bool:
        return self.method == "GET" and hasattr(self.view, "ordering")

    def _get_paginator(self) -> Any:
        return DefaultPagination() if self._is_paged else None

    def _get_pagination_parameters(self) -> list[dict[str, Any]]:
        return [dict(parameter) for parameter in _PAGINATION_PARAMETERS] if self._is_paged else []

    def get_paginated_name(self, serializer_name: str) -> str:
        return f"{serializer_name}Page"

    # --- Bodies -------------------------------------------------------------------------------------------

    def _get_response_for_code(
        self, serializer: Any, status_code: Any, media_types: Any = None, direction: Any = "response"
    ) -> dict[str, Any]:
        response = super()._get_response_for_code(serializer, status_code, media_types, direction)  # type: ignore[no-untyped-call]
        for media_type, content in response.get("content", {}).items():
            if media_type == _EVENT_STREAM:
                content["schema"] = _event_schema(content["schema"], ends=self.path.startswith("/v1/"))
        response["description"] = response.get("description") or _STATUS_DESCRIPTIONS.get(str(status_code), "Done.")
        return response

    def _get_response_headers_for_code(self, status_code: Any, direction: Any = "response") -> dict[str, Any]:
        own_headers = super()._get_response_headers_for_code(status_code, direction)
        is_counted = bool(self.view.get_throttles())
        has_etag = self.path in ETAG_PATHS and self.method != "DELETE"
        return {**response_headers(int(status_code), is_counted=is_counted, has_etag=has_etag), **own_headers}

    def _map_basic_serializer(self, serializer: Any, direction: Any) -> dict[str, Any]:
        schema = super()._map_basic_serializer(serializer, direction)  # type: ignore[no-untyped-call]
        serializer = force_instance(serializer)
        # A class without a docstring would get the one of its base class.
        if not type(serializer).__doc__:
            schema.pop("description", None)
        if direction == "request":
            for name, one in schema.get("properties", {}).items():
                schema["properties"][name] = _with_default_in_words(one)
            if isinstance(serializer, StrictSerializer):
                schema["additionalProperties"] = False
        return schema


_STATUS_DESCRIPTIONS = {"201": "Made.", "202": "Taken up; a worker does it.", "204": "Done. No body."}


def _with_default_in_words(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of what may be left out of a request, with its default in the description.

    Where it has a `default`, openapi-typescript wants it in every request. An empty default would not fit a field that
    may not be empty.
    """
    rest = {name: value for name, value in schema.items() if name != "default"}
    if schema.get("default") in (None, ""):
        return rest
    text = schema.get("description", "")
    between = "\n\n" if "\n" in text else " " if text.endswith(".") else ". "
    words = f"`{json.dumps(schema['default'], ensure_ascii=False)}` unless said."
    return {**rest, "description": f"{text}{between}{words}" if text else words}


def _event_schema(schema: dict[str, Any], *, ends: bool) -> dict[str, Any]:
    """The schema of a stream, which is that of one of its events.

    Generators of clients give their users the event's data as it was parsed, and make a type of its schema. Programs
    that check streams see the event as it was sent: its data is JSON in a string.
    """
    data: dict[str, Any] = {"contentMediaType": "application/json", "contentSchema": schema}
    if ends:
        data = {"anyOf": [data, {"const": "[DONE]"}]}
    sent = {"type": "object", "properties": {"data": {"type": "string", **data}}, "required": ["data"]}
    return {"description": "One event of the stream, parsed or as it was sent.", "anyOf": [schema, sent]}
