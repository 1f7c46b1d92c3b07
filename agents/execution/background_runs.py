"""Executes agent runs on an event loop of their own, so that a run goes on when its client disconnects."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Coroutine
from functools import cache
from typing import Any
from uuid import UUID

from asgiref.sync import ThreadSensitiveContext

from agents.execution.execute_run import execute_run
from agents.models import STOP_SECONDS, AgentRun
from lexic.database import in_thread

_working_on: set[UUID] = set()


def start(run: AgentRun) -> None:
    """Begins to work on a run that this process holds, and returns at once."""
    _working_on.add(run.pk)
    _submit(_work_on(run))


def resume_if_abandoned(run_id: UUID) -> None:
    """Begins to work on a run whose process has died."""
    if run := _take_over(run_id):
        start(run)


def _take_over(run_id: UUID) -> AgentRun | None:
    """The run, which this process holds now; None where its process lives. One that this process works on has not died,
    however late a busy machine lets it renew its lease."""
    run = None if run_id in _working_on else AgentRun.objects.filter(pk=run_id).first()
    return run if run is not None and run.take_over() else None


def stop(run: AgentRun) -> None:
    """Has whoever works on the run stop it, and returns at once. Where its process has died, this one ends it."""
    if run.has_ended:
        return
    run.request_cancel()
    _submit(_end_abandoned(run.pk))


async def _end_abandoned(run_id: UUID) -> None:
    """Ends a run that was cancelled and whose process has ended."""
    await asyncio.sleep(STOP_SECONDS + 0.2)
    async with ThreadSensitiveContext():
        run = await in_thread(_take_over, run_id)
    if run is not None:
        _working_on.add(run.pk)
        await _work_on(run)


async def _work_on(run: AgentRun) -> None:
    try:
        await execute_run(run)
    finally:
        _working_on.discard(run.pk)


def _submit(work: Coroutine[Any, Any, None]) -> None:
    # Outside the context of the request, whose thread the work would wait for.
    contextvars.Context().run(asyncio.run_coroutine_threadsafe, work, _event_loop())


@cache
def _event_loop() -> asyncio.AbstractEventLoop:
    """A loop on a thread that ends with the process. What it leaves undone another process takes up."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="agent runs", daemon=True).start()
    return loop
