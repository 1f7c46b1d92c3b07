"""Fetches pages of a site one after the other, no faster than it wants, and only those that have changed."""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from typing import Any

from django.conf import settings

from knowledge.source_models import shown_address
from knowledge.sync.remote.source_errors import SourceUnavailable
from lexic import egress
from lexic.egress import EgressRefused, FetchFailed, WebResponse

REQUEST_SECONDS = 30.0
# What one sync of a site may take; the next one goes on from what is known then.
MAX_SECONDS = 600.0
_PAUSE_SECONDS, _MAX_PAUSE_SECONDS = 0.1, 5.0
_IS_BUSY = frozenset({429, 503})


class CrawlStopped(Exception):
    """The site asks to be left alone, or the sync has taken as long as it may."""


class WebClient:
    """All requests of one sync. `pause` is how many seconds lie between two."""

    def __init__(self) -> None:
        self.pause = _PAUSE_SECONDS
        self._end = time.monotonic() + MAX_SECONDS
        self._asked_at = float("-inf")

    def wait_as_told(self, seconds: float) -> None:
        """As robots.txt says, within reason."""
        self.pause = min(max(self.pause, seconds), _MAX_PAUSE_SECONDS)

    def get(
        self, url: str, *, version: Mapping[str, Any] | None = None, content_types: Collection[str] | None = None
    ) -> WebResponse:
        """Raises `CrawlStopped`, `EgressRefused` and `FetchFailed`."""
        self._wait()
        said = egress.request(
            url,
            headers=_request_headers(version or {}),
            max_bytes=settings.LEXIC_MAX_DOCUMENT_BYTES,
            timeout=REQUEST_SECONDS,
            content_types=content_types,
            policy=settings.SOURCES_EGRESS,
        )
        if said.status in _IS_BUSY:
            raise CrawlStopped(f"The server asked to be left alone (status {said.status}).")
        return said

    def get_first(self, url: str, *, version: Mapping[str, Any] | None = None) -> WebResponse:
        """The page that everything begins with. Raises `SourceUnavailable`."""
        try:
            said = self.get(url, version=version)
        except (EgressRefused, FetchFailed) as error:
            raise SourceUnavailable(f"{shown_address(url)}: {error.message}") from error
        except CrawlStopped as error:
            raise SourceUnavailable(str(error)) from error
        if said.status not in (200, 304):
            raise SourceUnavailable(f"{shown_address(url)} answers with status {said.status}.")
        return said

    def _wait(self) -> None:
        now = time.monotonic()
        if now > self._end:
            raise CrawlStopped(f"After {MAX_SECONDS / 60:.0f} minutes not all was fetched.")
        time.sleep(max(0.0, self._asked_at + self.pause - now))
        self._asked_at = time.monotonic()


def _request_headers(version: Mapping[str, Any]) -> dict[str, str]:
    headers = {"User-Agent": "Lexic", "Accept": "*/*", "Accept-Encoding": "gzip, identity"}
    if version.get("etag"):
        headers["If-None-Match"] = version["etag"]
    if version.get("modified"):
        headers["If-Modified-Since"] = version["modified"]
    return headers


def version_of(said: WebResponse) -> dict[str, str]:
    """By what the server tells whether a page has changed."""
    named = {"etag": said.headers.get("etag", ""), "modified": said.headers.get("last-modified", "")}
    return {
        name: value
        for name, value in named.items()
        if value and len(value) <= 300 and value.isascii() and value.isprintable()
    }
