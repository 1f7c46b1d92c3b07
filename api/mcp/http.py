"""`/mcp` over HTTP: host, key, size and limits are checked as in the REST API, before the protocol is spoken.

A process keeps nothing between two requests, so any process can answer any of them, and a session manager lives as long
as one request. So it does not matter whether the server runs lifespan events. `sessions` has what a session is here.

What is wrong with a message whose id could be read is the answer to that message, with the HTTP status 200: a limit
that is used up is a tool's error. Some clients end the whole session after any other status. A refusal before that has
the HTTP status of the REST API, and is an error of JSON-RPC whose `data` is our `{"error", "code", "hint"}`, so that
proxies and clients of the protocol both understand it. So has a call that needs a scope which the client's token lacks:
the client then asks its person.
"""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Awaitable, Callable, MutableMapping
from functools import cache
from typing import Any
from urllib.parse import urlsplit

from asgiref.sync import ThreadSensitiveContext
from django.conf import settings
from django.core.exceptions import DisallowedHost
from django.http.request import validate_host
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.types import INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR, ErrorData
from mcp.types.version import HANDSHAKE_PROTOCOL_VERSIONS
from rest_framework.exceptions import AuthenticationFailed

from accounts.models import ApiKey
from accounts.rate_limits import count_key_request
from api import cors
from api.mcp import session_questions
from api.mcp.principals import ALLOWANCE_IN_SCOPE, KEY_IN_SCOPE, HttpCallerResolver, authenticate_key
from api.mcp.server import build_server, capabilities_for
from api.mcp.session_request import answer_in_session
from api.mcp.sessions import FORMS_SINCE, Session
from api.mcp.sessions import HEADER as SESSION_HEADER
from api.oauth.metadata import challenge
from api.permissions import MissingCapability, missing_capability
from lexic.database import in_thread
from lexic.errors import InvalidInput, LexicError, NotAllowed
from lexic.http.asgi_request import AnyTypeRequest
from lexic.http.error_handlers import PayloadTooLarge, retry_headers, to_lexic_error
from lexic.http.strict_json import InvalidJson, UnstorableText, check_json, escape_surrogates, parse_json

logger = logging.getLogger(__name__)

# These methods count against the limits of a key; handshakes and lists of tools do not.
COUNTED_METHODS = ("tools/call", "resources/read")
# The only revision with batches.
BATCH_REVISION = "2025-03-26"
_MAX_BATCH = 50
# Where the headers are that let the calling page read the answer.
CORS_IN_SCOPE = "lexic.cors"

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = dict[str, str]


class PostOnly(LexicError):
    """This address takes POST requests only."""

    code = "method_not_allowed"
    status = 405
    hint = "There is nothing to listen to: answers and questions come on the stream of a call. Sessions need no end."


class WrongHost(LexicError):
    """This server does not answer to this name."""

    code = "wrong_host"
    status = 421
    hint = "Its operator can add the name to ALLOWED_HOSTS."


class WrongOrigin(NotAllowed):
    """Pages of another site may not call this server."""

    code = "wrong_origin"
    hint = "Add its origin to the `allowedOrigins` of the key; the operator can do so for all in LEXIC_CORS_ORIGINS."


class NotSingleMessage(InvalidInput):
    """The body has to be one message of the protocol, which is an object."""

    hint = "Send each message of a batch in a request of its own: only revision 2025-03-26 has batches."


class InvalidMessageBatch(InvalidInput):
    """A batch has 1 to 50 messages, each of which is an object."""

    hint = "Send several smaller ones."


class _ClientDisconnected(Exception):
    """The caller disconnected while the request was read."""


async def application(scope: Message, receive: Receive, send: Send) -> None:
    """The ASGI application: one request of the protocol, of any revision."""
    async with ThreadSensitiveContext():
        answer, request = _ResponseSender(send), AnyTypeRequest(scope, io.BytesIO())
        try:
            _check_host(request)
            if preflight := await in_thread(cors.preflight_response, request):
                headers = _encode_headers(dict(preflight.items()))
                await answer({"type": "http.response.start", "status": preflight.status_code, "headers": headers})
                await answer({"type": "http.response.body", "body": b""})
                return
            key = await in_thread(authenticate_key, request)
            cors_headers = await in_thread(_check_origin, request, key)
            caller = {**scope, KEY_IN_SCOPE: key, CORS_IN_SCOPE: cors_headers}
            message = await _receive_message(request, receive)
            await in_thread(_check_scope, request, message, key)
            if isinstance(message, list):
                await _handle_batch(message, caller, receive, answer)
            elif session := _session_of(request, key):
                await _handle_in_session(session, message, caller, receive, answer)
            else:
                await _handle_message(message, caller, receive, answer)
        except _ClientDisconnected:
            return
        except Exception as error:
            if answer.has_begun:
                raise
            await _send_error(error, send, request)


@cache
def _http_server() -> Server[Any]:
    return build_server(HttpCallerResolver())


async def _handle_message(
    message: dict[str, Any], scope: Message, receive: Receive, answer: _ResponseSender, *, as_json: bool = False
) -> None:
    """Counts the message, if it is one that counts, and has the library answer it; `as_json` without a stream."""
    known = await _count_message(message, scope, answer)
    if opened := Session.begin(message, key=scope[KEY_IN_SCOPE]):
        answer.headers[SESSION_HEADER] = opened.id
    manager = StreamableHTTPSessionManager(
        _http_server(), stateless=True, json_response=as_json, max_request_body_size=2 * _max_body_bytes()
    )
    async with manager.run():
        await manager.handle_request(known, _replay_message(message, receive), answer)


async def _handle_in_session(
    session: Session, message: dict[str, Any], scope: Message, receive: Receive, answer: _ResponseSender
) -> None:
    """Handles a message in its session. Raises `UnknownQuestion` for an answer to a question that is not open."""
    if session_questions.is_answer(message):
        await in_thread(session_questions.take_answer, message, session=session)
        headers = _encode_headers(scope[CORS_IN_SCOPE])
        await answer({"type": "http.response.start", "status": 202, "headers": headers})
        await answer({"type": "http.response.body", "body": b""})
        return
    known = await _count_message(message, scope, answer)
    revision = AnyTypeRequest(scope, io.BytesIO()).headers.get("MCP-Protocol-Version", FORMS_SINCE)
    replayed = _replay_message(message, receive)
    await answer_in_session(_http_server(), session, revision, known, replayed, answer)


async def _count_message(message: dict[str, Any], scope: Message, answer: _ResponseSender) -> Message:
    """The scope with what is left of the key's limits, if the message is one that counts."""
    counts = message.get("method") in COUNTED_METHODS
    allowance = await in_thread(count_key_request, scope[KEY_IN_SCOPE]) if counts else None
    answer.headers = {**scope[CORS_IN_SCOPE], **(allowance.headers() if allowance else {})}
    return {**scope, ALLOWANCE_IN_SCOPE: allowance}


def _session_of(request: AnyTypeRequest, key: ApiKey) -> Session | None:
    """The session that the request names. Raises `UnknownSession`.

    A revision without a handshake has none, and a message that opens one is in none yet.
    """
    named = request.headers.get(SESSION_HEADER)
    revision = request.headers.get("MCP-Protocol-Version", FORMS_SINCE)
    return Session.read(named, key=key) if named and revision in HANDSHAKE_PROTOCOL_VERSIONS else None


async def _handle_batch(messages: list[Any], scope: Message, receive: Receive, answer: _ResponseSender) -> None:
    """Answers the messages one after the other, as the list that the revision with batches wants.

    Notifications have no answer: where there is nothing else, the body is empty. What the library refuses because of
    the request's headers, it refuses for all messages: that refusal is the answer.
    """
    answers = []
    for message in messages:
        try:
            check_message(message)
        except InvalidJson as error:
            answers.append(_error_message(error))
            continue
        parts: list[Message] = []

        async def collect(part: Message, parts: list[Message] = parts) -> None:
            parts.append(part)

        one = _ResponseSender(collect)
        await _handle_message(message, scope, receive, one, as_json=True)
        body = b"".join(part.get("body", b"") for part in parts)
        if body and not _is_json(parts[0]):
            for part in parts:
                await answer(part)
            return
        answers += [json.loads(body)] if body else []
        answer.headers |= one.headers
    headers = {"Content-Type": "application/json"} if answers else {}
    start = {"type": "http.response.start", "status": 200 if answers else 202, "headers": _encode_headers(headers)}
    await answer(start)
    await answer({"type": "http.response.body", "body": json.dumps(answers).encode() if answers else b""})


async def _receive_message(request: AnyTypeRequest, receive: Receive) -> Any:
    """One message of the protocol, or a list of them where the revision has batches.

    Raises `PostOnly`, `PayloadTooLarge`, `InvalidJson`, `NotSingleMessage`, `InvalidMessageBatch`.
    """
    if request.method != "POST":
        raise PostOnly
    message = parse_json(await _read_body(request, receive))
    # Revisions before 2025-06-18 do not name themselves in a header.
    if isinstance(message, list) and request.headers.get("MCP-Protocol-Version", BATCH_REVISION) == BATCH_REVISION:
        if not 1 <= len(message) <= _MAX_BATCH or not all(isinstance(one, dict) for one in message):
            raise InvalidMessageBatch
        return message
    if not isinstance(message, dict):
        raise NotSingleMessage
    check_message(message)
    return message


def check_message(message: Any) -> None:
    """Raises `InvalidJson`, with the message's id, where it is nested too deeply or has an unreadable number."""
    try:
        check_json(message)
    except UnstorableText:
        pass  # what uses the text refuses it
    except InvalidJson as error:
        named = message.get("id") if isinstance(message, dict) else None
        error.request_id = named if type(named) in (str, int) else None  # type: ignore[attr-defined]
        raise


def _check_scope(request: AnyTypeRequest, message: Any, key: ApiKey) -> None:
    """Raises `MissingCapability` for a client that can ask its person for more. For the others it is a tool's error."""
    needed = capabilities_for(message) if isinstance(message, dict) else ()
    # Whether it is a client's takes a statement, which only a refusal needs.
    if needed and not any(key.can(capability) for capability in needed) and key.is_of_client:
        error = missing_capability(request, key, needed[0])
        error.request_id = message.get("id")  # type: ignore[attr-defined]
        raise error


def _check_host(request: AnyTypeRequest) -> None:
    """Refuses pages that reach this server under a name of their own (DNS rebinding)."""
    try:
        request.get_host()
    except DisallowedHost:
        raise WrongHost from None


def _check_origin(request: AnyTypeRequest, key: ApiKey) -> Headers:
    """The headers that let the calling page read the answer; none for callers that are no page of another site.

    Raises `WrongOrigin` for other pages.
    """
    origin = request.headers.get("Origin")
    if not origin:
        return {}
    if cors.allows_origin(origin, path=request.path, key=key):
        return cors.origin_headers(origin)
    if not validate_host(_origin_host(origin), settings.ALLOWED_HOSTS):
        raise WrongOrigin
    return {}


def _origin_host(origin: str) -> str:
    try:
        host = urlsplit(origin).hostname or ""
    except ValueError:
        return ""
    return f"[{host}]" if ":" in host else host


async def _read_body(request: AnyTypeRequest, receive: Receive) -> bytes:
    """Raises `PayloadTooLarge`. A body that declares to be too long is not read."""
    declared = request.headers.get("Content-Length", "")
    if declared.isdigit() and int(declared) > _max_body_bytes():
        raise PayloadTooLarge
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise _ClientDisconnected
        body += message.get("body", b"")
        if len(body) > _max_body_bytes():
            raise PayloadTooLarge
        if not message.get("more_body", False):
            return bytes(body)


def _max_body_bytes() -> int:
    return settings.DATA_UPLOAD_MAX_MEMORY_SIZE


def _replay_message(message: Any, receive: Receive) -> Receive:
    """The message as we read it, as new bytes: the library could read the original ones differently."""
    body, is_sent = escape_surrogates(message).encode(), False

    async def receive_replayed() -> Message:
        nonlocal is_sent
        if is_sent:
            return await receive()
        is_sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_replayed


class _ResponseSender:
    """Sends a response on with additional headers."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.headers: Headers = {}
        self.has_begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            message = {**message, "headers": [*message.get("headers", []), *_encode_headers(self.headers)]}
        await self._send(message)


def _is_json(start: Message) -> bool:
    headers = {name.lower(): value for name, value in start.get("headers", [])}
    return bool(headers.get(b"content-type", b"").startswith(b"application/json"))


def _encode_headers(headers: Headers) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


async def _send_error(error: Exception, send: Send, request: AnyTypeRequest) -> None:
    ours = to_lexic_error(error)
    if ours.status >= 500:
        logger.error("%s: %s", ours.code, ours.hint, exc_info=error)
    message = _error_message(error)
    body = json.dumps(message).encode()
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **_error_headers(ours)}
    if ours.status == 401:
        headers["WWW-Authenticate"] = challenge(request, is_refused=isinstance(error, AuthenticationFailed))
    if isinstance(ours, MissingCapability) and ours.auth_header:
        headers["WWW-Authenticate"] = ours.auth_header
    is_told_by_status = message["id"] is None or "WWW-Authenticate" in headers
    status = ours.status if is_told_by_status else 200
    await send({"type": "http.response.start", "status": status, "headers": _encode_headers(headers)})
    await send({"type": "http.response.body", "body": body})


def _error_message(error: Exception) -> dict[str, Any]:
    """The error as the answer to its message; the id is null where none could be read."""
    request_id = getattr(error, "request_id", None)
    return {"jsonrpc": "2.0", "id": request_id, "error": rpc_error(to_lexic_error(error)).model_dump()}


def rpc_error(error: LexicError) -> ErrorData:
    """The error as the protocol writes it."""
    code = PARSE_ERROR if error.code == InvalidJson.code else INTERNAL_ERROR if error.status >= 500 else INVALID_REQUEST
    return ErrorData(code=code, message=error.message, data=error.as_dict())


def _error_headers(error: LexicError) -> Headers:
    if isinstance(error, PostOnly):
        return {"Allow": "POST"}
    # Without it the client would go on sending the rest of a body that is too large.
    return {"Connection": "close"} if isinstance(error, PayloadTooLarge) else retry_headers(error)
