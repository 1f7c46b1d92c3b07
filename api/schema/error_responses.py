"""The errors that an operation can give, by what it is: the same for all that are alike, written nowhere else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from api.schema.operations import ANSWERING_OPERATIONS, ETAG_PATHS
from lexic.http.openai_errors import OPENAI_PATH_PREFIX as OPENAI_PATHS

_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")

# Status: the name of the response, and what it means.
RESPONSES: dict[int, tuple[str, str]] = {
    304: ("NotModified", "You have this version: it is the one in If-None-Match. No body."),
    400: (
        "Invalid",
        "The request is not valid; the sentence names the field. `invalid`, `invalid_json` and others.",
    ),
    401: ("NotAuthenticated", "No key, or one that is unknown, expired or revoked. `not_authenticated`."),
    403: ("NotAllowed", "The key lacks a capability, or you may only look. `missing_capability`, `read_only` …"),
    404: ("NotFound", "There is nothing here, or nothing that you may see: these two are never told apart."),
    406: ("NotAcceptable", "None of the media types in Accept can be given. `not_acceptable`."),
    409: ("Conflict", "It already exists, or its state does not allow this. `slug_taken`, `not_ready` and others."),
    412: ("PreconditionFailed", "It was changed since you read it (If-Match). `precondition_failed`."),
    413: ("TooLarge", "The body, or a file in it, is too large. `too_large`."),
    415: ("UnsupportedMediaType", "The body is of a type that is not read here. `unsupported_media_type`."),
    422: ("Unprocessable", "The file cannot be read as what it says it is."),
    429: ("TooManyRequests", "The key's limit is used up. `rate_limited`; Retry-After says for how long."),
    502: ("ProviderFailed", "The language model could not be reached, or failed. `provider_failed`."),
    503: ("Unavailable", "The database, the queue or the language model is away or busy; try again in a moment."),
    504: ("ProviderTimedOut", "The language model took too long. `provider_timeout`."),
}


def error_statuses(operation: dict[str, Any], *, path: str, method: str, view: Any) -> Iterator[int]:
    """In ascending order."""
    parameters = operation.get("parameters", [])
    has_body, changes = "requestBody" in operation, method not in _SAFE_METHODS
    is_open = not view.get_authenticators()
    conditions = {
        304: path in ETAG_PATHS and method == "GET",
        400: has_body or any(one["in"] == "query" for one in parameters),
        401: not is_open,
        403: not is_open,
        404: any(one["in"] == "path" for one in parameters)
        or operation["operationId"] in ANSWERING_OPERATIONS | {"createApiKey"},
        406: not path.startswith(OPENAI_PATHS),
        409: changes and not path.startswith(OPENAI_PATHS) and operation["operationId"] != "askQuestion",
        412: path in ETAG_PATHS and changes,
        413: has_body,
        415: has_body,
        422: has_body and "multipart/form-data" in operation["requestBody"]["content"],
        429: bool(view.get_throttles()),
        502: operation["operationId"] in ANSWERING_OPERATIONS,
        503: not is_open or operation["operationId"] in ANSWERING_OPERATIONS,
        504: operation["operationId"] in ANSWERING_OPERATIONS,
    }
    return (status for status, can_be in conditions.items() if can_be)


def response_reference(status: int, *, path: str) -> dict[str, str]:
    """Where the response is written out."""
    name, _ = RESPONSES[status]
    form = "OpenAI" if path.startswith(OPENAI_PATHS) else ""
    return {"$ref": f"#/components/responses/{form}{name}"}


def response_components() -> dict[str, Any]:
    """The responses, in both forms."""
    plain = {name: _make_response(status, words, schema="Error") for status, (name, words) in RESPONSES.items()}
    theirs = {
        f"OpenAI{name}": _make_response(status, words, schema="OpenAIError")
        for status, (name, words) in RESPONSES.items()
    }
    return plain | theirs


def _make_response(status: int, words: str, *, schema: str) -> dict[str, Any]:
    shown: dict[str, Any] = {"description": words}
    if status != 304:
        shown["content"] = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    if headers := response_headers(status, is_counted=status not in (401, 406)):
        shown["headers"] = headers
    return shown


def response_headers(status: int, *, is_counted: bool, has_etag: bool = False) -> dict[str, Any]:
    names = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"] if is_counted else []
    names += ["Retry-After"] if status in (429, 503) else []
    names += ["ETag"] if has_etag or status == 304 else []
    names += ["WWW-Authenticate"] if status == 401 else []
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}


HEADERS: dict[str, Any] = {
    "X-RateLimit-Limit": {
        "description": "Requests in the window that has the least left. Only where a key asks.",
        "schema": {"type": "integer"},
    },
    "X-RateLimit-Remaining": {"description": "How many of them are left.", "schema": {"type": "integer"}},
    "X-RateLimit-Reset": {"description": "Seconds until it is full again.", "schema": {"type": "integer"}},
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}},
    "ETag": {
        "description": "The version that this is, for If-Match and If-None-Match.",
        "schema": {"type": "string"},
    },
    "WWW-Authenticate": {"description": "How to come in.", "schema": {"type": "string"}},
}

ERROR: dict[str, Any] = {
    "type": "object",
    "description": "Every error: a sentence for people, a code for programs, and what to do next.",
    "properties": {
        "error": {"type": "string", "description": "One sentence."},
        "code": {"type": "string", "pattern": "^[a-z0-9_]+$", "description": "What programs compare."},
        "hint": {"type": "string", "description": "What to do next; may be empty."},
    },
    "required": ["error", "code", "hint"],
    "examples": [
        {"error": "There is no such plugin among those you work on.", "code": "unknown_plugin", "hint": ""}
    ],
}

OPENAI_ERROR: dict[str, Any] = {
    "type": "object",
    "description": "Every error below /v1/, as clients of OpenAI's protocol read it.",
    "properties": {
        "error": {
            "type": "object",
            "properties": {
                "message": {"type": "string"},
                "type": {"type": "string"},
                "param": {"type": ["string", "null"]},
                "code": {"type": "string"},
                "hint": {"type": "string"},
            },
            "required": ["message", "type", "param", "code", "hint"],
        }
    },
    "required": ["error"],
}
