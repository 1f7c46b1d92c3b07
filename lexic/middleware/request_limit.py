"""Limits how many requests this process works on at once to the number of its database connections. The others wait for
their turn instead of for a connection, which would fail after a few seconds."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from asgiref.sync import SyncToAsync, iscoroutinefunction
from django.conf import settings
from django.db import connections
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

from lexic.concurrency import ConcurrencyLimit, Overloaded, Place
from lexic.database import release_connections
from lexic.http.error_handlers import outage_response
from lexic.middleware.response_middleware import Middleware

# Load balancers ask these, also of a process that has much to do.
_UNLIMITED_PATHS = frozenset({"/healthz", "/readyz"})
_place: ContextVar[Place | None] = ContextVar("request_place", default=None)


@sync_and_async_middleware
def request_limit(get_response: Callable[[HttpRequest], Any]) -> Middleware:
    """Holds a slot until the view has returned or calls `free_request_slot`: a stream is sent without one. Without an
    event loop the server has as many threads as it wants to work at once."""
    if not iscoroutinefunction(get_response):
        return get_response

    async def async_middleware(request: HttpRequest) -> HttpResponseBase:
        if request.path in _UNLIMITED_PATHS:
            return await get_response(request)
        try:
            place = request_slots().enter()
        except Overloaded as error:
            return outage_response(request, error)
        _place.set(place)
        try:
            await place.take_slot()
            response = await get_response(request)
        except asyncio.CancelledError:
            _after_view(place.leave)
            raise
        except BaseException:
            place.leave()
            raise
        place.leave()
        return response

    return async_middleware


def _after_view(leave: Callable[[], None]) -> None:
    """Called when the thread of this request has nothing to do any more: cancelling a request ends no thread."""
    context = SyncToAsync.thread_sensitive_context.get(None)
    thread = SyncToAsync.context_to_thread_executor.get(context) if context else None
    if thread is None:
        leave()
    else:
        thread.submit(leave)


def free_request_slot() -> None:
    """Lets the next request in: from now on this one only waits, or works on what has a limit of its own."""
    if place := _place.get():
        place.free_slot()


def free_slot_and_connections() -> None:
    """For whoever waits for another server from now on: meanwhile the request holds neither a slot nor a connection to
    the database. Inside a transaction both stay: a request that holds a connection without a slot lets in one more than
    there are connections for."""
    if any(each.in_atomic_block for each in connections.all(initialized_only=True)):
        return
    with release_connections():
        free_request_slot()


@functools.cache
def request_slots() -> ConcurrencyLimit:
    """The request slots of this process."""
    return ConcurrencyLimit(slots=settings.REQUESTS_AT_ONCE, queue=settings.REQUEST_QUEUE, kind="requests")
