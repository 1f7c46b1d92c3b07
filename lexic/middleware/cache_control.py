"""What a cache between us and people may keep: nothing that was made for one of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.contrib.auth import SESSION_KEY
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.cache import patch_cache_control
from django.utils.decorators import sync_and_async_middleware


@sync_and_async_middleware
def private_cache_control(
    get_response: Callable[[HttpRequest], Any],
) -> Callable[[HttpRequest], HttpResponseBase] | Callable[[HttpRequest], Awaitable[HttpResponseBase]]:
    """Say `Cache-Control: private` of what was made with a look at who has signed in. What is the same for everybody
    stays as its view made it, and so does what visitors get who have not signed in."""
    if iscoroutinefunction(get_response):

        async def mark_later(request: HttpRequest) -> HttpResponseBase:
            return _with_cache_control(request, await get_response(request))

        return mark_later

    def mark(request: HttpRequest) -> HttpResponseBase:
        return _with_cache_control(request, get_response(request))

    return mark


def _with_cache_control(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    # A session that nobody looked at was not read from the database either, and is not for this.
    is_somebodys = request.session.accessed and SESSION_KEY in request.session
    said = response.headers.get("Cache-Control", "")
    if is_somebodys and "public" not in said and "no-store" not in said:
        patch_cache_control(response, private=True)
    return response
