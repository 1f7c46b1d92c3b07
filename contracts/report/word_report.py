"""A review as a Word file: an uploaded Word file with comments and tracked changes, or a new file for other originals.

The copy of a contract may go to the other side, so it says where something was found and what is suggested, and nothing
of the playbook: neither its positions nor why a finding has its class. What was dismissed is left out.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from contracts.docx.annotate import annotate_word_file
from contracts.docx.edits import Edit, EditKind
from contracts.docx.new_document import (
    Block,
    HeadingBlock,
    NewDocument,
    ParagraphBlock,
    QuotationBlock,
    TableBlock,
    make_word_file,
)
from contracts.models import ContractReview, Decision, Finding, Verdict
from contracts.report.review_report import review_report
from contracts.risk import Classification
from knowledge import readers
from knowledge.documents import file_store
from knowledge.models import Document, Page, SourceType
from knowledge.readers.types import UnreadableDocument
from lexic.database import release_connections
from lexic.errors import LexicError
from lexic.middleware.request_limit import free_request_slot

AUTHOR = "Lexic"
# What the copy says of a finding. The verdict itself would tell what the playbook wants.
_TO_BE_READ = "Please look at this."
_SAID_OF_VERDICT = {
    Verdict.MISSING: "Something is missing here.",
    Verdict.CHANGED: "This changed between the versions.",
}
_SLOTS = threading.BoundedSemaphore(2)
_SLOT_TIMEOUT_SECONDS = 20.0


class WordExportBusy(LexicError):
    """Many Word files are being made right now."""

    code = "busy"
    status = 503
    retry_after = 5  # seconds
    hint = "Ask for the file again in a moment."


def word_report(review: ContractReview, *, has_changes: bool = True) -> bytes:
    """The Word file (.docx) of a review that is done, with tracked changes for accepted suggestions, or with comments
    only.

    Raises `SourceFileMissing`, `UnreadableDocument`, `WordExportBusy`, `WordSigned`, `WordTextChanged`, and
    `WordNotProven`.
    """
    page = _page_of_word_file(review)
    return _new_word_file(review) if page is None else _annotated_original(review, page, has_changes=has_changes)


def _new_word_file(review: ContractReview) -> bytes:
    # No connection is held while the file is made.
    with release_connections():
        document = _new_document(review, _findings(review))
    return make_word_file(document)


def _annotated_original(review: ContractReview, page: Page, *, has_changes: bool) -> bytes:
    with release_connections():
        findings = _findings(review)
    edits = [edit for one in findings for edit in _edits(one, page, review.updated_at, has_changes=has_changes)]
    with _word_slot(), file_store.local_copy(page.source_sha256) as original:
        return annotate_word_file(original, edits).content


def _findings(review: ContractReview) -> list[Finding]:
    return list(review.findings.select_related("decided_by"))


def _page_of_word_file(review: ContractReview) -> Page | None:
    """The first page of the contract, where it was read from a Word file. Raises `SourceFileMissing`."""
    with release_connections():
        page = Page.objects.filter(document=review.document).alive_at(review.revision).order_by("number").first()
        document = review.document
    return page if page is not None and _is_word_file(page, document) else None


def _is_word_file(page: Page, document: Document) -> bool:
    """By the type of the document. A file that was fetched, or replaced meanwhile, is asked itself."""
    if page.source_sha256 == document.sha256 and document.source_type != SourceType.URL:
        return document.source_type == SourceType.DOCX
    with file_store.open_stored(page.source_sha256) as file:
        head = file.read(readers.DETECTION_BYTES)
    try:
        return readers.detect_type("contract.docx", head) == "docx"
    except UnreadableDocument:
        return False


@contextmanager
def _word_slot() -> Iterator[None]:
    """Waits for a place to work in, and holds it inside the block. Raises `WordExportBusy`."""
    free_request_slot()
    if not _SLOTS.acquire(timeout=_SLOT_TIMEOUT_SECONDS):
        raise WordExportBusy
    try:
        yield
    finally:
        _SLOTS.release()


# --- A copy with comments ----------------------------------------------------------------------------------------


def _edits(finding: Finding, page: Page, date: datetime, *, has_changes: bool) -> Iterator[Edit]:
    """The comments of a finding on what it quotes of this page, and the suggestion where somebody accepted it."""
    if finding.classification == Classification.GREEN or finding.decision == Decision.DISMISSED:
        return
    quoted = [span for span in finding.contract_spans if span["pageId"] == page.pk]
    near = [span for span in finding.nearest_spans if span["pageId"] == page.pk][:1]
    is_tracked = has_changes and bool(quoted and finding.suggestion) and finding.decision == Decision.ACCEPTED
    for span in quoted or near or [_beginning(page)]:
        text = "\n".join(_comment_lines(finding, is_tracked=is_tracked, is_quoted=bool(quoted)))
        yield _edit(span, EditKind.COMMENT, text, AUTHOR, date)
    if is_tracked:
        decider = finding.decided_by.public_name if finding.decided_by else AUTHOR
        yield _edit(quoted[0], EditKind.REPLACEMENT, finding.suggestion, decider, finding.decided_at or date)


def _edit(span: dict[str, Any], kind: EditKind, text: str, author: str, date: datetime) -> Edit:
    quote = span["text"]
    return Edit(start=span["start"], end=span["end"], quote=quote, kind=kind, text=text, author=author, date=date)


def _beginning(page: Page) -> dict[str, Any]:
    """The first line of the contract, for what has no better place."""
    line = page.text.partition("\n")[0]
    return {"start": 0, "end": len(line), "text": line}


def _comment_lines(finding: Finding, *, is_tracked: bool, is_quoted: bool) -> Iterator[str]:
    yield f"{finding.number}. {finding.classification}: {_SAID_OF_VERDICT.get(Verdict(finding.verdict), _TO_BE_READ)}"
    if not is_quoted:
        yield "Not evidence: this is only the nearest passage."
    if finding.suggestion and not is_tracked:
        lead = "Suggestion"
        if finding.decision == Decision.ACCEPTED:
            lead = "Accepted, to replace this" if is_quoted else "Accepted, to be added"
        yield f"{lead}: “{finding.suggestion}”"


# --- A new file --------------------------------------------------------------------------------------------------


def _new_document(review: ContractReview, findings: list[Finding]) -> NewDocument:
    report = review_report(review)
    return NewDocument(
        title=report["title"],
        original=review.document.title,
        date=review.updated_at,
        blocks=[*_summary_blocks(report, findings), *(block for one in findings for block in _finding_blocks(one))],
    )


def _summary_blocks(report: dict[str, Any], findings: list[Finding]) -> Iterator[Block]:
    yield ParagraphBlock(label=report["classification"] or "", text=report["summary"])
    for one in report["escalations"]:
        yield ParagraphBlock(label=f"To {one['to']}:", text=one["why"])
    yield HeadingBlock(text="Findings")
    rows = [
        [str(one.number), one.position, one.classification, f"{one.score} ({one.level.value})", one.decision or "–"]
        for one in findings
    ]
    if rows:
        yield TableBlock(header=["Number", "Position", "Class", "Risk", "Decision"], rows=rows)
    yield ParagraphBlock(text=report["note"])


def _finding_blocks(finding: Finding) -> Iterator[Block]:
    yield HeadingBlock(text=f"{finding.number}. {finding.position}: {finding.classification}", level=2)
    yield ParagraphBlock(text=finding.reason)
    if finding.model_remark:
        yield ParagraphBlock(text=finding.model_remark)
    for span in finding.contract_spans:
        yield QuotationBlock(text=span["text"], source=f"contract, page {span['page']}")
    if finding.verdict == Verdict.MISSING or not finding.contract_spans:
        for span in finding.nearest_spans:
            yield QuotationBlock(text=span["text"], source=f"nearest, page {span['page']}")
    for span in finding.playbook_spans:
        yield QuotationBlock(text=span["text"], source="playbook")
    if finding.suggestion:
        yield ParagraphBlock(label="Suggestion:", text=finding.suggestion)
    if finding.decision:
        yield ParagraphBlock(label=f"Decision: {finding.decision}.", text=finding.note)
