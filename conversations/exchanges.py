"""A conversation as exchanges of question and answer, without what its readers may not read any more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from uuid import UUID

from accounts.models import Principal
from conversations.models import ChatMessage, ChatSession, Project
from knowledge.models import Document
from plugins.models import Plugin
from querying.presentation.answer import referenced_document_ids
from querying.question import document_access
from querying.types.answer import Outcome


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """`answer` is None where it was stopped, or is being written. `is_withdrawn` says that the answer used a document
    which its reader may not be shown any more, so that nothing of it is shown or used again."""

    question: ChatMessage
    answer: ChatMessage | None
    is_withdrawn: bool = False

    @property
    def id(self) -> UUID:
        return self.question.query_id or self.question.uuid

    @property
    def outcome(self) -> str:
        return str(self.answer.metadata.get("outcome", "")) if self.answer else ""

    @property
    def asks_back(self) -> bool:
        return self.outcome == Outcome.CLARIFY and not self.is_withdrawn


def exchanges_of(session: ChatSession, *, only: UUID | None = None, reader: Principal | None = None) -> list[Exchange]:
    """In the order in which they were asked; `only` limits them to the one with this id. Of a private conversation
    `reader` says who reads it. Two statements for a public one."""
    messages = list(session.messages.filter(query_id=only) if only else session.messages.all())
    withheld = withheld_messages(session, messages, reader=reader)
    answers = {message.query_id: message for message in messages if message.role == ChatMessage.Role.ASSISTANT}
    exchanges = []
    for question, after in zip_longest(messages, messages[1:]):
        if question.role == ChatMessage.Role.USER:
            answer = answers.get(question.query_id) if question.query_id else _reply(after)
            is_withdrawn = answer is not None and answer.pk in withheld
            exchanges.append(Exchange(question=question, answer=answer, is_withdrawn=is_withdrawn))
    return exchanges


def _reply(after: ChatMessage | None) -> ChatMessage | None:
    """The answer to a message that is not linked to one question: the next message, if it is an answer."""
    return after if after and after.role == ChatMessage.Role.ASSISTANT and after.query_id is None else None


def withheld_messages(
    session: ChatSession, messages: Sequence[ChatMessage], *, reader: Principal | None = None
) -> set[int]:
    """The ids of the messages that this reader may not read any more, because of what they quote.

    In a public conversation, messages that quote private documents are withheld. In a private one, the reader must be
    able to open the documents, or to ask the plugin that may quote them. Former members of a project cannot read its
    answers.
    """
    answers = [message for message in messages if message.role == ChatMessage.Role.ASSISTANT]
    documents = {message.pk: set(referenced_document_ids(message.metadata)) for message in answers}
    named = set().union(*documents.values())
    if not session.is_private:
        assert session.plugin is not None
        readable = document_access.publicly_quoted(named, plugin=session.plugin, only_public=True)
    elif reader is None or not _may_open_project(session, reader):
        return set(documents)
    else:
        slugs = {str(message.metadata.get("release", "")).partition("@")[0] for message in answers}
        readable = _readable_documents(named, reader=reader, slugs=slugs)
    return {pk for pk, quoted in documents.items() if not quoted <= readable}


def may_read_quotations(session: ChatSession, documents: set[str], *, reader: Principal, slug: str) -> bool:
    """Whether this reader may read in a private conversation what was written from these documents, some of which the
    plugin of this slug may quote."""
    return _may_open_project(session, reader) and documents <= _readable_documents(
        documents, reader=reader, slugs={slug}
    )


def _may_open_project(session: ChatSession, reader: Principal) -> bool:
    return session.project_id is None or Project.objects.visible_to(reader).filter(pk=session.project_id).exists()


def _readable_documents(named: set[str], *, reader: Principal, slugs: set[str]) -> set[str]:
    """The documents that the reader may open, or that the plugins of these slugs may quote to them."""
    if not named:
        return set()
    opened = Document.objects.visible_to(reader).filter(pk__in=named).values_list("pk", flat=True)
    readable = {str(pk) for pk in opened}
    for plugin in Plugin.objects.askable_by(reader).filter(slug__in=slugs) if named - readable else ():
        readable |= document_access.publicly_quoted(named, plugin=plugin, only_public=plugin.public_only)
    return readable
