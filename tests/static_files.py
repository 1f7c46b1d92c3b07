"""Lexic's middleware for static files, for Django's own test client, which makes a new chain for each of its instances.

The real one is asynchronous: around it each request of a test would take a thread and a loop of its own, and each
client would look for every file there is. A server that tests start has the real one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from asgiref.sync import async_to_sync, iscoroutinefunction, sync_to_async
from django.conf import settings
from django.http import HttpRequest
from django.utils.decorators import sync_and_async_middleware
from servestatic.middleware import ServeStaticMiddleware


@sync_and_async_middleware
def static_files(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """The real middleware, which a synchronous chain asks for addresses of static files alone."""
    if iscoroutinefunction(get_response):
        return ServeStaticMiddleware(get_response)

    @cache
    def real() -> ServeStaticMiddleware:
        return ServeStaticMiddleware(sync_to_async(get_response))

    def serve(request: HttpRequest) -> Any:
        if request.path_info.startswith(settings.STATIC_URL):
            return async_to_sync(real())(request)
        return get_response(request)

    return serve
