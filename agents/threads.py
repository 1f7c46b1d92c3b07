"""Work for a thread: that of the database and of the processor, off the event loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from asgiref.sync import sync_to_async

from lexic.database import release_connections

P = ParamSpec("P")
T = TypeVar("T")


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What the work gives, done on a thread. Its connection to the database is free again when this returns."""

    def run() -> T:
        with release_connections():
            return work(*args, **kwargs)

    return await sync_to_async(run)()
