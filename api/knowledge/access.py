"""The documents of a private knowledge base, as one caller sees them."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from accounts.models import Principal, user_of
from api.documents.access import NoSuchDocument
from api.views import first_or_raise
from conversations.user_documents import Scope, private_bases
from knowledge.models import Document, DocumentQuerySet, KnowledgeBase
from lexic.errors import NotAllowed


class ReadOnlyDocuments(NotAllowed):
    """You may read these documents, and not change them."""

    code = "read_only"
    hint = "Ask the owner of the project to make you an editor."


@dataclass(frozen=True, kw_only=True)
class PrivateDocumentAccess:
    """The documents of `base` (None: there is none yet), shown below `address`. The caller may read the base."""

    base: KnowledgeBase | None
    address: str
    is_editor: bool

    def may_read(self, document: Document) -> bool:
        return self.base is not None and document.knowledge_base_id == self.base.pk

    def may_change(self, document: Document) -> bool:
        return self.is_editor and self.may_read(document)

    def new_document_base(self) -> KnowledgeBase:
        """Raises `ReadOnlyDocuments`."""
        if self.base is None or not self.is_editor:
            raise ReadOnlyDocuments
        return self.base

    def address_of(self, document: Document) -> str:
        return f"{self.address}/{document.pk}"

    def documents(self) -> DocumentQuerySet:
        rows = Document.objects.present().select_related("knowledge_base")
        return rows.filter(knowledge_base=self.base) if self.base else rows.none()

    def document(self, pk: UUID) -> Document:
        """Raises `NoSuchDocument`."""
        return first_or_raise(self.documents().filter(pk=pk), NoSuchDocument)

    def own_document(self, pk: UUID) -> Document:
        """Raises `NoSuchDocument`, `ReadOnlyDocuments`."""
        found = self.document(pk)
        if not self.is_editor:
            raise ReadOnlyDocuments
        return found


def personal_documents(principal: Principal, *, made: KnowledgeBase | None = None) -> PrivateDocumentAccess:
    """The caller's own documents; of the base that was just `made`, where there was none. Nobody else is let in."""
    base = made or private_bases(principal, scope=Scope.PERSONAL).first()
    is_own = base is not None and base.owner_id == user_of(principal).pk
    return PrivateDocumentAccess(base=base, address="/api/knowledge/documents", is_editor=is_own)
