"""A conversation as exchanges, each a question and what came of it, without what anybody may no longer read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from conversations.models import ChatMessage, ChatSession
from querying import audience
from querying.types import Outcome


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """`answer` is None where it was stopped, or is being written. `is_withdrawn`: it spoke of a document that is not
    public any more, so nothing of it is shown or used again."""

    said: ChatMessage
    answer: ChatMessage | None
    is_withdrawn: bool = False

    @property
    def outcome(self) -> str:
        return str(self.answer.answer.get("outcome", "")) if self.answer else ""

    @property
    def asks_back(self) -> bool:
        return self.outcome == Outcome.CLARIFY and not self.is_withdrawn


def exchanges_of(session: ChatSession, *, only: UUID | None = None) -> list[Exchange]:
    """In the order in which they were asked; `only` one of them, by its question's id. Two statements."""
    messages = list(session.messages.filter(query_id=only) if only else session.messages.all())
    named = {pk for message in messages for pk in _documents(message.answer)}
    readable = _public(named)
    answers = {one.query_id: one for one in messages if one.role == ChatMessage.Role.ASSISTANT}
    said = [one for one in messages if one.role == ChatMessage.Role.USER]
    return [_exchange(one, answers.get(one.query_id), readable=readable) for one in said]


def _exchange(said: ChatMessage, answer: ChatMessage | None, *, readable: set[str]) -> Exchange:
    gone = answer is not None and not set(_documents(answer.answer)) <= readable
    return Exchange(said=said, answer=answer, is_withdrawn=gone)


def _documents(answer: Mapping[str, Any]) -> Iterator[str]:
    """Those that it cites or names."""
    places: Sequence[Mapping[str, Any]] = [*(answer.get("citations") or []), *(answer.get("nearest") or [])]
    return (str(one["documentId"]) for one in places if one.get("documentId"))


def _public(documents: set[str]) -> set[str]:
    if not documents:
        return set()
    found = audience.of_anybody().documents().filter(pk__in=documents)
    return {str(pk) for pk in found.values_list("pk", flat=True)}
