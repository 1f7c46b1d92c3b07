"""The documents of a private knowledge base as one person sees them: their own, or those of a project."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from accounts.models import Principal, user_of
from conversations.private_document_search import DocumentScope, private_bases
from conversations.projects.models import Project
from knowledge.models import Document, DocumentQuerySet, KnowledgeBase
from lexic.errors import NotAllowed, NotFound


class UnknownPrivateDocument(NotFound):
    """There is no such document among these."""

    code = "unknown_document"


class ReadOnlyDocuments(NotAllowed):
    """You may read these documents, and not change them."""

    code = "read_only"
    hint = "Ask the owner of the project to make you an editor."


@dataclass(frozen=True, kw_only=True)
class PrivateDocuments:
    """The documents of `base` (None: there is none yet), which the person may read; `is_editor`: and change."""

    base: KnowledgeBase | None
    is_editor: bool

    def new_document_base(self) -> KnowledgeBase:
        """The base that new documents go to. Raises `ReadOnlyDocuments`."""
        if self.base is None or not self.is_editor:
            raise ReadOnlyDocuments
        return self.base

    def documents(self) -> DocumentQuerySet:
        rows = Document.objects.present().select_related("knowledge_base")
        return rows.filter(knowledge_base=self.base) if self.base else rows.none()

    def document(self, pk: UUID) -> Document:
        """Raises `UnknownPrivateDocument`."""
        found = self.documents().filter(pk=pk).first()
        if found is None:
            raise UnknownPrivateDocument
        return found

    def own_document(self, pk: UUID) -> Document:
        """A document that the person may change. Raises `UnknownPrivateDocument`, `ReadOnlyDocuments`."""
        found = self.document(pk)
        if not self.is_editor:
            raise ReadOnlyDocuments
        return found


def personal_documents(principal: Principal) -> PrivateDocuments:
    """The person's own documents, which no other person can read."""
    base = private_bases(principal, scope=DocumentScope.PERSONAL).first()
    return PrivateDocuments(base=base, is_editor=base is None or base.owner_id == user_of(principal).pk)


def project_documents(project: Project) -> PrivateDocuments:
    """The documents of a project with `role`, as `find_project` gives it."""
    return PrivateDocuments(base=project.knowledge_base, is_editor=project.role != "viewer")
