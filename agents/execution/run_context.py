"""The context of a run: its assignment, the context of its tools, its progress, and its remaining budget."""

from __future__ import annotations

import asyncio
import contextvars
import time
from collections.abc import AsyncGenerator, Awaitable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, TypeVar

from asgiref.sync import ThreadSensitiveContext, sync_to_async

from agents.journal.progress import Progress
from agents.models import AgentRun
from agents.planners.planner_types import Assignment, RunPlanner
from agents.tools.tool_types import ToolContext
from lexic.database import release_connections
from lexic.errors import LexicError
from querying.llm_interface import LLM
from querying.query_log.cost import cost_of
from querying.types.token_usage import Usage

T = TypeVar("T")


class RunCancelled(Exception):
    """The person has asked to stop."""


class ToolTimedOut(LexicError):
    """The tool took too long."""

    code = "tool_timeout"
    hint = "Continue without it, or ask for less at once."


@dataclass
class RunContext:
    """`cancelled` is set when the run is to stop. `outside` is the context in which calls run: each on a thread of its
    own, so that one which hangs holds nothing up. `usage` goes on from what the journal has of earlier processes;
    `tokens_before` and `worked_before` (seconds) are what they used besides; `waited` are the seconds in which a worker
    made a review."""

    run: AgentRun
    assignment: Assignment
    tool_context: ToolContext
    planner: RunPlanner
    progress: Progress
    llm: LLM
    outside: contextvars.Context
    cancelled: asyncio.Event
    tokens_before: int = 0
    worked_before: float = 0.0
    waited: float = 0.0
    usage: Usage = field(default_factory=Usage)
    begun: float = field(default_factory=time.monotonic)

    @property
    def tokens(self) -> int:
        """All that the run has used."""
        return self.tokens_before + self.usage.total

    @property
    def cost(self) -> Decimal | None:
        """Of that, None where it is not known."""
        return cost_of(self.usage, llm=self.llm, was_called=self.llm.can_converse)

    def note_usage(self) -> None:
        """Has the run know what was used; its next event, or its end, stores that."""
        self.run.tokens, self.run.cost = self.tokens, self.cost

    def limit_reached(self) -> str:
        """Which budget is used up, so that no further call is made: `iterations`, `calls`, `tokens` or `seconds`; empty
        where none is. The last iteration is for the answer."""
        limits, progress = self.run.budgets, self.progress
        used = {
            "iterations": len(progress.turns) + 1,
            "calls": len(progress.calls),
            "tokens": self.tokens,
            "seconds": self.worked_before + time.monotonic() - self.begun - self.waited,
        }
        return next((name for name, amount in used.items() if amount >= limits[name]), "")

    async def within(self, seconds: float, work: Coroutine[Any, Any, T]) -> T:
        """What the work gives. Raises `ToolTimedOut` and `RunCancelled` at once, and leaves the work to itself."""
        task = asyncio.get_running_loop().create_task(_on_own_thread(work), context=self.outside.copy())
        await self._wait_for(task, seconds=seconds)
        if task.done():
            return task.result()
        _abandon(task)
        if self.cancelled.is_set():
            raise RunCancelled
        raise ToolTimedOut

    async def until_cancelled(self, pieces: AsyncGenerator[T]) -> AsyncGenerator[T]:
        """The pieces as they come. Raises `RunCancelled` at once, also where none comes."""
        try:
            while True:
                task = asyncio.ensure_future(anext(pieces))
                await self._wait_for(task)
                if not task.done() or self.cancelled.is_set():
                    task.cancel()
                    with suppress(asyncio.CancelledError, StopAsyncIteration, LexicError):
                        await task
                    raise RunCancelled
                try:
                    piece = task.result()
                except StopAsyncIteration:
                    return
                yield piece
        finally:
            await pieces.aclose()

    async def _wait_for(self, task: asyncio.Future[Any], *, seconds: float | None = None) -> None:
        stop = asyncio.ensure_future(self.cancelled.wait())
        try:
            await asyncio.wait({task, stop}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stop.cancel()


async def _on_own_thread(work: Awaitable[T]) -> T:
    """What the work gives. The thread ends with it, so it gives its connections back before."""
    async with ThreadSensitiveContext():
        try:
            return await work
        finally:
            await sync_to_async(release_connections()(lambda: None))()


def _abandon(task: asyncio.Task[Any]) -> None:
    """Cancels work whose result is no longer needed, and ignores its error."""
    task.cancel()
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
