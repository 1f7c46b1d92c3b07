"""The input of a review, in memory: the pages as they were, their clauses, and the playbook."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from contracts.clauses.parse_contract import contract_pages, parse_pages
from contracts.clauses.parsed_contract import ContractPage, ParsedContract, TextSpan
from contracts.models import ContractReview, ReviewKind
from contracts.playbook.parse_playbook import parse_playbook
from contracts.playbook.playbook_types import Playbook, PlaybookStatement
from contracts.review.document_search import DocumentRevision, verified_spans
from knowledge.models import Document


@dataclass(frozen=True, kw_only=True)
class DocumentVersion:
    """A document at a revision, with its text and its clauses."""

    document: DocumentRevision
    pages: tuple[ContractPage, ...]
    parsed: ParsedContract

    def quotations(self, spans: Iterable[TextSpan]) -> list[dict[str, Any]]:
        """The spans that stand word for word on their page, each with its clause."""
        kept = verified_spans(list(spans), {page.id: page.text for page in self.pages})
        return [{**span.as_dict(), "clause": self._clause_label(span)} for span in kept]

    def clause_texts(self, spans: Iterable[TextSpan]) -> list[str]:
        """The clauses that the spans are in, whole."""
        return [clause.text for span in spans if (clause := self.parsed.clause_at(span))]

    def _clause_label(self, span: TextSpan) -> str:
        clause = self.parsed.clause_at(span)
        return clause.label if clause else ""


@dataclass(frozen=True, kw_only=True)
class ReviewedContract:
    """The contract, the earlier version that it is compared with (None: none), and the playbook as it stood."""

    review: ContractReview
    playbook: Playbook
    contract: DocumentVersion
    earlier: DocumentVersion | None

    def quote_playbook(self, statement: PlaybookStatement) -> dict[str, Any]:
        """Where the statement stands: in the text of the playbook, which is the page of its document. Raises
        `ValueError` where it does not."""
        if self.playbook.text[statement.start : statement.end] != statement.text:
            raise ValueError("a statement of the playbook does not stand where it was read")
        place = {"start": statement.start, "end": statement.end, "text": statement.text}
        return {"pageId": self.review.playbook_page, "page": 1, **place, "kind": statement.kind}


def read_reviewed(review: ContractReview) -> ReviewedContract:
    """Raises `DocumentNotReady`, `UnfitPlaybook`."""
    is_nda = review.kind == ReviewKind.NDA
    earlier = None
    if review.compared_document and review.compared_revision is not None:
        earlier = _read_version(review.compared_document, review.compared_revision, is_nda=is_nda)
    return ReviewedContract(
        review=review,
        playbook=parse_playbook(review.playbook_text, fields=review.playbook_fields, title=review.playbook_name),
        contract=_read_version(review.document, review.revision, is_nda=is_nda),
        earlier=earlier,
    )


def _read_version(document: Document, revision: int, *, is_nda: bool) -> DocumentVersion:
    pages = contract_pages(document, revision=revision)
    return DocumentVersion(
        document=DocumentRevision.of(document, revision=revision),
        pages=pages,
        parsed=parse_pages(pages, is_nda=is_nda),
    )
