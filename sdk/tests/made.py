"""Replies of a server, made for tests."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import httpx

T = TypeVar("T")

ANSWER: dict[str, Any] = {
    "answer": "The nominal cover is 45mm [Source 1].",
    "citations": [
        {
            "id": "src_1",
            "document": "IS 456:2000",
            "page": 47,
            "section": "Table 16, Clause 26.4.2",
            "excerpt": "Severe: 45 mm",
            "documentId": "d1",
            "start": 10,
            "end": 23,
            "url": "https://lexic.example/source/1",
            "score": 0.83,
        }
    ],
    "decisionPath": [
        {"step": 1, "node": "exposure_check", "label": "Exposure?", "value": "severe"},
        {"step": 2, "node": "member_type", "label": "Member?", "value": "beam"},
        {"step": 3, "node": "cover_lookup", "label": "Cover", "result": "45mm"},
    ],
    "confidence": "high",
    "pluginVersion": "1.2.0",
    "outcome": "answered",
    "reason": None,
    "queryId": "q1",
    "release": "cover@1.2.0",
    "usage": {"promptTokens": 11, "completionTokens": 7},
}

CLARIFY: dict[str, Any] = {
    **ANSWER,
    "answer": "",
    "citations": [],
    "decisionPath": [],
    "confidence": "low",
    "outcome": "clarify",
    "clarification": {"question": "How?", "options": ["mild", "severe"], "field": "exposure", "token": "t0ken"},
}

STATUS = {"type": "status", "status": "searching_kb", "message": "Searching"}
DELTAS = [{"type": "delta", "text": "The nominal cover "}, {"type": "delta", "text": "is 45mm [Source 1]."}]
DONE = {"type": "done", **ANSWER}


def ok(body: Any = None) -> httpx.Response:
    return httpx.Response(200, json=ANSWER if body is None else body)


def error(status: int, *, code: str = "some_code", **headers: str) -> httpx.Response:
    body = {"error": "A sentence.", "code": code, "hint": "Do this."}
    return httpx.Response(status, json=body, headers={k.replace("_", "-"): v for k, v in headers.items()})


def encoded(*events: dict[str, Any], end: str = "\n\n") -> bytes:
    return "".join(f"data: {json.dumps(event, ensure_ascii=False)}{end}" for event in events).encode()


class Pieces(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A body in these pieces; then the error, if there is one."""

    def __init__(self, *pieces: bytes, error: Exception | None = None) -> None:
        self.pieces, self.error, self.is_closed = pieces, error, False

    def __iter__(self) -> Iterator[bytes]:
        yield from self.pieces
        if self.error:
            raise self.error

    async def __aiter__(self):
        for piece in self:
            yield piece

    def close(self) -> None:
        self.is_closed = True

    async def aclose(self) -> None:
        self.is_closed = True


def stream(*pieces: bytes, error: Exception | None = None) -> httpx.Response:
    headers = {"Content-Type": "text/event-stream"}
    return httpx.Response(200, headers=headers, stream=Pieces(*pieces, error=error))


def run(awaited: Awaitable[T]) -> T:
    """In a thread of its own: the one of the tests may have an event loop that a browser left there."""

    async def wait() -> T:
        return await awaited

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(wait())).result()
