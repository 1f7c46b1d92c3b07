"""A conversation as exchanges, each a question and its answer, without what nobody may read any more."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from conversations.models import ChatMessage, ChatSession
from querying.presentation.answer import referenced_document_ids
from querying.question import document_access
from querying.types import Outcome


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """`answer` is None where it was stopped, or is being written. `is_withdrawn` says that the answer used a document
    which is no longer public or no longer granted to the plugin, so that nothing of it is shown or used again."""

    question: ChatMessage
    answer: ChatMessage | None
    is_withdrawn: bool = False

    @property
    def id(self) -> UUID:
        return self.question.query_id

    @property
    def outcome(self) -> str:
        return str(self.answer.answer.get("outcome", "")) if self.answer else ""

    @property
    def asks_back(self) -> bool:
        return self.outcome == Outcome.CLARIFY and not self.is_withdrawn


def exchanges_of(session: ChatSession, *, only: UUID | None = None) -> list[Exchange]:
    """In the order in which they were asked; `only` limits them to the one with this id. Two statements."""
    messages = list(session.messages.filter(query_id=only) if only else session.messages.all())
    documents = {message.pk: set(referenced_document_ids(message.answer)) for message in messages}
    named = set().union(*documents.values())
    readable = document_access.publicly_quoted(named, plugin=session.plugin, only_public=True)
    answers = {message.query_id: message for message in messages if message.role == ChatMessage.Role.ASSISTANT}
    exchanges = []
    for question in messages:
        if question.role == ChatMessage.Role.USER:
            answer = answers.get(question.query_id)
            is_withdrawn = answer is not None and not documents[answer.pk] <= readable
            exchanges.append(Exchange(question=question, answer=answer, is_withdrawn=is_withdrawn))
    return exchanges
