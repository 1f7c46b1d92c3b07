"""The base of views that programs of every origin may call. Cookies are ignored."""

from __future__ import annotations

import math
from typing import Any

from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.multipartparser import MultiPartParserError
from django.http.response import HttpResponseBase
from django.views.generic import View

from accounts import visitors
from accounts.rate_limits import MINUTE, count_or_wait
from lexic.errors import try_again_in
from lexic.http.strict_json import UnstorableText, check_json

_CORS_HEADERS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, POST",
    "Access-Control-Allow-Headers": "Accept, Authorization, Content-Type, MCP-Protocol-Version",
    "Access-Control-Max-Age": "600",
}


class OpenView(View):
    """`limits`: how many requests of one address in so many seconds, by POST. Hosted assistants sign all their users in
    from a few addresses."""

    limits = {MINUTE: 600}

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        response = self._dispatch_limited(request, *args, **kwargs)
        for name, value in _CORS_HEADERS.items():
            response.headers[name] = value
        return response

    def _dispatch_limited(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if request.method == "OPTIONS":
            return HttpResponse(status=204)
        if request.method == "POST":
            who = f"oauth-{type(self).__name__}:{visitors.visitor_id(request)}"
            if wait := count_or_wait(who, self.limits):
                return oauth_error("temporarily_unavailable", try_again_in(math.ceil(wait)), status=429, wait=wait)
            try:
                check_json(dict(request.POST.lists()))
            except UnstorableText:
                return oauth_error("invalid_request", "The request holds a null character.")
            except (MultiPartParserError, SuspiciousOperation, BadRequest):
                return oauth_error("invalid_request", "The form cannot be read.")
        return super().dispatch(request, *args, **kwargs)

    def http_method_not_allowed(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        refused = oauth_error("invalid_request", "This address does not take this method.", status=405)
        refused["Allow"] = ", ".join(name.upper() for name in self.http_method_names if hasattr(self, name))
        return refused


def oauth_error(code: str, description: str, *, status: int = 400, wait: float | None = None) -> JsonResponse:
    """An error as OAuth writes it (RFC 6749, section 5.2)."""
    headers = {"Cache-Control": "no-store", **({"Retry-After": str(math.ceil(wait))} if wait else {})}
    return JsonResponse({"error": code, "error_description": description}, status=status, headers=headers)
