"""What people say about a document: its title, its labels, and anything else they want to keep with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from knowledge import labels
from knowledge.add import NAME_LENGTH, read_again
from knowledge.models import Document
from knowledge.staging import storable
from lexic.errors import NotFound


@transaction.atomic
def describe(
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
    columns = _columns(document, said or {}, metadata)
    named = " ".join(storable(title or "").split())[:NAME_LENGTH]
    is_renamed = bool(named) and named != document.title
    if is_renamed:
        columns["title"] = named
    _keep(document, columns)
    return read_again(document, enqueue=enqueue) if is_renamed else document


def _columns(document: Document, said: Mapping[str, Any], metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    columns = {name: value for name, value in labels.split(said).items() if name in labels.COLUMNS}
    if metadata is not None:
        by_file = {name: value for name, value in document.metadata.items() if name == "file"}
        columns["metadata"] = {**labels.split(metadata)["metadata"], **by_file}
    return columns


def _keep(document: Document, columns: Mapping[str, Any]) -> None:
    # Only what was said: a worker writes status and progress meanwhile.
    columns = {**columns, "updated_at": timezone.now()}
    if not Document.objects.present().filter(pk=document.pk).update(**columns):
        raise NotFound
    for name, value in columns.items():
        setattr(document, name, value)
