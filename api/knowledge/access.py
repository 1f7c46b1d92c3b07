"""The documents of a private knowledge base, as one caller sees them, with their addresses."""

from __future__ import annotations

from dataclasses import dataclass

from accounts.models import Principal, user_of
from conversations import private_documents
from conversations.private_documents import PrivateDocuments
from knowledge.models import Document, KnowledgeBase


@dataclass(frozen=True, kw_only=True)
class PrivateDocumentAccess(PrivateDocuments):
    """Access to these documents, whose URLs are below `address`."""

    address: str

    def may_read(self, document: Document) -> bool:
        return self.base is not None and document.knowledge_base_id == self.base.pk

    def may_change(self, document: Document) -> bool:
        return self.is_editor and self.may_read(document)

    def address_of(self, document: Document) -> str:
        return f"{self.address}/{document.pk}"


def personal_documents(principal: Principal, *, made: KnowledgeBase | None = None) -> PrivateDocumentAccess:
    """The caller's own documents; of the base that was just `made`, where there was none."""
    base = made or private_documents.personal_documents(principal).base
    is_own = base is not None and base.owner_id == user_of(principal).pk
    return PrivateDocumentAccess(base=base, address="/api/knowledge/documents", is_editor=is_own)
