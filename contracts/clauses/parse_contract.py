"""A document read as a contract: what it says about itself, and its clauses."""

from __future__ import annotations

from collections.abc import Sequence

from contracts.clauses.metadata import read_metadata
from contracts.clauses.parsed_contract import ContractPage, ParsedContract
from contracts.clauses.segmentation import split_clauses
from knowledge.models import Document, DocumentStatus, Page
from lexic.errors import Conflict


class DocumentNotReady(Conflict):
    """The document is still being read."""

    code = "document_not_ready"
    hint = "Wait until its status is “ready”, then ask again."


def parse_contract(document: Document, *, revision: int | None = None) -> ParsedContract:
    """The contract as it stood at this revision of its knowledge base (None: today). Raises `DocumentNotReady`."""
    return parse_pages(contract_pages(document, revision=revision))


def parse_nda(document: Document, *, revision: int | None = None) -> ParsedContract:
    """As `parse_contract`, with what only a non-disclosure agreement states. Raises `DocumentNotReady`."""
    return parse_pages(contract_pages(document, revision=revision), is_nda=True)


def parse_pages(pages: Sequence[ContractPage], *, is_nda: bool = False) -> ParsedContract:
    """As `parse_contract`, from pages that have been loaded."""
    return ParsedContract(metadata=read_metadata(pages, is_nda=is_nda), clauses=split_clauses(pages))


def contract_pages(document: Document, *, revision: int | None = None) -> tuple[ContractPage, ...]:
    """The pages that the document had at this revision, in order. Raises `DocumentNotReady` where it had none."""
    of_document = Page.objects.filter(document=document)
    rows = of_document.live() if revision is None else of_document.alive_at(revision)
    pages = tuple(
        ContractPage(
            id=pk,
            number=number,
            text=text,
            headings=tuple((int(start), int(level), str(title)) for start, level, title in headings or ()),
        )
        for pk, number, text, headings in rows.order_by("number").values_list("pk", "number", "text", "headings")
    )
    if not pages:
        raise _not_ready(document)
    return pages


def _not_ready(document: Document) -> DocumentNotReady:
    if document.status == DocumentStatus.FAILED:
        return DocumentNotReady("The document could not be read.", hint=document.error or "Add it again.")
    return DocumentNotReady()
