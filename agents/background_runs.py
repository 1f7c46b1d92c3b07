"""Runs work in the background of this process, on an event loop of their own: whoever began one may leave."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from functools import cache

from agents.execution import work_on
from agents.models import AgentRun


def start(run: AgentRun) -> None:
    """Begins to work on a run that this process holds, and returns at once."""
    # Outside the context of the request, whose thread the work would wait for.
    contextvars.Context().run(asyncio.run_coroutine_threadsafe, work_on(run), _event_loop())


@cache
def _event_loop() -> asyncio.AbstractEventLoop:
    """A loop on a thread that ends with the process. What it leaves undone another process takes up."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="agent runs", daemon=True).start()
    return loop
