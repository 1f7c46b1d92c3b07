"""The reviews and the documents that a caller may see, and which of them it may change."""

from __future__ import annotations

from uuid import UUID

from accounts.models import Principal
from api.documents.access import NoSuchDocument
from api.views import first_or_raise
from contracts.models import ContractReview, Finding
from knowledge.models import Document
from lexic.errors import NotAllowed, NotFound


class NoSuchReview(NotFound):
    """There is no such review among yours."""

    code = "unknown_review"


class NoSuchFinding(NotFound):
    """The review has no finding of this number."""

    code = "unknown_finding"


class ReadOnlyReview(NotAllowed):
    """You may read this document and its reviews, and not change them."""

    code = "read_only"
    hint = "Ask the owner of the project to make you an editor."


def get_review(principal: Principal, pk: UUID, *, changes: bool = False) -> ContractReview:
    """Raises `NoSuchReview`, and `ReadOnlyReview` where the caller may only look at it."""
    rows = ContractReview.objects.visible_to(principal).select_related("document")
    found = first_or_raise(rows.filter(pk=pk), NoSuchReview)
    if changes and not ContractReview.objects.editable_by(principal).filter(pk=pk).exists():
        raise ReadOnlyReview
    return found


def get_finding(principal: Principal, review: UUID, number: int) -> Finding:
    """One to decide on. Raises `NoSuchReview`, `ReadOnlyReview`, `NoSuchFinding`."""
    found = get_review(principal, review, changes=True)
    return first_or_raise(found.findings.filter(number=number), NoSuchFinding)


def get_contract(principal: Principal, pk: UUID, *, for_reading: bool = False) -> Document:
    """The document to review, or `for_reading` to compare with. Raises `NoSuchDocument`, `ReadOnlyReview`."""
    rows = Document.objects.present().visible_to(principal).select_related("knowledge_base").filter(pk=pk)
    found: Document = first_or_raise(rows, NoSuchDocument)
    if not for_reading and not Document.objects.editable_by(principal).filter(pk=pk).exists():
        raise ReadOnlyReview
    return found
