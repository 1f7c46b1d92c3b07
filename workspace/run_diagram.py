"""How a run came to its answer, as a diagram: a reading of its journal, turn by turn and call by call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.journal.progress import Call, FinishedCall, Progress
from agents.models import AgentEvent, AgentRun, EventKind, RunState
from querying.presentation.question_run import format_duration
from workspace.run_labels import REACHED_LIMITS, finished_label, running_label

_MAX_SAID = 160
_ENDS = {
    RunState.RUNNING: "In progress",
    RunState.WAITING: "One question back",
    RunState.DONE: "Answer",
    RunState.FAILED: "Failed",
    RunState.CANCELLED: "Stopped",
}
_NOT_ANSWERED = {"refused": "No answer", "clarify": "One question back"}


@dataclass(frozen=True, kw_only=True)
class DiagramStep:
    """A box of the diagram. `style` is `ok`, `no` or empty; `ms` is None where nothing was measured."""

    label: str
    said: str = ""
    style: str = ""
    ms: int | None = None

    @property
    def duration_text(self) -> str:
        return "" if self.ms is None else format_duration(self.ms)


@dataclass(frozen=True, kw_only=True)
class RunDiagram:
    """The message, then the calls that were decided on together, then the end."""

    begin: DiagramStep
    turns: tuple[tuple[DiagramStep, ...], ...]
    end: DiagramStep


def run_flow(run: AgentRun, events: Iterable[AgentEvent]) -> RunDiagram:
    """The diagram of a run, from the events of its journal in their order."""
    listed = list(events)
    progress = Progress.read(listed)
    attached = [one["title"] for one in run.message.attachments]
    begin = DiagramStep(label="Your message", said=f"with {', '.join(attached)}" if attached else "")
    turns = tuple(tuple(_call_step(call, progress) for call in turn) for turn in progress.turns)
    return RunDiagram(begin=begin, turns=turns, end=_end_step(run, listed, progress))


def _call_step(call: Call, progress: Progress) -> DiagramStep:
    done = progress.finished.get(call.id)
    if done is None:
        return DiagramStep(label=running_label(call.tool), said="not finished")
    if done.error:
        return DiagramStep(label=finished_label(call.tool), said=str(done.error["error"]), style="no", ms=done.ms)
    return DiagramStep(label=finished_label(call.tool), said=_summary(done), style="ok", ms=done.ms)


def _summary(done: FinishedCall) -> str:
    """What came of the call, in a few words."""
    result: Mapping[str, Any] = done.result if isinstance(done.result, Mapping) else {}
    if "citations" in result:
        count = len(result["citations"])
        found = f"{count} passage{'' if count == 1 else 's'}"
        return found if result["isSufficient"] else f"{found}, none of them an answer"
    if "clauses" in result:
        return f"{len(result['clauses'])} clauses"
    if "report" in result:
        return _clipped(result["report"]["summary"])
    if "missing" in result:
        names = ", ".join(one["name"] for one in result["missing"])
        return _clipped(f"still open: {names}") if names else "nothing is open"
    return _clipped(result["document"]["title"]) if "document" in result else ""


def _end_step(run: AgentRun, events: Sequence[AgentEvent], progress: Progress) -> DiagramStep:
    done: Mapping[str, Any] = next((event.data for event in events if event.kind == EventKind.DONE), {})
    label = _NOT_ANSWERED.get(done.get("outcome", ""), _ENDS[RunState(run.state)])
    count = len(progress.citations)
    cited = f"{count} citation{'' if count == 1 else 's'}, each found word for word." if count else ""
    limit = REACHED_LIMITS.get(done.get("stopped") or "", "")
    took = round((run.ended_at - run.created_at).total_seconds() * 1000) if run.ended_at else None
    style = {_ENDS[RunState.FAILED]: "no", _ENDS[RunState.DONE]: "ok"}.get(label, "")
    return DiagramStep(label=label, said=run.error or f"{limit} {cited}".strip(), style=style, ms=took)


def _clipped(text: str) -> str:
    return text if len(text) <= _MAX_SAID else f"{text[: _MAX_SAID - 2].rstrip()} …"
