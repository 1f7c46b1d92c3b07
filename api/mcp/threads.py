"""Between the event loop of the protocol and work that blocks, or that must be ended in peace."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

import anyio
from asgiref.sync import sync_to_async

from lexic.database import release_connections

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Database work off the event loop; its connection is free again when it returns."""

    def run() -> T:
        with release_connections():
            return work(*args, **kwargs)

    return await sync_to_async(run)()


async def run_shielded(work: Coroutine[Any, Any, T]) -> T:
    """The work, in a task of its own. When the caller leaves it is cancelled once, and may clean up behind itself.

    The library cancels a call again at each await, until it gives in: what it does last would not be done.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.wait([task])
        raise
