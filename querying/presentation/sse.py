"""Server-sent events: a `data: {json}` line for each event, and now and then a comment, so that proxies keep the
connection open."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterable, Mapping
from contextlib import aclosing, suppress
from typing import Any, TypeVar

from django.http import StreamingHttpResponse
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from querying import json_format
from querying.types.events import Event
from querying.types.question import Question

E = TypeVar("E")
PING_SECONDS = 15.0
PING = b": ping\n\n"


class EventStreamRenderer(BaseRenderer):
    """Lets DRF accept `Accept: text/event-stream`. The stream itself never passes through a renderer."""

    media_type = "text/event-stream"
    format = "sse"
    charset = None

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        return encode_sse(data)


def wants_stream(request: Request, body: Mapping[str, Any]) -> bool:
    """Whether the caller wants events: by `stream` in the body, or by `Accept`."""
    return bool(body["stream"]) or request.accepted_renderer.format == EventStreamRenderer.format


def encode_sse(event: Mapping[str, Any], *, event_id: str = "") -> bytes:
    """One event as a `data:` line, with the empty line that ends it; behind a line with its id where it has one."""
    head = f"id: {event_id}\n" if event_id else ""
    return f"{head}data: {json.dumps(event, ensure_ascii=False)}\n\n".encode()


def encode_named(name: str, data: Mapping[str, Any], *, number: int | None = None) -> bytes:
    """One event with its name on a line of its own, and its number, by which a reader goes on behind it."""
    head = f"id: {number}\n" if number is not None else ""
    return f"{head}event: {name}\n{encode_sse(data).decode()}".encode()


def event_stream_response(
    pieces: AsyncIterable[bytes | str], *, content_type: str = "text/event-stream"
) -> StreamingHttpResponse:
    """Encoded events, or text, as a response that no proxy may hold back. The caller has released its connections."""
    streamed = StreamingHttpResponse(pieces, content_type=content_type)
    streamed["Cache-Control"] = "no-cache, no-transform"
    streamed["X-Accel-Buffering"] = "no"
    return streamed


async def encode_events(events: AsyncGenerator[Event], *, question: Question) -> AsyncGenerator[bytes]:
    """The events of this question as server-sent events, with pings between them."""
    async with aclosing(with_pings(events)) as timed:
        async for event in timed:
            yield PING if event is None else encode_sse(json_format.event_as_json(event, question=question))


async def with_pings(events: AsyncGenerator[E], *, seconds: float = PING_SECONDS) -> AsyncGenerator[E | None]:
    """The events, and None whenever none has come for a while."""
    waiting: asyncio.Future[E] | None = None
    try:
        while True:
            waiting = waiting or asyncio.ensure_future(anext(events))
            done, _ = await asyncio.wait([waiting], timeout=seconds)
            if not done:
                yield None
                continue
            finished, waiting = waiting, None
            try:
                event = finished.result()
            except StopAsyncIteration:
                return
            yield event
    finally:
        if waiting is not None:
            waiting.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration):
                await waiting
        await events.aclose()
