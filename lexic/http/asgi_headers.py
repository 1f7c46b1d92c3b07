"""The headers of responses that Django's middleware does not see: of `/mcp`, and of refusals before Django."""

from __future__ import annotations

import io
from typing import Any

from django.http import HttpResponse
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.security import SecurityMiddleware

from lexic.http.asgi_request import AnyTypeRequest
from lexic.middleware.csp import ContentSecurityPolicyMiddleware
from lexic.middleware.request_id import HEADER, current_request_id

_MIDDLEWARE = (SecurityMiddleware, ContentSecurityPolicyMiddleware, XFrameOptionsMiddleware)


def complete_headers(scope: dict[str, Any], start: dict[str, Any]) -> dict[str, Any]:
    """The beginning of a response (`http.response.start`) with the headers that the middleware would have set."""
    sent = {name.lower() for name, _ in start.get("headers", [])}
    if HEADER.lower().encode() in sent:
        return start
    request, response = AnyTypeRequest({**scope, "query_string": b""}, io.BytesIO()), HttpResponse()
    for middleware in _MIDDLEWARE:
        middleware(lambda request: response).process_response(request, response)
    response.headers[HEADER] = current_request_id()
    more = [(name.lower().encode(), value.encode("latin-1")) for name, value in response.headers.items()]
    added = [(name, value) for name, value in more if name not in sent and name != b"content-type"]
    return {**start, "headers": [*start.get("headers", []), *added]}
