"""`/mcp` over HTTP: host, key, size and limits are checked as in the REST API, before the protocol is spoken.

Nothing is kept between two requests, so any process can answer any of them, and a session manager lives as long as one
request. So it does not matter whether the server runs lifespan events.

A refusal has the HTTP status of the REST API and is an error of JSON-RPC whose `data` is our `{"error", "code",
"hint"}`, so that proxies and clients of the protocol both understand it.
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
from django.core.handlers.asgi import ASGIRequest
from django.http.request import validate_host
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.types import INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR
from rest_framework.request import Request

from accounts.models import ApiKey
from accounts.rate_limits import Allowance
from api.authentication import ApiKeyAuthentication
from api.mcp.principals import KEY_IN_SCOPE, HttpCallerResolver, RateLimitExceeded, count_request
from api.mcp.server import build_server
from api.mcp.threads import in_thread
from lexic.errors import InvalidInput, LexicError, NotAllowed
from lexic.http.error_handlers import NotAuthenticated, PayloadTooLarge, to_lexic_error
from lexic.http.strict_json import read_json

logger = logging.getLogger(__name__)

# These methods count against the limits of a key; handshakes and lists of tools do not.
COUNTED_METHODS = ("tools/call", "resources/read")

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Headers = dict[str, str]


class PostOnly(LexicError):
    """This address takes POST requests only."""

    code = "method_not_allowed"
    status = 405
    hint = "There are no sessions here: nothing to listen to, and nothing to end."


class WrongHost(LexicError):
    """This server does not answer to this name."""

    code = "wrong_host"
    status = 421
    hint = "Its operator can add the name to ALLOWED_HOSTS."


class WrongOrigin(NotAllowed):
    """Pages of another site may not call this server."""

    code = "wrong_origin"
    hint = "Its operator can add the site's name to ALLOWED_HOSTS."


class NotSingleMessage(InvalidInput):
    """The body has to be one message of the protocol, which is an object."""

    hint = "Send each message of a batch in a request of its own."


class _ClientDisconnected(Exception):
    """The caller disconnected while the request was read."""


async def application(scope: Message, receive: Receive, send: Send) -> None:
    """The ASGI application: one request of the protocol, of any revision."""
    async with ThreadSensitiveContext():
        try:
            key, message, allowance = await _authenticate_message(scope, receive)
        except _ClientDisconnected:
            return
        except Exception as error:
            await _send_error(error, send)
            return
        answer = _ResponseSender(send, headers=allowance.headers() if allowance else {})
        try:
            await _handle_protocol({**scope, KEY_IN_SCOPE: key}, _replay_message(message, receive), answer)
        except Exception as error:
            if answer.has_begun:
                raise
            await _send_error(error, send)


@cache
def _http_server() -> Server[Any]:
    return build_server(HttpCallerResolver())


async def _handle_protocol(scope: Message, receive: Receive, send: Send) -> None:
    manager = StreamableHTTPSessionManager(_http_server(), stateless=True, max_request_body_size=2 * _max_body_bytes())
    async with manager.run():
        await manager.handle_request(scope, receive, send)


async def _authenticate_message(scope: Message, receive: Receive) -> tuple[ApiKey, Any, Allowance | None]:
    """The key, the message, and what is left of the key's limits if the message counts. Raises what the checks do."""
    request = ASGIRequest(scope, io.BytesIO())
    _check_host_and_origin(request)
    key = await in_thread(_authenticate_key, request)
    if request.method != "POST":
        raise PostOnly
    message = read_json(await _read_body(request, receive))
    if not isinstance(message, dict):
        raise NotSingleMessage
    counts = message.get("method") in COUNTED_METHODS
    try:
        return key, message, await in_thread(count_request, key) if counts else None
    except RateLimitExceeded as error:
        error.request_id = message.get("id")
        raise


def _check_host_and_origin(request: ASGIRequest) -> None:
    """Refuses pages that reach this server under a name of their own (DNS rebinding), and pages of other sites."""
    try:
        request.get_host()
    except DisallowedHost:
        raise WrongHost from None
    origin = request.headers.get("Origin")
    if origin and not validate_host(_origin_host(origin), settings.ALLOWED_HOSTS):
        raise WrongOrigin


def _origin_host(origin: str) -> str:
    try:
        host = urlsplit(origin).hostname or ""
    except ValueError:
        return ""
    return f"[{host}]" if ":" in host else host


def _authenticate_key(request: ASGIRequest) -> ApiKey:
    found = ApiKeyAuthentication().authenticate(Request(request))
    if found is None:
        raise NotAuthenticated
    return found[1]


async def _read_body(request: ASGIRequest, receive: Receive) -> bytes:
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
    body, is_sent = json.dumps(message, ensure_ascii=False).encode(), False

    async def receive_replayed() -> Message:
        nonlocal is_sent
        if is_sent:
            return await receive()
        is_sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_replayed


class _ResponseSender:
    """Sends a response on with additional headers."""

    def __init__(self, send: Send, *, headers: Headers) -> None:
        self._send = send
        self._headers = headers
        self.has_begun = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            message = {**message, "headers": [*message.get("headers", []), *_encode_headers(self._headers)]}
        await self._send(message)


def _encode_headers(headers: Headers) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


async def _send_error(error: Exception, send: Send) -> None:
    ours = to_lexic_error(error)
    if ours.status >= 500:
        logger.error("%s: %s", ours.code, ours.hint, exc_info=error)
    code = PARSE_ERROR if ours.code == "invalid_json" else INTERNAL_ERROR if ours.status >= 500 else INVALID_REQUEST
    rpc_error = {"code": code, "message": ours.message, "data": ours.as_dict()}
    body = json.dumps({"jsonrpc": "2.0", "id": getattr(error, "request_id", None), "error": rpc_error}).encode()
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **_error_headers(ours)}
    await send({"type": "http.response.start", "status": ours.status, "headers": _encode_headers(headers)})
    await send({"type": "http.response.body", "body": body})


def _error_headers(error: LexicError) -> Headers:
    if isinstance(error, RateLimitExceeded):
        return error.allowance.headers()
    if isinstance(error, NotAuthenticated):
        return {"WWW-Authenticate": 'Bearer realm="lexic"'}
    if isinstance(error, PostOnly):
        return {"Allow": "POST"}
    # Without it the client would go on sending the rest of a body that is too large.
    return {"Connection": "close"} if isinstance(error, PayloadTooLarge) else {}
