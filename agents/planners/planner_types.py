"""What a planner decides: calls of tools, or that the answer is written."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from uuid import UUID

from agents.progress import Progress
from querying.types import Answer, Question, Usage


@dataclass(frozen=True, kw_only=True)
class Attachment:
    """A document that came with the message."""

    document_id: UUID
    title: str


@dataclass(frozen=True, kw_only=True)
class OpenDraft:
    """A draft that waits for a fact: what is known, and the name of the blank that was asked for."""

    template: str
    facts: Mapping[str, str]
    field: str


@dataclass(frozen=True, kw_only=True)
class Assignment:
    """What a run is to do something about: the message as a question, what came with it, and what was pending."""

    question: Question
    attachments: tuple[Attachment, ...] = ()
    draft: OpenDraft | None = None


@dataclass(frozen=True, kw_only=True)
class CallTools:
    """Calls of one turn, made in this order: the name of a tool, and its input."""

    calls: tuple[tuple[str, Mapping[str, Any]], ...]
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, kw_only=True)
class WriteAnswer:
    """An answer is written from what the searches found."""


@dataclass(frozen=True, kw_only=True)
class GiveAnswer:
    """The answer is there. `state` goes with it in the conversation, for the next message."""

    answer: Answer
    state: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class VerifyText:
    """A model's text, in whole sentences, which are verified over the passages of the run before they are shown."""

    sentences: AsyncGenerator[str | Usage]


NextStep = CallTools | WriteAnswer | GiveAnswer | VerifyText


class Planner(Protocol):
    async def next_step(self, progress: Progress, *, may_call: bool) -> NextStep:
        """What comes next. Where it may not call, there is no turn after this one. Raises `LexicError`."""
        ...
