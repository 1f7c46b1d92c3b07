"""Which pages of other sites may call `/api`, `/v1`, `/mcp` and `/a2a` from a browser (CORS).

None, unless somebody says so: `LEXIC_CORS_ORIGINS` for all of them, a key's `allowed_origins` for calls with that key,
and a plugin's `embed_origins` for its public chat. Cookies are never allowed to come along: a call from another site
is one by a key, or by nobody.

A browser asks first, without the key (a preflight), so it is answered for every origin that some key names.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction, sync_to_async
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from django.utils.decorators import sync_and_async_middleware

from accounts.models import ApiKey
from lexic.database import release_connections
from plugins.models import Plugin

PATHS = ("/api/", "/v1/", "/mcp", "/a2a/")
_PUBLIC_CHAT_PATH = "/api/public/"
_METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE"
_REQUEST_HEADERS = (
    "A2A-Extensions, A2A-Version, Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, "
    "Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, X-Request-Id"
)
_EXPOSED_HEADERS = (
    "Content-Disposition, ETag, Idempotency-Replayed, Mcp-Session-Id, Retry-After, WWW-Authenticate, "
    "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id"
)
# Seconds for which a browser need not ask again. A key that is revoked stops at once all the same.
_PREFLIGHT_MAX_AGE = 600


def allows_origin(origin: str, *, path: str, key: ApiKey | None = None) -> bool:
    """Whether a page of this origin may read answers at this path. Without a key: whether it may with some key."""
    if {"*", origin} & set(settings.CORS_ORIGINS):
        return True
    if path.startswith(_PUBLIC_CHAT_PATH):
        slug = path.removeprefix(_PUBLIC_CHAT_PATH).partition("/")[0]
        named = Plugin.objects.in_public_chat().at_address(slug).filter(embed_origins__contains=[origin])
        return "\x00" not in slug and named.exists()
    if key is not None:
        return origin in key.allowed_origins
    return ApiKey.objects.usable().filter(allowed_origins__contains=[origin]).exists()


def preflight_response(request: HttpRequest) -> HttpResponse | None:
    """The answer to a browser that asks if it may send a request (a preflight); None for any other request, and where
    the origin is not allowed."""
    is_preflight = request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers
    origin = request.headers.get("Origin", "")
    if not (is_preflight and origin and allows_origin(origin, path=request.path)):
        return None
    headers = {
        "Access-Control-Allow-Methods": _METHODS,
        "Access-Control-Allow-Headers": _REQUEST_HEADERS,
        "Access-Control-Max-Age": str(_PREFLIGHT_MAX_AGE),
    }
    return HttpResponse(status=204, headers={**origin_headers(origin), **headers})


def origin_headers(origin: str) -> dict[str, str]:
    """The headers that let a page of this origin read the answer."""
    return {
        "Access-Control-Allow-Origin": origin,
        "Access-Control-Expose-Headers": _EXPOSED_HEADERS,
        "Vary": "Origin",
    }


@sync_and_async_middleware
def cors(
    get_response: Callable[[HttpRequest], Any],
) -> Callable[[HttpRequest], HttpResponseBase] | Callable[[HttpRequest], Awaitable[HttpResponseBase]]:
    """Answers preflights, and lets allowed pages read responses. Other requests pass without a look at the database."""
    if iscoroutinefunction(get_response):

        async def async_middleware(request: HttpRequest) -> HttpResponseBase:
            if not _is_from_a_page(request):
                response: HttpResponseBase = await get_response(request)
                return response
            early = await sync_to_async(_answer_preflight)(request)
            return early or await sync_to_async(_with_headers)(request, await get_response(request))

        return async_middleware

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if not _is_from_a_page(request):
            response: HttpResponseBase = get_response(request)
            return response
        return _answer_preflight(request) or _with_headers(request, get_response(request))

    return middleware


def _is_from_a_page(request: HttpRequest) -> bool:
    return "Origin" in request.headers and request.path.startswith(PATHS)


def _answer_preflight(request: HttpRequest) -> HttpResponse | None:
    with release_connections():
        return preflight_response(request)


def _with_headers(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    origin = request.headers["Origin"]
    with release_connections():
        if allows_origin(origin, path=request.path, key=getattr(request, "api_key", None)):
            for name, value in origin_headers(origin).items():
                response.headers.setdefault(name, value)
    patch_vary_headers(response, ["Origin"])
    return response
