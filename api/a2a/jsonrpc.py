"""The envelope: a request of JSON-RPC, and the responses to it in the revision that it was sent in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from api.a2a import revision_03
from api.a2a.protocol_errors import InvalidRequest, UnknownMethod, VersionNotSupported, error_as_json
from lexic.errors import InvalidInput, LexicError

VERSION_HEADER = "A2A-Version"
METHODS = frozenset(
    {"SendMessage", "SendStreamingMessage", "GetTask", "ListTasks", "CancelTask", "SubscribeToTask"}
    | {f"{verb}TaskPushNotificationConfig" for verb in ("Create", "Get", "Delete")}
    | {"ListTaskPushNotificationConfigs", "GetExtendedAgentCard"}
)
_VERSION = re.compile(r"(\d+\.\d+)(\.\d+)*")

RequestId = str | int | float | None


@dataclass(frozen=True, kw_only=True)
class RpcRequest:
    """`method` and `params` are those of 1.0, whatever the caller sent."""

    id: RequestId
    method: str
    params: dict[str, Any] = field(default_factory=dict)
    is_old: bool = False

    def result(self, result: dict[str, Any]) -> dict[str, Any]:
        """The response with this result of 1.0."""
        shown = revision_03.result_of(self.method, result) if self.is_old else result
        return {"jsonrpc": "2.0", "id": self.id, "result": shown}

    def error(self, error: LexicError) -> dict[str, Any]:
        return rpc_error(error, request_id=self.id)


def rpc_error(error: LexicError, *, request_id: RequestId) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "error": error_as_json(error)}


def read_id(body: Any) -> RequestId:
    """The id of a request, also of one that is wrong otherwise; None where there is none that may be repeated."""
    found = body.get("id") if isinstance(body, dict) else None
    return found if isinstance(found, str | int | float) and not isinstance(found, bool) else None


def read_request(body: Any, *, version: str = "") -> RpcRequest:
    """`version`: what the header says, if anything. Raises `InvalidRequest`, `UnknownMethod`, `VersionNotSupported` and
    `InvalidInput`."""
    if not isinstance(body, dict) or body.get("jsonrpc") != "2.0" or not isinstance(body.get("method"), str):
        raise InvalidRequest
    params = body.get("params", {})
    if not isinstance(params, dict):
        raise InvalidInput("params is no object.", param="params")
    sent: str = body["method"]
    method = revision_03.METHODS.get(sent, sent)
    if method not in METHODS:
        raise UnknownMethod
    is_old = sent in revision_03.METHODS
    _check_version(version, is_old=is_old)
    given = revision_03.params_of(params) if is_old else params
    return RpcRequest(id=read_id(body), method=method, params=given, is_old=is_old)


def _check_version(version: str, *, is_old: bool) -> None:
    """The name of the method says which revision it is; a header that says another is a mistake."""
    if not version:
        return
    matched = _VERSION.fullmatch(version.strip())
    if matched is None or matched[1] != ("0.3" if is_old else "1.0"):
        raise VersionNotSupported
