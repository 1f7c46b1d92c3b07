"""Runs work on the protocol's event loop that must not be cancelled half-way."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import anyio

T = TypeVar("T")


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
