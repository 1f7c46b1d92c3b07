"""Begins a review: what is read against what, as both stand now."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from django.db import IntegrityError, transaction

from accounts.models import Principal, User
from contracts.clauses.parse_contract import DocumentNotReady, contract_pages
from contracts.clauses.parsed_contract import ContractPage
from contracts.models import ContractReview, ReviewKind, ReviewState
from contracts.playbook.playbook_sources import (
    NDA_PLAYBOOK,
    SERVICES_PLAYBOOK,
    PlaybookAtRevision,
    UnknownPlaybook,
    find_playbook,
    shipped_playbook,
)
from contracts.playbook.playbook_types import UnfitPlaybook
from contracts.review.contract_kind import is_nda
from contracts.review.contract_language import check_language, contract_language
from knowledge.models import BaseKind, Document, PinKind
from knowledge.revision_pins import pin_documents
from lexic.errors import Conflict, InvalidInput
from lexic.publish_task import publish_task
from querying.answering.llms import get_llm

MAX_CONTRACT_CHARACTERS = 5_000_000


class ContractTooLong(InvalidInput):
    """The contract is too long to be reviewed."""

    code = "too_large"
    status = 413
    hint = "Split it into its parts, such as the agreement and its annexes."


class SameDocument(InvalidInput):
    """A document cannot be compared with itself."""

    code = "same_document"
    hint = "Name the earlier version in compareWith."


class ReviewNotFailed(Conflict):
    """Only a failed review can be retried."""

    code = "review_not_failed"
    hint = "Begin another one to have the document reviewed once more."


class PrivatePlaybook(UnfitPlaybook):
    """This playbook is private, and other people may read the document."""

    code = "private_playbook"
    hint = "Add the playbook where the document is, or the document to your own documents."


def start_review(
    document: Document,
    *,
    by: User,
    principal: Principal,
    playbook: str = "",
    side: str = "",
    compare_with: Document | None = None,
    request_key: str = "",
) -> ContractReview:
    """A review that a worker makes, of the document and the playbook as they stand. Without a playbook the one that
    ships for this kind of contract is taken. With an earlier version to `compare_with`, what changed is reviewed. The
    same `request_key` gives the same review. The caller has checked that the person may change the document, and read
    the earlier version.

    Raises `DocumentNotReady`, `ContractTooLong`, `UnreadLanguage`, `SameDocument`, `UnknownPlaybook`, `UnfitPlaybook`,
    `PrivatePlaybook`, `TooManyReviews`, `TooManyUnfinishedReviews`.
    """
    if begun := _find_begun(request_key):
        return begun
    pages = _checked_pages(document)
    language = _readable_language(pages, is_comparison=compare_with is not None)
    fitting = NDA_PLAYBOOK if is_nda(document.title, _opening(pages)) else SERVICES_PLAYBOOK
    chosen = find_playbook(playbook, principal=principal) if playbook else shipped_playbook(fitting)
    _check_playbook_may_be_quoted(chosen, document, by=by)
    if compare_with:
        _check_other_version(document, compare_with)
    columns = _columns_by_version(document, compare_with) | _columns_by_playbook(chosen, compare_with)
    columns |= {"side": side or chosen.playbook.side, "language": language, "request_key": request_key}
    try:
        with transaction.atomic():
            review = ContractReview.objects.begin(by=by, **columns)
            _pin_documents(review)
            _confirm_playbook(chosen)
            enqueue_review(review)
    except IntegrityError:  # the same request came twice at once
        if begun := _find_begun(request_key):
            return begun
        raise
    return review


def _columns_by_version(document: Document, earlier: Document | None) -> dict[str, Any]:
    return {
        "document": document,
        "revision": document.knowledge_base.revision,
        "compared_document": earlier,
        "compared_revision": earlier.knowledge_base.revision if earlier else None,
    }


def _columns_by_playbook(chosen: PlaybookAtRevision, earlier: Document | None) -> dict[str, Any]:
    kind = ReviewKind.NDA if chosen.playbook.scope == "nda" else ReviewKind.CONTRACT
    return {
        "kind": ReviewKind.COMPARISON if earlier else kind,
        "positions_total": len(chosen.playbook.positions),
        **playbook_columns(chosen),
    }


def _find_begun(request_key: str) -> ContractReview | None:
    if not request_key:
        return None
    return ContractReview.objects.select_related("document").filter(request_key=request_key).first()


@transaction.atomic
def retry_review(review: ContractReview, *, by: User) -> None:
    """Has a worker resume a review that failed. A review that is unfinished stays as it is. Raises `ReviewNotFailed`,
    `TooManyUnfinishedReviews`, `ReviewDeleted`."""
    review.lock_existing()
    review.refresh_from_db(fields=["state"])
    if review.state == ReviewState.DONE:
        raise ReviewNotFailed
    if review.state == ReviewState.FAILED:
        ContractReview.objects.check_may_begin(by)
        review.requeue()
        enqueue_review(review)


def _pin_documents(review: ContractReview) -> None:
    """Keeps what the review reads as it stands now. Raises `DocumentNotReady` where it has been deleted meanwhile."""
    read = [pk for pk in (review.document_id, review.compared_document_id) if pk]
    pinned = pin_documents(PinKind.REVIEW, review.pk, read)
    if len(pinned) < len(read):
        raise DocumentNotReady
    review.revision = pinned[review.document_id]
    if review.compared_document_id:
        review.compared_revision = pinned[review.compared_document_id]
    review.save(update_fields=["revision", "compared_revision"])


def _check_playbook_may_be_quoted(chosen: PlaybookAtRevision, document: Document, *, by: User) -> None:
    """A private playbook is quoted where it belongs, or where nobody but this person reads. Raises
    `PrivatePlaybook`."""
    if chosen.document is None or not chosen.document.knowledge_base.is_private:
        return
    base = document.knowledge_base
    is_own = base.kind == BaseKind.PERSONAL and base.owner_id == by.pk
    if not is_own and chosen.document.knowledge_base_id != base.pk:
        raise PrivatePlaybook


def _confirm_playbook(chosen: PlaybookAtRevision) -> None:
    """Who deletes the playbook's base waits now. Raises `UnknownPlaybook` where the playbook has been deleted."""
    if chosen.document and not Document.objects.present().filter(pk=chosen.document.pk).exists():
        raise UnknownPlaybook


def _check_other_version(document: Document, earlier: Document) -> None:
    if document.pk == earlier.pk:
        raise SameDocument
    _readable_language(_checked_pages(earlier), is_comparison=True)


def playbook_columns(chosen: PlaybookAtRevision) -> dict[str, Any]:
    """The playbook as it stands, as the columns of a review."""
    playbook = chosen.playbook
    return {
        "playbook_key": chosen.key,
        "playbook_document": chosen.document,
        "playbook_base_id": chosen.document.knowledge_base_id if chosen.document else None,
        "playbook_page": chosen.page_id,
        "playbook_name": playbook.name,
        "playbook_version": playbook.version,
        "playbook_text": playbook.text,
        "playbook_fields": chosen.document.metadata if chosen.document else {},
        "playbook_sha256": playbook.sha256,
    }


def enqueue_review(review: ContractReview) -> None:
    """Has a worker make the review, after commit. Without a broker the timetable finds it later."""
    transaction.on_commit(partial(publish_task, "contracts.review", review_id=str(review.pk)))


def is_nda_document(document: Document) -> bool:
    """Whether the playbook that fits is that of a non-disclosure agreement. Raises `DocumentNotReady`,
    `ContractTooLong`."""
    return is_nda(document.title, _opening(_checked_pages(document)))


def _checked_pages(document: Document) -> tuple[ContractPage, ...]:
    """The pages of a contract that can be reviewed. Raises `DocumentNotReady`, `ContractTooLong`."""
    pages = contract_pages(document)
    if sum(len(page.text) for page in pages) > MAX_CONTRACT_CHARACTERS:
        raise ContractTooLong
    if not _opening(pages).strip():
        raise DocumentNotReady("The document has no text.", hint="Read it again with text recognition.")
    return pages


def _opening(pages: Sequence[ContractPage]) -> str:
    return "".join(page.text for page in pages[:2])


def _readable_language(pages: Sequence[ContractPage], *, is_comparison: bool) -> str:
    """The language of the contract. Raises `UnreadLanguage` where nothing here reads it."""
    language = contract_language(pages)
    check_language(pages, language, has_model=not get_llm().is_offline, is_comparison=is_comparison)
    return language
