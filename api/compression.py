"""Answers of the API are compressed, where no secret could be guessed by their length (BREACH).

Who wants to guess makes a browser send requests with somebody's cookies. So an answer to a request with cookies is
never compressed, and neither is a page for people. Streams are not: their events must not wait for one another.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

from lexic.middleware.event_loop import on_loop

_PATHS = ("/api/", "/v1/", "/a2a/")


def _may_compress(request: HttpRequest, response: Any) -> bool:
    is_json = response.get("Content-Type", "").startswith("application/json")
    return request.path.startswith(_PATHS) and is_json and not response.streaming and not request.COOKIES


_call_on_loop = on_loop(waits=_may_compress)


class JsonCompressionMiddleware(GZipMiddleware):
    """Compresses JSON for requests without cookies that accept gzip. A strong `ETag` becomes a weak one."""

    def process_response(self, request: HttpRequest, response: Any) -> Any:
        return super().process_response(request, response) if _may_compress(request, response) else response

    async def __acall__(self, request: HttpRequest) -> HttpResponseBase:
        return await _call_on_loop(self, request)
