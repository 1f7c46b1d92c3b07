"""The errors that each operation can return. Operations of the same kind return the same errors, which are listed only
here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from api.idempotency import IdempotentView
from api.permissions import BySession
from api.schema.operations import ANSWERING_OPERATIONS, CONNECTED_OPERATIONS, ETAG_PATHS, FILLING_OPERATIONS
from api.schema.yaml_files import read_yaml
from lexic.http.openai_errors import OPENAI_PATH_PREFIX as OPENAI_PATHS

# Their bodies name something that may not be there.
_NAMING_OPERATIONS = {
    "createApiKey",
    "createConversation",
    "createProject",
    "importGoogleDriveFiles",
    "searchUserDocuments",
    "sendMessage",
    "startContractReview",
}
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")

_COMPONENTS: dict[str, Any] = read_yaml("components")
HEADERS, ERROR_SCHEMAS = _COMPONENTS["headers"], _COMPONENTS["schemas"]
# By status: the name of the response, and what it means.
_RESPONSES: dict[int, dict[str, str]] = _COMPONENTS["responses"]


def error_statuses(operation: dict[str, Any], *, path: str, method: str, view: Any) -> Iterator[int]:
    """The statuses of the errors that this operation can give, in ascending order."""
    parameters = operation.get("parameters", [])
    has_body, changes = "requestBody" in operation, method not in _SAFE_METHODS
    is_open = not view.get_authenticators()
    is_connected, is_answering = (
        operation["operationId"] in CONNECTED_OPERATIONS,
        operation["operationId"] in ANSWERING_OPERATIONS,
    )
    adds_files = operation["operationId"] == "importGoogleDriveFiles" or (
        has_body and "multipart/form-data" in operation["requestBody"]["content"]
    )
    conditions = {
        304: path in ETAG_PATHS and method == "GET",
        400: has_body or any(one["in"] == "query" or one["name"] == "Last-Event-ID" for one in parameters),
        401: not is_open,
        403: not is_open,
        404: any(one["in"] == "path" for one in parameters)
        or operation["operationId"] in ANSWERING_OPERATIONS | _NAMING_OPERATIONS,
        406: not path.startswith(OPENAI_PATHS),
        409: is_connected
        or is_idempotent(view, method, operation)
        or operation["operationId"] == "exportContractReview"
        or (changes and not path.startswith(OPENAI_PATHS) and operation["operationId"] != "askQuestion"),
        412: path in ETAG_PATHS and changes,
        413: has_body,
        415: has_body,
        422: adds_files
        or is_idempotent(view, method, operation)
        or operation["operationId"] in FILLING_OPERATIONS | {"startContractReview"},
        429: bool(view.get_throttles()),
        502: is_answering or is_connected,
        503: not is_open or is_answering,
        504: is_answering,
        507: adds_files,
    }
    return (status for status, can_be in conditions.items() if can_be)


def is_idempotent(view: Any, method: str, operation: dict[str, Any]) -> bool:
    """Whether the operation takes an `Idempotency-Key`."""
    content = operation.get("requestBody", {"content": {"application/json": {}}})["content"]
    by_session_alone = BySession in view.permission_classes
    is_posted = method == "POST" and any(not kind.startswith("multipart/") for kind in content)
    return is_posted and isinstance(view, IdempotentView) and view.keeps_responses and not by_session_alone


def response_reference(status: int, *, path: str) -> dict[str, str]:
    """A reference to the response of this status, in the format of this path."""
    prefix = "OpenAI" if path.startswith(OPENAI_PATHS) else ""
    return {"$ref": f"#/components/responses/{prefix}{_RESPONSES[status]['name']}"}


def response_components() -> dict[str, Any]:
    """All error responses, in our format and in that of OpenAI."""
    return {
        f"{prefix}{response['name']}": _make_response(status, response["description"], schema=f"{prefix}Error")
        for prefix in ("", "OpenAI")
        for status, response in _RESPONSES.items()
    }


def _make_response(status: int, description: str, *, schema: str) -> dict[str, Any]:
    response: dict[str, Any] = {"description": description}
    if status != 304:
        response["content"] = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    if headers := response_headers(status, is_counted=status not in (401, 406)):
        response["headers"] = headers
    return response


def response_headers(status: int, *, is_counted: bool, has_etag: bool = False) -> dict[str, Any]:
    """References to the headers of a response with this status."""
    names = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"] if is_counted else []
    names += ["Retry-After"] if status in (429, 502, 503, 507) else []
    names += ["ETag"] if has_etag or status == 304 else []
    names += ["WWW-Authenticate"] if status == 401 else []
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
