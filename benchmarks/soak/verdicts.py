"""Whether a response is right, cleanly refused, or wrong."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import httpx2

RIGHT, CLEAN, CUT = "right", "clean", "cut"
CLEAN_STATUSES = frozenset({502, 503, 507})
CLEAN_CODES = frozenset(
    {"unavailable", "queue_unavailable", "storage_unavailable", "disk_full", "overloaded", "provider_busy"}
)
# What a well-behaved client may be told: too many at once, or that somebody else was faster.
EXPECTED_REFUSALS = frozenset({409, 412, 429})


def verdict(response: httpx2.Response) -> str:
    """`right`, `clean` (502, 503 or 507 with a sentence, a code, a hint and `Retry-After`), or what is wrong."""
    if response.status_code < 400 or response.status_code in EXPECTED_REFUSALS:
        return RIGHT
    with suppress(ValueError, AttributeError, KeyError, TypeError):
        error = _error_of(response.json())
        is_said = all(isinstance(error.get(name), str) and error[name] for name in ("error", "code", "hint"))
        if is_said and response.status_code in CLEAN_STATUSES and "Retry-After" in response.headers:
            return CLEAN
    return f"{response.status_code} {response.headers.get('content-type')} {response.text[:300]!r}"


def _error_of(body: Any) -> dict[str, Any]:
    """The error in any of the forms in which it is said: ours, OpenAI's, and that of JSON-RPC."""
    error: dict[str, Any] = body["error"]["data"] if "jsonrpc" in body else body
    if isinstance(error["error"], dict):
        return {"error": error["error"]["message"], "code": error["error"]["code"], "hint": "in the message"}
    return error


def verdict_of_page(response: httpx2.Response) -> str:
    is_clean = response.status_code in CLEAN_STATUSES and "Retry-After" in response.headers and "<h1" in response.text
    return CLEAN if is_clean else verdict(response)


def verdict_of_events(last: dict[str, Any], *, end: str) -> str:
    """Of a stream, by its last event, which has to be the `end` or an error of an outage."""
    if last.get("type") == end:
        return RIGHT
    return CLEAN if last.get("code") in CLEAN_CODES else f"the stream ended with {str(last)[:300]}"


def verdict_of_tool(response: httpx2.Response) -> str:
    """Of a call over MCP, as JSON or as an event stream."""
    said = tool_reply(response)
    result = said.get("result") or {}
    if "result" in said and not result.get("isError"):
        return RIGHT
    is_clean = any(code in json.dumps(said) for code in CLEAN_CODES)
    return CLEAN if is_clean else f"the tool ended with {str(said)[:300]}"


def tool_reply(response: httpx2.Response) -> dict[str, Any]:
    lines = events_of(response.text)
    reply: dict[str, Any] = lines[-1] if lines else response.json()
    return reply


def events_of(text: str) -> list[dict[str, Any]]:
    """The JSON of each `data:` line."""
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: {")]
