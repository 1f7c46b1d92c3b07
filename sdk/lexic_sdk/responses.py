"""HTTP responses → JSON or errors. Both clients use it, so nothing here waits for the network."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx

from lexic_sdk import errors
from lexic_sdk.retries import read_retry_after
from lexic_sdk.server import Key

MAX_BODY_BYTES = 32 * 1024 * 1024
EVENT_STREAM = "text/event-stream"
REQUEST_ID_HEADER = "X-Request-Id"


@contextmanager
def translate_errors(request: Mapping[str, Any]) -> Iterator[None]:
    """Raises errors of httpx as errors of this package, with the original as their cause. Each has the id of the
    request (the arguments of httpx), where the server did not give it another one."""
    try:
        with _translate_httpx_errors():
            yield
    except errors.LexicError as error:
        error.request_id = error.request_id or request["headers"][REQUEST_ID_HEADER]
        raise


@contextmanager
def _translate_httpx_errors() -> Iterator[None]:
    try:
        yield
    except httpx.ConnectTimeout as error:
        raise errors.ConnectionError("The server could not be reached in time.") from error
    except httpx.TimeoutException as error:
        raise errors.TimeoutError(hint="A larger timeout= waits longer.") from error
    except httpx.DecodingError as error:
        raise errors.InvalidResponseError from error
    except httpx.RequestError as error:
        raise errors.ConnectionError(hint="Check base_url and the network.") from error


class ResponseBody:
    """The bytes of a response, up to a limit. Raises `InvalidResponseError` beyond it."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > MAX_BODY_BYTES:
            raise errors.InvalidResponseError("The server's answer is too long.")
        self._pieces.append(piece)

    def text(self) -> str:
        return b"".join(self._pieces).decode("utf-8", errors="replace")


def response_json(response: httpx.Response, body: ResponseBody, *, key: Key) -> Any:
    """The JSON of a successful response. Raises the error that any other response stands for."""
    text = key.redact_from(body.text())
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
        if response.is_success:
            raise errors.InvalidResponseError(
                "The server's answer is not JSON.",
                status=response.status_code,
                hint="Check that base_url is the address of a Lexic server.",
            ) from None
    if response.is_success:
        return value
    raise _error_from_response(response, value)


def _error_from_response(response: httpx.Response, value: Any) -> errors.LexicError:
    if response.is_redirect:
        return errors.InvalidResponseError(
            "The server redirects, and the key is not sent on.",
            status=response.status_code,
            hint="Use the address that it redirects to as base_url.",
        )
    return errors.from_response(
        value,
        status=response.status_code,
        request_id=response.headers.get(REQUEST_ID_HEADER),
        retry_after=read_retry_after(response.headers.get("Retry-After")),
    )


def request_id(request: Mapping[str, Any], response: httpx.Response) -> str:
    """The id that the server gave the request, else the one that it was sent with."""
    found: str = response.headers.get(REQUEST_ID_HEADER) or request["headers"][REQUEST_ID_HEADER]
    return found


def is_event_stream(response: httpx.Response) -> bool:
    kind = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    return response.is_success and bool(kind == EVENT_STREAM)


def next_page_query(page: Any) -> str | None:
    """The query string of a list's next page. Its host is not followed: the key stays where it was meant to go."""
    link = page.get("next") if isinstance(page, Mapping) else None
    try:
        return urlsplit(link).query or None if isinstance(link, str) else None
    except ValueError:
        return None
