"""Finds a review among those that a person may read or change. The site and the API use the same rule."""

from __future__ import annotations

from uuid import UUID

from accounts.models import Principal
from contracts.models import ContractReview, Finding
from lexic.errors import NotAllowed, NotFound


class UnknownReview(NotFound):
    """There is no such review among yours."""

    code = "unknown_review"


class UnknownFinding(NotFound):
    """The review has no finding of this number."""

    code = "unknown_finding"


class ReadOnlyReview(NotAllowed):
    """You may read this document and its reviews, and not change them."""

    code = "read_only"
    hint = "Ask the owner of the project to make you an editor."


def find_review(principal: Principal, pk: UUID, *, for_editing: bool = False) -> ContractReview:
    """Raises `UnknownReview`, and `ReadOnlyReview` where the person may only look at it."""
    rows = ContractReview.objects.visible_to(principal).select_related("document", "compared_document")
    found = rows.filter(pk=pk).first()
    if found is None:
        raise UnknownReview
    if for_editing and not may_change(principal, found):
        raise ReadOnlyReview
    return found


def find_finding(principal: Principal, review: UUID, number: int) -> Finding:
    """One to decide on, with its review. Raises `UnknownReview`, `ReadOnlyReview`, `UnknownFinding`."""
    reviewed = find_review(principal, review, for_editing=True)
    found = reviewed.findings.filter(number=number).first()
    if found is None:
        raise UnknownFinding
    found.review = reviewed
    return found


def may_change(principal: Principal, review: ContractReview) -> bool:
    return ContractReview.objects.editable_by(principal).filter(pk=review.pk).exists()
