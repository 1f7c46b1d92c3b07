"""Suggestions for the first message of a conversation: documents to attach, and examples of questions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from itertools import islice
from uuid import UUID

from accounts.models import User
from agents.tools.document_templates import first_template
from conversations.models import Project
from conversations.private_document_search import DocumentScope, private_bases, private_layers
from knowledge.models import BaseKind, Chunk, Document, DocumentQuerySet, DocumentStatus
from language.terms import terms
from plugins.models import Plugin
from querying import releases
from querying.types.question import Caller, Question

MAX_EXAMPLES = 3
_MAX_ATTACHABLE = 50
# A document whose title has one of these is taken for a contract: then having it reviewed is an example.
_CONTRACT_TERMS = frozenset(terms("agreement contract NDA lease"))


@dataclass(frozen=True, kw_only=True)
class AttachableDocument:
    """A document that may come along with a message. `place` tells those of a project from the person's own."""

    pk: UUID
    title: str
    place: str
    is_chosen: bool


@dataclass(frozen=True, kw_only=True)
class ConversationExample:
    """A message, with the document that comes along."""

    text: str
    document: UUID | None = None


def attachable_documents(
    user: User, *, project: Project | None, chosen: Collection[UUID] = ()
) -> list[AttachableDocument]:
    """The documents that came in last and have been read, those that are chosen first."""
    listed = _ready_documents(user, project=project, scope=DocumentScope.ALL)
    rows = {row.pk: row for row in (*(listed.filter(pk__in=chosen) if chosen else ()), *listed[:_MAX_ATTACHABLE])}
    return [
        AttachableDocument(
            pk=row.pk,
            title=row.title,
            place="My documents" if row.knowledge_base.kind == BaseKind.PERSONAL else row.knowledge_base.name,
            is_chosen=row.pk in chosen,
        )
        for row in rows.values()
    ]


def conversation_examples(user: User, *, project: Project | None, plugin: Plugin | None) -> list[ConversationExample]:
    """Three messages to begin with, by the documents that came in last and the templates of the plugin."""
    scope = DocumentScope.PROJECT if project else DocumentScope.PERSONAL
    documents = list(_ready_documents(user, project=project, scope=scope)[:MAX_EXAMPLES])
    if not documents:
        return []
    wanted = [_section_question(documents[0]), _review_request(user, documents), _draft_request(user, project, plugin)]
    others = (ConversationExample(text=f"What does “{one.title}” say?") for one in documents)
    found = [one for one in wanted if one]
    return [*found, *islice(others, MAX_EXAMPLES - len(found))]


def _ready_documents(user: User, *, project: Project | None, scope: DocumentScope) -> DocumentQuerySet:
    bases = private_bases(user, scope=scope, project=project)
    ready = Document.objects.present().filter(
        knowledge_base__in=bases.values("pk"), status=DocumentStatus.READY, is_template=False
    )
    return ready.select_related("knowledge_base").order_by("-created_at")


def _section_question(document: Document) -> ConversationExample | None:
    """What the document says under one of its headings, the first below its title."""
    chunks = Chunk.objects.filter(document=document, removed_in=None, section_path__len__gt=1).order_by("index")
    path = chunks.values_list("section_path", flat=True).first()
    return ConversationExample(text=f"What does “{document.title}” say about {_heading(path[1])}?") if path else None


def _heading(heading: str) -> str:
    """Without the number in front."""
    return heading.lstrip("0123456789.) ") or heading


def _review_request(user: User, documents: list[Document]) -> ConversationExample | None:
    """A contract among the documents that the person may have reviewed."""
    editable = Document.objects.editable_by(user).filter(pk__in=[one.pk for one in documents])
    may_change = set(editable.values_list("pk", flat=True))
    contracts = (one for one in documents if one.pk in may_change and _CONTRACT_TERMS & set(terms(one.title)))
    found = next(contracts, None)
    return ConversationExample(text=f"Review “{found.title}”", document=found.pk) if found else None


def _draft_request(user: User, project: Project | None, plugin: Plugin | None) -> ConversationExample | None:
    """A template that a message to the plugin would have filled in."""
    if plugin is None:
        return None
    question = Question(
        text="",
        release=releases.resolve(plugin.slug, principal=user),
        caller=Caller(name="examples", user_id=user.pk),
        layers=private_layers(user, project=project),
        is_private=True,
    )
    template = first_template(question)
    return ConversationExample(text=f"Draft a document: {template.title}") if template else None
