"""The loop of an agent: what comes next, the calls of it, and in the end the answer, as entries for the journal.

Each list that it yields is committed at once, before the loop goes on. The last item is the ending.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from agents.execution.resumable_text import Entry, ModelText
from agents.execution.run_context import RunContext, ToolTimedOut
from agents.journal.journaled_searches import found_as_json
from agents.journal.progress import Call, Progress
from agents.models import EventKind
from agents.planners.clarification_detection import model_question
from agents.planners.planner_types import CallTools, ModelTurn, NextStep, OpenDraft, ReadyAnswer, RequestedToolCall
from agents.planners.templated_replies import (
    INVALID_CALL_CODES,
    failure_text,
    goes_on_waiting,
    question_back,
    server_answer,
    waiting_draft_text,
)
from agents.tools.registry import TOOLS, execute_tool
from agents.tools.search_knowledge import SEARCH_KNOWLEDGE
from agents.tools.tool_types import SIMPLE_SECONDS, CallOutcome
from lexic.database import in_thread
from lexic.errors import LexicError
from querying import pipeline
from querying.answering.findings import Findings, combine_findings
from querying.answering.guard import refusal_answer
from querying.answering.llms import get_llm
from querying.llm_interface import THINKING_FACTOR
from querying.query_log.spending import check_spending, count_cost
from querying.types.answer import Answer, Outcome
from querying.types.events import Delta
from querying.types.question import Question
from querying.types.refusals import refusal_text


@dataclass(frozen=True, kw_only=True)
class RunOutcome:
    """The whole answer to `question`; `stopped` is the budget that was used up, if any, or "interrupted" where the
    text and its sources are those in the journal (`keeps_shown`). `state` is kept with it for the next message."""

    answer: Answer
    question: Question
    stopped: str = ""
    state: Mapping[str, Any] = field(default_factory=dict)
    keeps_shown: bool = False


async def run_loop(context: RunContext) -> AsyncGenerator[list[Entry] | RunOutcome]:
    """Goes on from where the journal ends. Raises `RunCancelled`, and `LexicError` where the answer fails."""
    step: NextStep | None = None
    stopped, text = "", ModelText(context)
    while step is None:
        for call in context.progress.open_calls:
            async for entries in _make_call(context, call):
                yield entries
        stopped = context.limit_reached()
        step = await context.planner.next_step(context.progress, may_call=not stopped)
        if isinstance(step, ModelTurn):
            async with aclosing(_write_turn(context, step, text)) as parts:
                async for entries in parts:
                    yield entries
        asked = step.calls if isinstance(step, CallTools | ModelTurn) else ()
        if asked and not text.shown.has_diverged:
            said = step.said if isinstance(step, ModelTurn) else ""
            decided = {"calls": [asdict(call) for call in _calls_within_budget(context, asked)], "said": said}
            yield [(EventKind.TURN, {**decided, "usage": asdict(context.usage)})]
            step = None
    async with aclosing(_write_answer(context, step, text)) as pieces:
        async for piece in pieces:
            yield replace(piece, stopped=piece.stopped or stopped) if isinstance(piece, RunOutcome) else piece


async def _write_turn(context: RunContext, turn: ModelTurn, text: ModelText) -> AsyncGenerator[list[Entry]]:
    """Has the model write, and shows what may be shown. Raises `RunCancelled`, `ProviderFailed`,
    `SpendingCapReached`."""
    await in_thread(check_spending, context.assignment.question, llm=context.llm)
    try:
        async with aclosing(text.write(turn, is_shown=question_back(context.progress) is None)) as parts:
            async for entries in parts:
                yield entries
    finally:
        context.usage += turn.usage
        context.note_usage()
        spent = turn.usage if turn.usage.completion_tokens else turn.estimate
        await in_thread(count_cost, context.assignment.question, spent, llm=context.llm)


def _calls_within_budget(context: RunContext, asked: Sequence[RequestedToolCall]) -> list[Call]:
    """The calls of a turn, as many as the budget still has."""
    made = len(context.progress.calls)
    allowed = asked[: max(0, context.run.budgets["calls"] - made)]
    return [
        Call(id=f"call_{number}", number=number, tool=one.tool, input=dict(one.input), error=one.error)
        for number, one in enumerate(allowed, start=made + 1)
    ]


async def _make_call(context: RunContext, call: Call) -> AsyncGenerator[list[Entry]]:
    tool, shown = TOOLS.get(call.tool), {"callId": call.id, "number": call.number, "tool": call.tool}
    if call.id not in context.progress.started:
        began: list[Entry] = [(EventKind.STEP_START, {**shown, "input": call.input})]
        if tool and tool.agent_type and not context.progress.agent_type:
            began.insert(0, (EventKind.AGENT_TYPE, {"type": tool.agent_type.value}))
        yield began
    since = time.monotonic()
    limit = (tool.seconds if tool else SIMPLE_SECONDS) * (THINKING_FACTOR if context.run.thinks else 1)
    outcome = await _execute_call(context, call, seconds=limit)
    seconds = time.monotonic() - since
    if tool and tool.waits_for_worker:
        context.waited += seconds
    ended = {**shown, "result": outcome.result, "error": outcome.error, "ms": round(seconds * 1000)}
    found: list[Entry] = []
    if outcome.findings:
        context.progress.findings[call.id] = outcome.findings
        context.usage += outcome.findings.usage
        found = [(EventKind.FOUND, found_as_json(outcome.findings, call_id=call.id))]
    yield [*found, (EventKind.STEP_END, ended), *outcome.events]


async def _execute_call(context: RunContext, call: Call, *, seconds: float) -> CallOutcome:
    """How the call ends. Raises `RunCancelled`."""
    if call.error:
        return CallOutcome(error=call.error)
    tool_context = replace(context.tool_context, call_key=f"{context.run.pk}:{call.id}")
    try:
        return await context.within(seconds, execute_tool(call.tool, call.input, tool_context))
    except ToolTimedOut as error:
        return CallOutcome.from_error(error)


async def _write_answer(
    context: RunContext, step: NextStep, text: ModelText
) -> AsyncGenerator[list[Entry] | RunOutcome]:
    """The answer's text in verified parts, each with the citations that it needs, and the ending."""
    if isinstance(step, ModelTurn):
        step = question_back(context.progress) or _own_question(context, step, text) or step
    findings = None if isinstance(step, ReadyAnswer) else await _all_findings(context)
    question = findings.question.asked if findings and not isinstance(step, ModelTurn) else context.assignment.question
    before = text.shown.written
    async with aclosing(context.until_cancelled(_remaining_answer_parts(context, step, text, findings))) as pieces:
        async for piece in pieces:
            if isinstance(piece, Answer):
                answer = piece
            elif entries := await text.shown.add(piece):
                yield entries
    if text.shown.written == before and answer.text != before:  # nothing that had to be verified
        words = Delta(text=f"\n\n{answer.text}" if before else answer.text)
        answer = replace(answer, text=before + words.text, citations=(*text.shown.citations, *answer.citations))
        if entries := await text.shown.add(words):
            yield entries
    draft = _waiting_draft(context, step)
    if draft and not answer.clarification:
        words = Delta(text=f"\n\n{waiting_draft_text(draft)}")
        answer = replace(answer, text=answer.text + words.text)
        if entries := await text.shown.add(words):
            yield entries
    own_state = step.state if isinstance(step, ReadyAnswer) else {}
    state = {**draft.state, "isKept": True} if draft else own_state
    if not answer.text.startswith(context.progress.text):
        answer = Answer(text=context.progress.text, outcome=Outcome.ANSWERED, usage=answer.usage)
        yield RunOutcome(answer=answer, question=question, stopped="interrupted", state=state, keeps_shown=True)
        return
    yield RunOutcome(answer=answer, question=question, state=state)


def _waiting_draft(context: RunContext, step: NextStep) -> OpenDraft | None:
    """The draft that waited before this message, where it waits behind the answer as well."""
    draft = context.assignment.draft
    return draft if draft and goes_on_waiting(step, context.progress) else None


def _own_question(context: RunContext, turn: ModelTurn, text: ModelText) -> ReadyAnswer | None:
    """What the model asks the person, where that is all that the run has written."""
    asked = model_question(turn.said, said=context.assignment.said)
    return asked if asked and text.shown.written.strip() in ("", asked.answer.text) else None


def _search_error(progress: Progress) -> LexicError | None:
    """Why the last search gave nothing, where it failed."""
    failed = [one.error for one in progress.results if one.call.tool == SEARCH_KNOWLEDGE.name and one.error]
    return LexicError(failed[-1]["error"], code=failed[-1]["code"], hint=failed[-1]["hint"]) if failed else None


async def _remaining_answer_parts(
    context: RunContext, step: NextStep, text: ModelText, findings: Findings | None
) -> AsyncGenerator[Delta | Answer]:
    """What is left to be shown of the answer, and the whole of it. Where a model has written nothing that may be shown,
    the answer is quoted from what was found."""
    if isinstance(step, ReadyAnswer):
        yield step.answer
        return
    refusal = refusal_answer("no_evidence", text=refusal_text(context.assignment.question.release))
    if isinstance(step, ModelTurn):
        async with aclosing(text.conclude()) as pieces:
            async for piece in pieces:
                if not (isinstance(piece, Answer) and text.is_empty):
                    yield piece
                    continue
                refusal = piece
        if not text.is_empty:
            return
        if why := failure_text(context.progress):
            yield server_answer(why)
            return
    error = _search_error(context.progress)
    if findings is None and error and not (isinstance(step, ModelTurn) and error.code in INVALID_CALL_CODES):
        raise error  # to say that there is nothing would be wrong
    if findings is None or (refusal.reason == "self_refusal" and findings.is_sufficient):
        yield refusal
        return
    writer = get_llm("extractive") if isinstance(step, ModelTurn) else context.llm
    async with aclosing(pipeline.generate_answer(findings, llm=writer)) as written:
        async for part in written:
            yield part


async def _all_findings(context: RunContext) -> Findings | None:
    """What all searches of the run found; those of an earlier process are recalled from the journal."""
    parts = []
    for call_id, found in context.progress.found.items():
        if call_id not in context.progress.findings:
            context.progress.findings[call_id] = await found.recall(context.assignment.question, llm=context.llm)
        parts.append(context.progress.findings[call_id])
    if not parts:
        return None
    last = parts[-1]
    if len(parts) == 1 or last.clarification or (last.answer and last.answer.outcome == Outcome.ANSWERED):
        return last
    return await in_thread(combine_findings, context.assignment.question, parts, llm=context.llm)
