"""What both clients have in common: settings, the body and the arguments of a request, and the wait before another."""

from __future__ import annotations

import json as json_format
import platform
import uuid
from collections.abc import Sequence
from typing import Any, TypeVar
from urllib.parse import quote

import httpx

from lexic_sdk import server
from lexic_sdk.collaborations import Mode
from lexic_sdk.errors import ConfigurationError, InvalidRequestError, LexicError, StreamInterrupted
from lexic_sdk.question import Facts, make_body
from lexic_sdk.responses import EVENT_STREAM, REQUEST_ID_HEADER
from lexic_sdk.retries import Attempts, Retries
from lexic_sdk.stream import StreamReader
from lexic_sdk.version import VERSION

ME, MARKETPLACE = "/api/v1/me", "/api/marketplace"
MAX_PAGES = 100
IDEMPOTENCY_HEADER = "Idempotency-Key"


def plugin_path(slug: str) -> str:
    return f"/api/plugins/{quote(slug, safe='')}"


C = TypeVar("C", bound="Connection")


class Connection:
    """An address, a key and a plugin. It holds no open connection."""

    def __init__(
        self,
        *,
        api_key: str | None,
        base_url: str | None,
        default_plugin: str | None,
        timeout: float,
        max_retries: int,
        allow_http: bool,
    ) -> None:
        if timeout <= 0 or max_retries < 0:
            raise ConfigurationError("The timeout has to be above 0, and max_retries not below it.")
        self.base_url = server.make_base_url(base_url, allow_http=allow_http)
        self.active_plugin = default_plugin
        self._key = server.make_key(api_key)
        self._timeout = timeout
        self._retries = Retries(max_retries=max_retries, longest_answer=timeout)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self.base_url!r}, active_plugin={self.active_plugin!r})"

    def set_active_plugin(self: C, plugin: str) -> C:
        """Ask this plugin from now on, where a call names none. Gives the client, so that calls can be chained."""
        self.active_plugin = plugin
        return self

    def _body(self, query: str, *, plugin: str | None, **question: Any) -> dict[str, Any]:
        active = None if question.get("plugins") else self.active_plugin
        return make_body(query, plugin=plugin or active, **question)

    def _collaboration_body(
        self, query: str, *, experts: Sequence[str], mode: Mode, max_rounds: int, facts: Facts | None
    ) -> dict[str, Any]:
        body = {"experts": list(experts), "query": query, "mode": mode, "maxRounds": max_rounds}
        return body | ({"facts": dict(facts)} if facts else {})

    def _review_body(self, document: str, *, title: str, plugin: str | None) -> dict[str, Any]:
        named = self._body(title, plugin=plugin)["plugin"]
        return {"plugin": named, "document": document, "title": title}

    def _request(self, method: str, path: str, *, json: Any = None, stream: bool = False) -> dict[str, Any]:
        """The arguments of httpx' `stream()`. Redirects are not followed: the key belongs to one address.

        Raises `InvalidRequestError` for what is no JSON.
        """
        headers = {
            "Accept": EVENT_STREAM if stream else "application/json",
            "User-Agent": f"lexic-sdk/{VERSION} python/{platform.python_version()}",
            REQUEST_ID_HEADER: str(uuid.uuid4()),
        }
        if json is not None:
            headers["Content-Type"] = "application/json"
        if method == "POST" and not stream:
            # Every attempt has the same: what was answered already is not asked, and not paid for, twice.
            headers[IDEMPOTENCY_HEADER] = str(uuid.uuid4())
        return {
            "method": method,
            "url": f"{self.base_url}{path}",
            "content": None if json is None else _encode({**json, "stream": True} if stream else json),
            "headers": headers,
            "auth": self._key,
            "timeout": httpx.Timeout(self._timeout),
            "follow_redirects": False,
        }

    def _wait_after(self, error: LexicError, *, attempts: Attempts, reader: StreamReader[Any] | None = None) -> float:
        """Seconds until the next attempt, which is counted. Raises the error when there is to be none."""
        if reader is not None and reader.has_begun:
            if isinstance(error, StreamInterrupted):
                raise error
            interrupted = reader.interrupted()
            interrupted.request_id = error.request_id
            raise interrupted from error
        seconds = self._retries.wait_after(error, attempt=attempts.failed, waited=attempts.waited)
        if seconds is None:
            raise error
        attempts.count(error, seconds=seconds)
        return seconds


def _encode(body: Any) -> bytes:
    """Raises `InvalidRequestError` for half characters, numbers that are none, and objects that JSON does not have."""
    try:
        return json_format.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except UnicodeEncodeError:
        reason, hint = "It holds half a character (a lone surrogate).", "Remove it from the text."
    except (TypeError, ValueError, RecursionError) as error:
        reason, hint = f"{error}.", "Send texts, numbers, true and false, and lists and objects of them."
    raise InvalidRequestError(f"The request cannot be written as JSON. {reason}", hint=hint)
