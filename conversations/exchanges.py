"""A conversation as exchanges, each a question and what came of it, without what anybody may no longer read."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from conversations.models import ChatMessage, ChatSession
from querying.presentation.answer import referenced_document_ids
from querying.question import access
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
    named = {pk for message in messages for pk in referenced_document_ids(message.answer)}
    readable = access.publicly_readable(named)
    answers = {one.query_id: one for one in messages if one.role == ChatMessage.Role.ASSISTANT}
    said = [one for one in messages if one.role == ChatMessage.Role.USER]
    return [_build_exchange(one, answers.get(one.query_id), readable=readable) for one in said]


def _build_exchange(said: ChatMessage, answer: ChatMessage | None, *, readable: set[str]) -> Exchange:
    gone = answer is not None and not set(referenced_document_ids(answer.answer)) <= readable
    return Exchange(said=said, answer=answer, is_withdrawn=gone)
