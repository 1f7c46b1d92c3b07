"""The decisions of a planner: calls of tools, or that the answer is to be written."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from agents.journal.progress import Progress
from agents.message_attachments import Attachment
from querying.types.answer import Answer
from querying.types.question import Question, Turn
from querying.types.token_usage import Usage


@dataclass(frozen=True, kw_only=True)
class OpenDraft:
    """A draft that waits for a fact: what is known, and the name of the blank that was asked for."""

    template: str
    facts: Mapping[str, str]
    field: str

    @property
    def state(self) -> dict[str, Any]:
        """As it is kept with an answer, for the next message."""
        return {"draft": {"template": self.template, "facts": dict(self.facts), "field": self.field}}


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """What a run is to do something about: the message as a question, what came with it, and what was pending.
    `message` is what the person wrote, word for word; after a question back it is the answer to that. `history` is
    what was said before, without marks of sources."""

    question: Question
    message: str = ""
    history: tuple[Turn, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    draft: OpenDraft | None = None

    @property
    def answers_question_back(self) -> bool:
        """Whether the message answers what a search has asked back."""
        return bool(self.message) and self.question.text != self.message

    @property
    def said(self) -> tuple[str, ...]:
        """What the person wrote: now, before, and for the draft that waits."""
        earlier = (turn.content for turn in self.history if turn.role == "user")
        return (self.message, self.question.text, *earlier, *(self.draft.facts.values() if self.draft else ()))


@dataclass(frozen=True, kw_only=True)
class RequestedToolCall:
    """A call that is asked for. `error` is what is wrong with its input where that cannot be read: then the call is
    not made, and this is its result."""

    tool: str
    input: Mapping[str, Any] = field(default_factory=dict)
    error: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class CallTools:
    """Calls of one turn, made in this order."""

    calls: tuple[RequestedToolCall, ...]


@dataclass(frozen=True, kw_only=True)
class ComposeAnswer:
    """An answer is written from what the searches found."""


@dataclass(frozen=True, kw_only=True)
class ReadyAnswer:
    """The answer is there. `state` goes with it in the conversation, for the next message. `leaves_draft`: the draft
    that waited waits no longer."""

    answer: Answer
    state: Mapping[str, Any] = field(default_factory=dict)
    leaves_draft: bool = False


@dataclass(kw_only=True)
class ModelTurn:
    """A turn of a model. `sentences` is its text as it comes, which is verified over the passages of the run before it
    is shown. When that has come to its end, `said` is the text and `calls` is what the model asks for; without calls,
    the text is the end of the answer. `estimate` stands for a `usage` that the provider has not counted."""

    sentences: AsyncGenerator[str]
    said: str = ""
    calls: tuple[RequestedToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)
    estimate: Usage = field(default_factory=Usage)


NextStep = CallTools | ComposeAnswer | ReadyAnswer | ModelTurn


class RunPlanner(Protocol):
    async def next_step(self, progress: Progress, *, may_call: bool) -> NextStep:
        """What comes next. Where it may not call, there is no turn after this one. Raises `LexicError`."""
        ...
