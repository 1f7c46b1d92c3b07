"""What is added to the description as a whole, once all operations are there."""

from __future__ import annotations

from typing import Any

from api.schema import problems
from api.schema.links import link
from api.schema.operations import PARTS


def finish(result: dict[str, Any], **about: Any) -> dict[str, Any]:
    """A `POSTPROCESSING_HOOK`: shared responses, headers and errors, and the parts in their order."""
    components = result.setdefault("components", {})
    _take_anything(components["schemas"])
    link(result["paths"])
    components["responses"] = _used(problems.components(), result["paths"])
    components["headers"] = problems.HEADERS
    components["schemas"] |= {"Error": problems.ERROR, "OpenAIError": problems.OPENAI_ERROR}
    result["tags"] = [{"name": name, "description": words} for name, words in PARTS.items()]
    return result


def _take_anything(part: Any) -> None:
    """What may be anything may be null: "anything, or else null" would be neither of the two for null."""
    inner = part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    if isinstance(part, dict) and part.get("oneOf") == [{}, {"type": "null"}]:
        del part["oneOf"]
    for one in list(inner):
        _take_anything(one)


def _used(responses: dict[str, Any], paths: dict[str, Any]) -> dict[str, Any]:
    named = {
        response["$ref"].rpartition("/")[2]
        for methods in paths.values()
        for operation in methods.values()
        for response in operation["responses"].values()
        if "$ref" in response
    }
    return {name: response for name, response in responses.items() if name in named}
