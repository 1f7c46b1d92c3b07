"""The definition of a tool: its name, the JSON schema of its input, and the function that runs it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from accounts.models import Principal
from agents.models import AgentType, EventKind
from conversations.models import ChatSession
from lexic.errors import LexicError
from querying.answering.findings import Findings
from querying.llm_interface import LLM
from querying.types.question import Question

# Seconds that a tool may take, before the setting for thinking makes it half as much again.
SIMPLE_SECONDS, MODEL_SECONDS, SEARCH_SECONDS = 30.0, 45.0, 60.0

Events = tuple[tuple[EventKind, Mapping[str, Any]], ...]


@dataclass(frozen=True, kw_only=True)
class ToolContext:
    """For whom a tool works: the principal, the conversation, and the message as a question to the release and the
    private layers. A tool reads no others, whatever its input says. `said` is what the person wrote in the
    conversation. `call_key` is the same when another process makes the same call of the same run again."""

    principal: Principal
    session: ChatSession
    question: Question
    llm: LLM
    said: tuple[str, ...] = ()
    call_key: str = ""


@dataclass(frozen=True, kw_only=True)
class ToolOutput:
    """What the planner and the reader are told, further events for the reader, and what a search found."""

    result: Any
    events: Events = ()
    findings: Findings | None = None


@dataclass(frozen=True, kw_only=True)
class Tool:
    """`parameters` is the JSON schema of its input. `agent_type` is what a run becomes whose first mapped call this
    is. The time of one that `waits_for_worker` does not count for the run's budget."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    call: Callable[[ToolContext, Mapping[str, Any]], Awaitable[ToolOutput]]
    seconds: float = SIMPLE_SECONDS
    agent_type: AgentType | None = None
    waits_for_worker: bool = False


@dataclass(frozen=True, kw_only=True)
class CallOutcome:
    """How a call ended. `error` is `{error, code, hint}` where it failed; then there is no result."""

    result: Any = None
    error: Mapping[str, Any] | None = None
    events: Events = ()
    findings: Findings | None = field(default=None, compare=False)

    @classmethod
    def from_error(cls, error: LexicError) -> CallOutcome:
        return cls(error=error.as_dict())


def schema(*required: str, **properties: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON schema of an object with these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }
