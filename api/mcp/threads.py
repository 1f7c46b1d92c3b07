"""How the protocol's event loop runs work that blocks, and work that must not be cancelled half-way."""

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
    """Runs database work in a thread, and frees its connection when it returns."""

    def run() -> T:
        with release_connections():
            return work(*args, **kwargs)

    return await sync_to_async(run)()


async def run_shielded(work: Coroutine[Any, Any, T]) -> T:
    """The work, in a task of its own that is cancelled once when the caller leaves, so that it can clean up.

    The library cancels a call again at each `await`. Without the shield the clean-up would be cancelled as well.
    """
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.cancel()
        with anyio.CancelScope(shield=True):
            await asyncio.wait([task])
        raise
