"""The limits of keys and addresses, which each view checks, and the headers that say what is left of a key's."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from accounts import visitors
from accounts.models import ApiKey
from accounts.rate_limits import MINUTE, Allowance, KeyLimitReached, count_key_request, count_or_wait
from lexic.middleware.response_middleware import response_middleware


class ApiKeyThrottle(BaseThrottle):
    """Counts the request against the key's limits. People who have signed in have none here.

    The `Allowance` stays on the request: `get_allowance(request)`.
    """

    _allowance: Allowance | None = None

    def allow_request(self, request: Request, view: Any) -> bool:
        if not isinstance(request.auth, ApiKey):
            return True
        self._allowance = count_key_request(request.auth)
        request._request.allowance = self._allowance  # type: ignore[attr-defined]
        return not self._allowance.is_refused

    def wait(self) -> float | None:
        return self._allowance.retry_after if self._allowance else None


def count_more(request: Request, amount: int) -> None:
    """Counts so many more questions of this request against the key's limits, all or none. Raises `KeyLimitReached`."""
    if amount and isinstance(request.auth, ApiKey):
        allowance = count_key_request(request.auth, amount=amount)
        request._request.allowance = allowance  # type: ignore[attr-defined]
        if allowance.is_refused:
            raise KeyLimitReached(wait=allowance.retry_after or 0)


class AnonymousThrottle(BaseThrottle):
    """Counts the requests of an IP address to the public views, which need no authentication."""

    _wait: float | None = None

    def allow_request(self, request: Request, view: Any) -> bool:
        limits = {MINUTE: settings.READER_PER_MINUTE}
        self._wait = count_or_wait(f"reader:{visitors.visitor_id(request._request)}", limits)
        return self._wait is None

    def wait(self) -> float | None:
        return self._wait


def get_allowance(request: Request | HttpRequest) -> Allowance | None:
    """What the key of this request may still do; None without a key, or before it was counted."""
    return getattr(getattr(request, "_request", request), "allowance", None)


def _with_rate_limit_headers(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """`X-RateLimit-*` on every answer to a request that was counted: errors and streams as well."""
    if allowance := get_allowance(request):
        for name, value in allowance.headers().items():
            response.headers[name] = value
    return response


rate_limit_headers = response_middleware(_with_rate_limit_headers)
