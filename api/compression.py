"""Answers of the API are compressed, where no secret could be guessed by their length (BREACH).

Who wants to guess makes a browser send requests with somebody's cookies. So an answer to a request with cookies is
never compressed, and neither is a page for people. Streams are not: their events must not wait for one another.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.middleware.gzip import GZipMiddleware

_PATHS = ("/api/", "/v1/", "/a2a/")


class JsonCompressionMiddleware(GZipMiddleware):
    """Compresses JSON for requests without cookies that accept gzip. A strong `ETag` becomes a weak one."""

    def process_response(self, request: HttpRequest, response: Any) -> Any:
        is_json = response.get("Content-Type", "").startswith("application/json")
        if request.path.startswith(_PATHS) and is_json and not response.streaming and not request.COOKIES:
            return super().process_response(request, response)
        return response
