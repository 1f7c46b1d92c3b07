"""The progress of a run, read from its journal: the planner decides by it, and a process that resumes the run starts
from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.journal.journaled_searches import JournaledSearch
from agents.models import AgentEvent, EventKind
from querying.answering.findings import Findings
from querying.types.token_usage import Usage


@dataclass(frozen=True, kw_only=True)
class Call:
    """A call of a tool that the planner has decided on. `number` counts the calls of the run from 1. A call with an
    `error` is not made, because its input could not be read."""

    id: str
    number: int
    tool: str
    input: Mapping[str, Any]
    error: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class FinishedCall:
    """A call that has ended. `result` is what the tool returned, `error` is the error if it failed."""

    call: Call
    result: Any = None
    error: Mapping[str, Any] | None = None
    ms: int = 0

    @property
    def error_text(self) -> str:
        """The error and its hint as one text; empty if there was no error."""
        return f"{self.error['error']} {self.error['hint']}".strip() if self.error else ""


@dataclass
class Progress:
    """`turns` are the calls that the planner decided on together, `said` the text that a model wrote with each of them.
    `findings` has those of each search that this process made, `found` what the journal has of all. `text` was shown so
    far, with `citations` as they were shown. `usage` is what the run had used when the last turn was decided on."""

    turns: list[list[Call]] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    started: set[str] = field(default_factory=set)
    finished: dict[str, FinishedCall] = field(default_factory=dict)
    found: dict[str, JournaledSearch] = field(default_factory=dict)
    findings: dict[str, Findings] = field(default_factory=dict)
    agent_type: str = ""
    text: str = ""
    citations: list[dict[str, Any]] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)

    @classmethod
    def read(cls, events: Iterable[AgentEvent]) -> Progress:
        progress = cls()
        for event in events:
            progress.add(event.kind, event.data)
        return progress

    def add(self, kind: str, data: Mapping[str, Any]) -> None:
        """Adds the next event of the journal."""
        if kind == EventKind.TURN:
            self.turns.append([Call(**call) for call in data["calls"]])
            self.said.append(data.get("said", ""))
            self.usage = Usage(**data.get("usage", {}))
        elif kind == EventKind.AGENT_TYPE:
            self.agent_type = data["type"]
        elif kind == EventKind.STEP_START:
            self.started.add(data["callId"])
        elif kind == EventKind.STEP_END:
            self.finished[data["callId"]] = FinishedCall(
                call=self._call(data["callId"]), result=data["result"], error=data["error"], ms=data["ms"]
            )
        elif kind == EventKind.FOUND:
            self.found[data["callId"]] = JournaledSearch.from_json(data)
        elif kind == EventKind.CONTENT:
            self.text += data["text"]
        elif kind == EventKind.SOURCE:
            self.citations = data["citations"]

    @property
    def calls(self) -> list[Call]:
        return [call for turn in self.turns for call in turn]

    @property
    def open_calls(self) -> list[Call]:
        """The calls of the last turn that have not ended."""
        return [call for call in self.turns[-1] if call.id not in self.finished] if self.turns else []

    @property
    def results(self) -> list[FinishedCall]:
        """The results of all finished calls, in the order of the calls."""
        return [self.finished[call.id] for call in self.calls if call.id in self.finished]

    @property
    def read_documents(self) -> list[str]:
        """The ids of the documents that calls were given and have read."""
        read = (one.call.input.get("documentId") for one in self.results if not one.error)
        return list(dict.fromkeys(pk for pk in read if pk))

    def results_of(self, turn: Sequence[Call]) -> list[FinishedCall]:
        """The results of this turn's calls, in the order of the calls."""
        return [self.finished[call.id] for call in turn if call.id in self.finished]

    def has_called(self, tool: str) -> bool:
        return any(one.call.tool == tool for one in self.results)

    def cancelled_calls(self) -> list[dict[str, Any]]:
        """The end events of the calls whose beginning was shown and whose end was not."""
        error = {"error": "This was stopped.", "code": "cancelled", "hint": ""}
        return [
            {"callId": call.id, "number": call.number, "tool": call.tool, "result": None, "error": error, "ms": 0}
            for call in self.open_calls
            if call.id in self.started
        ]

    def _call(self, call_id: str) -> Call:
        return next(call for call in self.calls if call.id == call_id)
