"""Hooks of drf-spectacular: which routes are described, and what is added once all operations are there."""

from __future__ import annotations

from typing import Any

from api.schema import error_responses
from api.schema.links import add_links
from api.schema.operations import TAGS

# Every other address below /v1/ answers 404 in the format of OpenAI: there is nothing to describe.
EXCLUDED_PATHS = ("/v1/{rest}",)


def exclude_paths(endpoints: list[Any], **kwargs: Any) -> list[Any]:
    """A preprocessing hook of drf-spectacular: the endpoints that are described."""
    return [endpoint for endpoint in endpoints if endpoint[0] not in EXCLUDED_PATHS]


def complete_schema(result: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
    """A postprocessing hook of drf-spectacular: shared responses, headers and errors, and the parts in their order."""
    components = result.setdefault("components", {})
    _simplify_nullable_any(components["schemas"])
    add_links(result["paths"])
    components["responses"] = _referenced_responses(error_responses.response_components(), result["paths"])
    components["headers"] = error_responses.HEADERS
    components["schemas"] |= error_responses.ERROR_SCHEMAS
    result["tags"] = [{"name": name, "description": description} for name, description in TAGS.items()]
    return result


def _simplify_nullable_any(part: Any) -> None:
    """What may be anything may be null: "anything, or else null" would be neither of the two for null."""
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    if isinstance(part, dict) and part.get("oneOf") == [{}, {"type": "null"}]:
        del part["oneOf"]
    for one in list(inner):
        _simplify_nullable_any(one)


def _referenced_responses(responses: dict[str, Any], paths: dict[str, Any]) -> dict[str, Any]:
    named = {
        response["$ref"].rpartition("/")[2]
        for methods in paths.values()
        for operation in methods.values()
        for response in operation["responses"].values()
        if "$ref" in response
    }
    return {name: response for name, response in responses.items() if name in named}
