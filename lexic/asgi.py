from __future__ import annotations

import asyncio
import importlib
import io
import json
import os
import time
from typing import IO, Any

import django
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler

from local.module_loading import loading_modules
from local.process_memory import return_memory_early

return_memory_early()
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lexic.settings")
with loading_modules():
    django.setup(set_prefix=False)

from lexic import metrics  # noqa: E402 -- what follows needs the apps
from lexic.database import in_thread  # noqa: E402
from lexic.errors import LexicError  # noqa: E402
from lexic.http.asgi_headers import complete_headers  # noqa: E402
from lexic.http.asgi_request import AnyTypeRequest  # noqa: E402
from lexic.http.error_handlers import PayloadTooLarge, error_body, render_refusal, wants_page  # noqa: E402
from lexic.infrastructure_errors import outage_error  # noqa: E402
from lexic.middleware.event_loop import keep_on_loop  # noqa: E402
from lexic.middleware.interface_language import page_language  # noqa: E402
from lexic.middleware.request_id import begin_request  # noqa: E402
from lexic.phrases import phrase  # noqa: E402
from lexic.postgresql.base import watch_connections  # noqa: E402


class _SizedRequest(AnyTypeRequest):
    """A request whose `CONTENT_LENGTH` is the size of the body that was received.

    A body in chunks (`Transfer-Encoding: chunked`) does not declare its length. Django's form parser and the REST
    framework read no body whose length they are not told.
    """

    def __init__(self, scope: Any, body_file: IO[bytes]) -> None:
        super().__init__(scope, body_file)
        body_file.seek(0, os.SEEK_END)
        if length := body_file.tell():
            self.META["CONTENT_LENGTH"] = str(length)
        body_file.seek(0)


class _Handler(ASGIHandler):
    request_class = _SizedRequest


watch_connections()
keep_on_loop()
django_application = _Handler()

# Of everything around a file that is uploaded: its form, its boundaries.
_FORM_OVERHEAD_BYTES = 5 * 1024 * 1024

# The application of the Model Context Protocol runs beside Django. Its library takes longer to load than Django, so it
# is loaded with the first request to it, in a thread.
_MCP_PATHS = ("/mcp", "/mcp/")
_mcp_application: Any = None


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Django or the MCP server, for requests of a bounded size: Django would write a body of any size to disk before
    anyone is asked who sends it."""
    if scope["type"] != "http":
        await django_application(scope, receive, send)
        return
    begin_request(_header(scope, b"x-request-id"))
    left, has_answered, begun = _max_body_bytes(), False, time.monotonic()

    async def bounded() -> Any:
        nonlocal left
        message = await receive()
        left -= len(message.get("body", b""))
        # To Django, a body that does not say its length and never ends is a caller who hung up.
        return message if left >= 0 else {"type": "http.disconnect"}

    async def complete(message: Any) -> None:
        nonlocal has_answered
        has_answered = True
        if message["type"] == "http.response.start" and scope["path"] in _MCP_PATHS:
            seconds = time.monotonic() - begun
            metrics.count_request(method=scope["method"], route="mcp", status=message["status"], seconds=seconds)
        await send(complete_headers(scope, message) if message["type"] == "http.response.start" else message)

    if _content_length(scope) > _max_body_bytes():
        await _send_error(complete, _too_large(), scope=scope)
        return
    inner = await _application_for(scope)
    try:
        await inner(scope, bounded, complete)
    except OSError as error:  # Django keeps a long body in a file, before any of its error handlers is there
        full = outage_error(error)
        if full is None or has_answered:
            raise
        await _send_error(complete, full, scope=scope)
    if left < 0 and not has_answered:
        await _send_error(complete, _too_large(), scope=scope)


def _too_large() -> PayloadTooLarge:
    megabytes = settings.LEXIC_MAX_DOCUMENT_BYTES / 1024**2
    most = int(megabytes) if megabytes.is_integer() else megabytes
    return PayloadTooLarge(hint=phrase("Send at most %(megabytes)s MB at once; split a larger file.", megabytes=most))


async def _application_for(scope: Any) -> Any:
    global _mcp_application
    if scope["path"] == metrics.PATH and metrics.may_read(_header(scope, b"authorization")):
        return _answer_metrics
    if scope["path"] not in _MCP_PATHS:
        return django_application
    if _mcp_application is None:
        module = await asyncio.to_thread(importlib.import_module, "api.mcp.http")
        _mcp_application = module.application
    return _mcp_application


async def _answer_metrics(scope: Any, receive: Any, send: Any) -> None:
    """Whoever has the token. Prometheus asks by the address of a pod, so the host is not looked at."""
    await _send(send, 200, await in_thread(metrics.render), content_type=b"text/plain; version=0.0.4; charset=utf-8")


def _header(scope: Any, name: bytes) -> str:
    sent: bytes = dict(scope["headers"]).get(name, b"")
    return sent.decode("latin-1")


def _content_length(scope: Any) -> int:
    declared = _header(scope, b"content-length")
    return int(declared) if declared.isdigit() else 0


def _max_body_bytes() -> int:
    return settings.LEXIC_MAX_DOCUMENT_BYTES + _FORM_OVERHEAD_BYTES


async def _send_error(send: Any, error: LexicError, *, scope: Any) -> None:
    """A page for a browser that sent a form, without a script; else the error as the clients of the address read it."""
    more = [(b"connection", b"close")]
    if wants_page(path=scope["path"], accept=_header(scope, b"accept")):
        language = page_language(AnyTypeRequest(scope, io.BytesIO()))
        page = await in_thread(render_refusal, error, language=language)
        await _send(send, error.status, page.encode(), content_type=b"text/html; charset=utf-8", more=more)
        return
    body = json.dumps(error_body(error, path=scope["path"])).encode()
    await _send(send, error.status, body, more=more)


async def _send(
    send: Any, status: int, body: bytes, *, content_type: bytes = b"application/json", more: Any = ()
) -> None:
    headers = [(b"content-type", content_type), (b"content-length", str(len(body)).encode()), *more]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
