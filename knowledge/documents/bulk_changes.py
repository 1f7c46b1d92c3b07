"""One change to several documents: all of them take it, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from django.db import transaction

from knowledge.documents.lifecycle import delete_document, update_details
from knowledge.models import Document
from lexic.errors import InvalidInput

MAX_DOCUMENTS = 500


class DatesOutOfOrder(InvalidInput):
    """A document would end before it begins."""

    code = "dates_out_of_order"
    hint = "Choose a last day that is after the first one, or set both dates."


def label_documents(documents: Sequence[Document], labels: Mapping[str, Any]) -> None:
    """Give all documents these labels (values by name of column). Raises `DatesOutOfOrder`, naming the first document
    that does not fit, `InvalidMetadata`, and `NotFound` when one is gone."""
    for document in documents:
        _check_dates(document, labels)
    with transaction.atomic():
        for document in _in_order(documents):
            update_details(document, labels=labels)


def remove_documents(documents: Sequence[Document]) -> None:
    """Take the documents out of their knowledge bases. Raises `UnderLegalHold`."""
    with transaction.atomic():
        for document in _in_order(documents):
            delete_document(document)


def _in_order(documents: Sequence[Document]) -> list[Document]:
    """In one order everywhere, so that two changes at once wait for each other and do not lock each other out."""
    return sorted(documents, key=lambda document: (document.knowledge_base_id, document.pk))


def _check_dates(document: Document, labels: Mapping[str, Any]) -> None:
    first: date | None = labels.get("effective_from", document.effective_from)
    last: date | None = labels.get("superseded_on", document.superseded_on)
    if first and last and last <= first:
        raise DatesOutOfOrder(f"“{document}” would end before the day from which it is valid.")
