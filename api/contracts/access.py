"""The documents that a caller may have reviewed."""

from __future__ import annotations

from uuid import UUID

from accounts.models import Principal
from api.views import first_or_raise
from contracts.review_access import ReadOnlyReview
from knowledge.models import Document
from lexic.errors import NotFound


class UnknownContract(NotFound):
    """There is no such document among those that you may open."""

    code = "unknown_document"


def get_contract(principal: Principal, pk: UUID, *, for_reading: bool = False) -> Document:
    """The document to review, or `for_reading` to compare with. Raises `UnknownContract`, `ReadOnlyReview`."""
    rows = Document.objects.present().visible_to(principal).select_related("knowledge_base").filter(pk=pk)
    found: Document = first_or_raise(rows, UnknownContract)
    if not for_reading and not Document.objects.editable_by(principal).filter(pk=pk).exists():
        raise ReadOnlyReview
    return found
