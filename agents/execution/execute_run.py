"""Works on a run until it has ended: commits what the loop yields, holds the lease, and hears when it is to stop."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace

from asgiref.sync import ThreadSensitiveContext
from django.conf import settings
from django.db import DatabaseError

from agents.execution.load_assignment import layer_pins, principal_of, read_assignment
from agents.execution.loop import RunOutcome, run_loop
from agents.execution.resumable_text import Entry
from agents.execution.run_context import RunCancelled, RunContext
from agents.execution.run_end import CANCELLED, answer_message, done_data, last_entries, partial_answer_message
from agents.execution.run_trace import send_run_trace
from agents.journal.progress import Progress
from agents.message_attachments import wait_until_read
from agents.models import AgentRun, EventKind, EventTooLarge, RunInterrupted, RunState, RunTakenOver
from agents.planners.llm_planner import ModelPlanner
from agents.planners.planner_types import Assignment, RunPlanner
from agents.planners.rule_planner import RulesPlanner
from agents.tools.registry import TOOLS
from agents.tools.tool_types import ToolContext
from conversations.models import ChatMessage
from lexic.database import in_thread
from lexic.errors import LexicError
from lexic.infrastructure_errors import outage_error
from querying.answering.llms import get_llm
from querying.answering.untrusted_text import UntrustedTextDelimiter
from querying.llm_interface import LLM
from querying.types.answer import Outcome
from querying.types.token_usage import Usage

logger = logging.getLogger(__name__)
# Seconds between two looks at whether the person has asked to stop; they wait for two at most.
_CANCEL_CHECK_SECONDS = 0.5
# How many times a lease is renewed within its length.
_RENEWALS = 4


class RunFailed(LexicError):
    """Something went wrong on our side."""

    code = "internal"
    hint = "What has been written is kept. Send your message again."


async def execute_run(run: AgentRun) -> None:
    """Works on the run, which this process holds. When this returns the journal has its last event, unless another
    process has taken the run over or the database is away."""
    outside = contextvars.copy_context()
    cancelled = asyncio.Event()
    try:
        async with ThreadSensitiveContext(), _lease_held(run, cancelled):
            await _work_and_end(run, cancelled=cancelled, outside=outside)
            await in_thread(send_run_trace, run)
    except RunTakenOver:
        logger.info("run %s goes on elsewhere, or is gone", run.pk)
    except Exception:
        logger.exception("the work on run %s broke off", run.pk)


async def _work_and_end(run: AgentRun, *, cancelled: asyncio.Event, outside: contextvars.Context) -> None:
    progress = await in_thread(lambda: Progress.read(run.events.order_by("number")))
    try:
        if run.has_died_too_often:
            raise RunCancelled if await in_thread(run.is_cancel_requested) else RunInterrupted
        if await wait_until_read(run, is_cancelled=cancelled.is_set):
            await in_thread(_pin_layers_again, run)
        context = await in_thread(_prepare, run, progress, cancelled, outside)
        await _work(context)
    except RunCancelled:
        await in_thread(_end_cancelled, run, progress)
    except RunTakenOver:
        raise
    except Exception as error:
        await in_thread(_end_failed, run, progress, _as_lexic_error(run, error))


def _prepare(run: AgentRun, progress: Progress, cancelled: asyncio.Event, outside: contextvars.Context) -> RunContext:
    """Raises `RunCancelled`, and `LexicError` where its person may not ask any more."""
    if run.is_cancel_requested():
        raise RunCancelled
    principal, llm = principal_of(run), get_llm(run.model)
    assignment = read_assignment(run, principal)
    if assignment.question.text != run.message.asked:
        ChatMessage.objects.filter(pk=run.message_id).update(asked=assignment.question.text, is_reply=True)
    context = ToolContext(
        principal=principal, session=run.session, question=assignment.question, llm=llm, said=assignment.said
    )
    return RunContext(
        run=run,
        assignment=assignment,
        tool_context=context,
        planner=_planner(run, assignment, llm),
        progress=progress,
        llm=llm,
        outside=outside,
        cancelled=cancelled,
        usage=progress.usage,
        tokens_before=max(0, run.tokens - progress.usage.total),
        worked_before=_seconds_worked(progress),
    )


def _seconds_worked(progress: Progress) -> float:
    """What the calls of earlier processes took, without those that waited for a worker."""
    waiting = {tool.name for tool in TOOLS.values() if tool.waits_for_worker}
    return sum(one.ms for one in progress.results if one.call.tool not in waiting) / 1000


def _planner(run: AgentRun, assignment: Assignment, llm: LLM) -> RunPlanner:
    by_rules = RulesPlanner(assignment)
    if by_rules.leaves_draft or not llm.can_converse:
        return by_rules
    return ModelPlanner(
        assignment,
        llm=llm,
        fence=UntrustedTextDelimiter.of_run(run.pk),
        thinking_tokens=run.thinking_tokens if run.thinks else 0,
    )


def _pin_layers_again(run: AgentRun) -> None:
    """What came with the message has been read since the run began: it reads the private layers as they stand now."""
    private = {pin["knowledge_base"] for pin in run.layers}
    layers = layer_pins(principal_of(run), run.session.project)
    run.knowledge = [*(pin for pin in run.knowledge if pin["knowledge_base"] not in private), *layers]
    run.layers = layers
    run.save(update_fields=["knowledge", "layers"])


async def _work(context: RunContext) -> None:
    async with aclosing(run_loop(context)) as items:
        async for item in items:
            if context.cancelled.is_set():
                raise RunCancelled
            if isinstance(item, RunOutcome):
                await in_thread(_end, context, item)
            else:
                await _commit(context, item)


async def _commit(context: RunContext, entries: list[Entry]) -> None:
    context.note_usage()
    context.run.agent_type = next(
        (data["type"] for kind, data in entries if kind == EventKind.AGENT_TYPE), context.run.agent_type
    )
    try:
        await in_thread(context.run.append, *entries)
    except EventTooLarge as error:
        failed = {"result": None, "error": error.as_dict()}
        entries = [(kind, {**data, **failed}) for kind, data in entries if kind == EventKind.STEP_END]
        if not entries:
            raise
        await in_thread(context.run.append, *entries)
    for kind, data in entries:
        context.progress.add(kind, data)


def _end(context: RunContext, ending: RunOutcome) -> None:
    run, answer = context.run, ending.answer
    context.usage += answer.usage
    context.note_usage()
    ending = replace(ending, answer=replace(answer, usage=context.usage))
    state = RunState.WAITING if answer.outcome == Outcome.CLARIFY else RunState.DONE
    run.end(state, *last_entries(ending), answer=answer_message(run, ending, context.progress))


def _end_cancelled(run: AgentRun, progress: Progress) -> None:
    cut_off = [(EventKind.STEP_END, data) for data in progress.cancelled_calls()]
    done = done_data(CANCELLED, stopped=CANCELLED, usage=Usage())
    kept = partial_answer_message(run, progress, outcome=Outcome.ABANDONED, error="You stopped this.")
    run.end(RunState.CANCELLED, *cut_off, (EventKind.DONE, done), answer=kept)


def _end_failed(run: AgentRun, progress: Progress, error: LexicError) -> None:
    run.fail(error, answer=partial_answer_message(run, progress, outcome=Outcome.FAILED, error=error.message_with_hint))


def _as_lexic_error(run: AgentRun, error: Exception) -> LexicError:
    if isinstance(error, LexicError):
        return error
    logger.error("run %s failed", run.pk, exc_info=error)
    return outage_error(error) or RunFailed()


@asynccontextmanager
async def _lease_held(run: AgentRun, cancelled: asyncio.Event) -> AsyncIterator[None]:
    """Renews the lease inside the block, and sets `cancelled` when the run is to stop, or is not ours any more."""
    watch = asyncio.ensure_future(_watch(run, cancelled))
    try:
        yield
    finally:
        watch.cancel()
        await asyncio.gather(watch, return_exceptions=True)


async def _watch(run: AgentRun, cancelled: asyncio.Event) -> None:
    clock = asyncio.get_running_loop().time
    renewed, renewal = clock(), settings.AGENTS.lease_seconds / _RENEWALS
    while not cancelled.is_set():
        await asyncio.sleep(min(_CANCEL_CHECK_SECONDS, renewal))
        try:
            if await in_thread(run.is_cancel_requested):
                cancelled.set()
            elif clock() - renewed >= renewal:
                await in_thread(run.renew)
                renewed = clock()
        except RunTakenOver:
            cancelled.set()
        except DatabaseError:  # the lease may lapse; then another process goes on
            logger.warning("the lease of run %s could not be renewed", run.pk)
