"""What a browser may load on our pages: our own files, and nothing from anywhere else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

HEADER = "Content-Security-Policy"
# No inline script, no inline style, no `eval`.
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    ]
)


# The builder's theme computes expressions in attributes and sets style attributes; it draws no text of strangers as
# markup, and still loads nothing from elsewhere.
_BUILDER_PATH = "/admin/"
BUILDER_POLICY = POLICY.replace("script-src 'self'", "script-src 'self' 'unsafe-eval'").replace(
    "style-src 'self'", "style-src 'self' 'unsafe-inline'"
)


@sync_and_async_middleware
def content_security_policy(
    get_response: Callable[[HttpRequest], Any],
) -> Callable[[HttpRequest], HttpResponseBase] | Callable[[HttpRequest], Awaitable[HttpResponseBase]]:
    """Give every response the policy, unless its view chose one of its own."""
    if iscoroutinefunction(get_response):

        async def protect_later(request: HttpRequest) -> HttpResponseBase:
            return _with_policy_header(request, await get_response(request))

        return protect_later

    def protect(request: HttpRequest) -> HttpResponseBase:
        return _with_policy_header(request, get_response(request))

    return protect


def _with_policy_header(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    # The pages that explain an error to a developer carry their own style and script.
    if not (settings.DEBUG and response.status_code >= 400):
        policy = BUILDER_POLICY if request.path.startswith(_BUILDER_PATH) else POLICY
        response.headers.setdefault(HEADER, policy)
    return response
