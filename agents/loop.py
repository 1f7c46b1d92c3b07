"""The loop of an agent: what comes next, the calls of it, and in the end the answer, as entries for the journal.

Each list that it yields is committed at once, before the loop goes on. The last item is the ending.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from agents.models import EventKind
from agents.planners.planner_types import CallTools, GiveAnswer, NextStep, VerifyText
from agents.progress import Call
from agents.run_work import RunWork, ToolTimedOut
from agents.search_results import found_as_json
from agents.tools.registry import TOOLS, execute_tool
from agents.tools.tool_types import SIMPLE_SECONDS, ToolResult
from lexic.database import in_thread
from querying import pipeline
from querying.answering.findings import Findings, combine_findings
from querying.answering.guard import refusal_answer
from querying.answering.verified_text import VerifiedText
from querying.presentation.source_citations import cited_sources
from querying.types import Answer, Citation, Delta, Outcome, Question

Entry = tuple[EventKind, Mapping[str, Any]]
_THINKING_FACTOR = 1.5


@dataclass(frozen=True, kw_only=True)
class Ending:
    """The whole answer to `question`; `stopped` is the budget that was used up, if any, or "interrupted" where the
    text and its sources are those in the journal (`keeps_shown`). `state` is kept with it for the next message."""

    answer: Answer
    question: Question
    stopped: str = ""
    state: Mapping[str, Any] = field(default_factory=dict)
    keeps_shown: bool = False


async def run_loop(work: RunWork) -> AsyncGenerator[list[Entry] | Ending]:
    """Goes on from where the journal ends. Raises `RunCancelled`, and `LexicError` where the answer fails."""
    step: NextStep | None = None
    stopped = ""
    while step is None:
        for call in work.progress.open_calls:
            async for entries in _make_call(work, call):
                yield entries
        stopped = work.limit_reached()
        step = await work.planner.next_step(work.progress, may_call=not stopped)
        if isinstance(step, CallTools):
            work.usage += step.usage
            yield [(EventKind.TURN, {"calls": [asdict(call) for call in _numbered(work, step)]})]
            step = None
    async with aclosing(_answer(work, step)) as pieces:
        async for piece in pieces:
            yield replace(piece, stopped=piece.stopped or stopped) if isinstance(piece, Ending) else piece


def _numbered(work: RunWork, step: CallTools) -> list[Call]:
    """The calls of a turn, as many as the budget still has."""
    made = len(work.progress.calls)
    allowed = step.calls[: max(0, work.run.budgets["calls"] - made)]
    return [
        Call(id=f"call_{number}", number=number, tool=tool, input=dict(given))
        for number, (tool, given) in enumerate(allowed, start=made + 1)
    ]


async def _make_call(work: RunWork, call: Call) -> AsyncGenerator[list[Entry]]:
    tool, shown = TOOLS.get(call.tool), {"callId": call.id, "number": call.number, "tool": call.tool}
    if call.id not in work.progress.started:
        began: list[Entry] = [(EventKind.STEP_START, {**shown, "input": call.input})]
        if tool and tool.agent_type and not work.progress.agent_type:
            began.insert(0, (EventKind.AGENT_TYPE, {"type": tool.agent_type.value}))
        yield began
    since = time.monotonic()
    limit = (tool.seconds if tool else SIMPLE_SECONDS) * (_THINKING_FACTOR if work.run.thinks else 1)
    try:
        context = replace(work.context, call_key=f"{work.run.pk}:{call.id}")
        outcome = await work.within(limit, execute_tool(call.tool, call.input, context))
    except ToolTimedOut as error:
        outcome = ToolResult.from_error(error)
    seconds = time.monotonic() - since
    if tool and tool.waits_for_worker:
        work.waited += seconds
    ended = {**shown, "result": outcome.result, "error": outcome.error, "ms": round(seconds * 1000)}
    found: list[Entry] = []
    if outcome.findings:
        work.progress.findings[call.id] = outcome.findings
        work.usage += outcome.findings.usage
        found = [(EventKind.FOUND, found_as_json(outcome.findings, call_id=call.id))]
    yield [*found, (EventKind.STEP_END, ended), *outcome.events]


async def _answer(work: RunWork, step: NextStep) -> AsyncGenerator[list[Entry] | Ending]:
    """The answer's text in verified parts, each with the citations that it needs, and the ending."""
    question, state = work.assignment.question, {}
    if isinstance(step, GiveAnswer):
        written, state = _given(step.answer), dict(step.state)
    elif isinstance(step, VerifyText):
        written = _verified(work, step)
    else:
        findings = await _all_findings(work)
        question = findings.question.asked if findings else question
        written = pipeline.write(findings, llm=work.llm) if findings else _given(refusal_answer("no_evidence"))
    shown = _ShownText(work)
    async with aclosing(work.until_cancelled(written)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Answer):
                answer = piece
            elif entries := await shown.add(piece):
                yield entries
    if not (shown.written or answer.text).startswith(work.progress.text):
        answer = Answer(text=work.progress.text, outcome=Outcome.ANSWERED, usage=answer.usage)
        yield Ending(answer=answer, question=question, stopped="interrupted", keeps_shown=True)
        return
    if not work.progress.text and answer.text:
        yield [(EventKind.CONTENT, {"text": answer.text})]
    yield Ending(answer=answer, question=question, state=state)


async def _given(answer: Answer) -> AsyncGenerator[Delta | Answer]:
    """An answer that needs no verification: it makes no claim."""
    yield answer


async def _verified(work: RunWork, step: VerifyText) -> AsyncGenerator[Delta | Answer]:
    """A model's text over all passages of the run, with the numbers that the model was given."""
    release = work.assignment.question.release
    text = VerifiedText(mode=release.citation_mode, style=work.assignment.question.options.citation_style)
    for found in work.progress.found.values():
        text.add_passages(found.passages)
    async with aclosing(text.add(step.sentences)) as deltas:
        async for delta in deltas:
            yield delta
    if last := text.finish():
        yield last
    ending, answer = text.conclude(disclaimer=release.disclaimer)
    if ending:
        yield ending
    yield answer


async def _all_findings(work: RunWork) -> Findings | None:
    """What all searches of the run found; those of an earlier process are recalled from the journal."""
    parts = []
    for call_id, found in work.progress.found.items():
        if call_id not in work.progress.findings:
            work.progress.findings[call_id] = await found.recall(work.assignment.question, llm=work.llm)
        parts.append(work.progress.findings[call_id])
    if not parts:
        return None
    last = parts[-1]
    if len(parts) == 1 or last.clarification or (last.answer and last.answer.outcome == Outcome.ANSWERED):
        return last
    return await in_thread(combine_findings, work.assignment.question, parts, llm=work.llm)


@dataclass
class _ShownText:
    """What of the text is new to the reader: a process that takes a run over writes it again from its beginning. Where
    it does not come out the same, what was shown stays, and nothing is added."""

    work: RunWork
    written: str = ""
    citations: list[Citation] = field(default_factory=list)
    known: str = field(init=False)

    def __post_init__(self) -> None:
        self.known = self.work.progress.text

    @property
    def has_diverged(self) -> bool:
        return not self.written.startswith(self.known)

    async def add(self, delta: Delta) -> list[Entry]:
        """The entries that show it; none where it was shown before."""
        is_known = len(self.written) < len(self.known)
        self.written += delta.text
        new = [one for one in dict.fromkeys(delta.citations) if one not in self.citations]
        self.citations += new
        if is_known or self.has_diverged:
            return []
        entries: list[Entry] = [(EventKind.CONTENT, {"text": delta.text})]
        if new:
            sources = await in_thread(cited_sources, new)
            numbered = [
                asdict(replace(source, metadata={**source.metadata, "number": citation.number}))
                for source, citation in zip(sources, new, strict=True)
            ]
            entries.insert(0, (EventKind.SOURCE, {"citations": [*self.work.progress.citations, *numbered]}))
        return entries
