"""Middleware that looks at each response, made of one function."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

Middleware = Callable[[HttpRequest], HttpResponseBase] | Callable[[HttpRequest], Awaitable[HttpResponseBase]]


def response_middleware(
    after: Callable[[HttpRequest, HttpResponseBase], HttpResponseBase],
    *,
    before: Callable[[HttpRequest], Any] = lambda request: None,
) -> Callable[[Callable[[HttpRequest], Any]], Middleware]:
    """A middleware for both kinds of servers: `before` is given each request, `after` each request with its response,
    and gives the response that is sent. Neither may wait for anything."""

    @sync_and_async_middleware
    def make_middleware(get_response: Callable[[HttpRequest], Any]) -> Middleware:
        if iscoroutinefunction(get_response):

            async def async_middleware(request: HttpRequest) -> HttpResponseBase:
                before(request)
                return after(request, await get_response(request))

            return async_middleware

        def middleware(request: HttpRequest) -> HttpResponseBase:
            before(request)
            return after(request, get_response(request))

        return middleware

    return make_middleware
