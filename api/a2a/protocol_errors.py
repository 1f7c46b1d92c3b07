"""The errors of A2A: a JSON-RPC error with its number, and Lexic's own error code beside it."""

from __future__ import annotations

from typing import Any

from lexic.errors import InvalidInput, LexicError, NotFound
from lexic.http.error_handlers import retry_headers
from lexic.http.strict_json import InvalidJson

_PARSE_ERROR, _INVALID_PARAMS, _INTERNAL, _OTHER = -32700, -32602, -32603, -32000
_ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo"
_PROTOCOL_DOMAIN, _OWN_DOMAIN = "a2a-protocol.org", "lexic"


class A2AError(LexicError):
    """Something went wrong."""

    code = "a2a_error"
    status = 400
    number = _OTHER


class InvalidRequest(A2AError, InvalidInput):
    """The body has to be one request of JSON-RPC 2.0: an object with jsonrpc, id and method."""

    code = "invalid_request"
    number = -32600
    hint = 'Send {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {...}}.'


class UnknownMethod(A2AError):
    """This agent has no such method."""

    code = "method_not_found"
    number = -32601
    hint = "It has SendMessage, SendStreamingMessage, GetTask, ListTasks, CancelTask and SubscribeToTask."


class TaskNotFound(A2AError, NotFound):
    """There is no such task of this key."""

    code = "task_not_found"
    status = 404
    number = -32001
    hint = "Send the message without a taskId for a new one."


class TaskNotCancelable(A2AError):
    """This task has ended."""

    code = "task_not_cancelable"
    number = -32002


class PushNotSupported(A2AError):
    """This agent sends no push notifications."""

    code = "push_notification_not_supported"
    number = -32003
    hint = "Use SendStreamingMessage, or GetTask."


class UnsupportedOperation(A2AError):
    """This agent does not do that."""

    code = "unsupported_operation"
    number = -32004


class ContentTypeNotSupported(A2AError):
    """This agent reads and writes text/plain and application/json."""

    code = "content_type_not_supported"
    number = -32005
    hint = "Send the question as a text part, and facts in a data part."


class NoExtendedCard(A2AError):
    """This agent has one card, the same for everybody who may see it."""

    code = "extended_agent_card_not_configured"
    number = -32007


class VersionNotSupported(A2AError):
    """This agent speaks the revisions 1.0 and 0.3 of the protocol."""

    code = "version_not_supported"
    number = -32009
    hint = "Send the header A2A-Version: 1.0."


def error_as_json(error: LexicError) -> dict[str, Any]:
    """The `error` of a response of JSON-RPC."""
    about = {"code": error.code, "hint": error.hint, **retry_headers(error)}
    is_of_protocol = isinstance(error, A2AError)
    info = {
        "@type": _ERROR_INFO,
        "reason": error.code.upper(),
        "domain": _PROTOCOL_DOMAIN if is_of_protocol else _OWN_DOMAIN,
        "metadata": {name: value for name, value in about.items() if value},
    }
    return {"code": _error_number(error), "message": error.message_with_hint, "data": [info]}


def _error_number(error: LexicError) -> int:
    if isinstance(error, A2AError):
        return error.number
    if isinstance(error, InvalidJson):
        return _PARSE_ERROR
    if error.status in (400, 422):
        return _INVALID_PARAMS
    return _INTERNAL if error.status >= 500 else _OTHER
