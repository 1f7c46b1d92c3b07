"""Middleware on the event loop. Django gives each of its own a thread, twice for each request: for what takes less time
than the way to the thread and back. What waits for something, or has much to compute, is still done on a thread."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.messages.middleware import MessageMiddleware
from django.contrib.sessions.middleware import SessionMiddleware
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.clickjacking import XFrameOptionsMiddleware
from django.middleware.common import CommonMiddleware
from django.middleware.csrf import CsrfViewMiddleware
from django.middleware.security import SecurityMiddleware
from django.utils.deprecation import MiddlewareMixin

from lexic.middleware.csp import ContentSecurityPolicyMiddleware

Waits = Callable[[HttpRequest, HttpResponseBase], bool]
AsyncCall = Callable[[Any, HttpRequest], Coroutine[Any, Any, HttpResponseBase]]


def on_loop(waits: Waits = lambda request, response: False) -> AsyncCall:
    """For `__acall__` of a middleware whose `process_request` waits for nothing. `waits`: whether `process_response`
    does, for this response."""

    async def call(self: Any, request: HttpRequest) -> HttpResponseBase:
        response = self.process_request(request) if hasattr(self, "process_request") else None
        response = response or await self.get_response(request)
        if not hasattr(self, "process_response"):
            return response
        if waits(request, response):
            return await sync_to_async(self.process_response, thread_sensitive=True)(request, response)
        return self.process_response(request, response)

    return call


def _saves_session(request: HttpRequest, response: HttpResponseBase) -> bool:
    return settings.SESSION_SAVE_EVERY_REQUEST or getattr(request.session, "modified", True)


def _stores_messages(request: HttpRequest, response: HttpResponseBase) -> bool:
    """A page has shown some, or some were added: they may be kept in the session."""
    messages: Any = getattr(request, "_messages", None)
    return messages is not None and (messages.used or messages.added_new)


_WAITS: dict[type[MiddlewareMixin], Waits | None] = {
    SecurityMiddleware: None,
    ContentSecurityPolicyMiddleware: None,
    CommonMiddleware: None,
    CsrfViewMiddleware: None,
    AuthenticationMiddleware: None,
    XFrameOptionsMiddleware: None,
    SessionMiddleware: _saves_session,
    MessageMiddleware: _stores_messages,
}


def keep_on_loop() -> None:
    """From now on Django's middleware of `settings.MIDDLEWARE` is called on the event loop. It keeps its names there,
    by which Django's checks look for it."""
    for middleware, waits in _WAITS.items():
        setattr(middleware, "__acall__", on_loop(waits) if waits else on_loop())  # noqa: B010 -- a method, to mypy
