"""What people say about a document: its title, its labels, and anything else they want to keep with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from knowledge.documents import metadata_columns
from knowledge.documents.lifecycle import MAX_NAME_LENGTH, reingest_document
from knowledge.models import Document
from knowledge.versions.staging import replace_unstorable
from lexic.errors import NotFound


@transaction.atomic
def update_details(
    document: Document,
    *,
    title: str | None = None,
    said: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
    enqueue: bool = True,
) -> Document:
    """Keep the title, the labels in `said` (names of columns) and the `metadata`; None leaves each as it is.

    What a file says about itself stays. Under another title the document is read again, for the title is part of
    what is embedded. Raises `InvalidMetadata`, and `NotFound` when the document is gone.
    """
    columns = _detail_columns(document, said or {}, metadata)
    named = " ".join(replace_unstorable(title or "").split())[:MAX_NAME_LENGTH]
    is_renamed = bool(named) and named != document.title
    if is_renamed:
        columns["title"] = named
    _save_columns(document, columns)
    return reingest_document(document, enqueue=enqueue) if is_renamed else document


def _detail_columns(
    document: Document, said: Mapping[str, Any], metadata: Mapping[str, Any] | None
) -> dict[str, Any]:
    columns = {
        name: value
        for name, value in metadata_columns.split_metadata(said).items()
        if name in metadata_columns.METADATA_COLUMNS
    }
    if metadata is not None:
        by_file = {name: value for name, value in document.metadata.items() if name == "file"}
        columns["metadata"] = {**metadata_columns.split_metadata(metadata)["metadata"], **by_file}
    return columns


def _save_columns(document: Document, columns: Mapping[str, Any]) -> None:
    # Only what was said: a worker writes status and progress meanwhile.
    columns = {**columns, "updated_at": timezone.now()}
    if not Document.objects.present().filter(pk=document.pk).update(**columns):
        raise NotFound
    for name, value in columns.items():
        setattr(document, name, value)
