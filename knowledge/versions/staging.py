"""What an ingestion writes before it counts: rows with `added_in` null, which no search sees.

They are committed bit by bit and found again after a crash.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar
from uuid import UUID

from django.db import transaction

from knowledge.models import Chunk, ChunkTerms, Embedding, Page

T = TypeVar("T")


def replace_unstorable(text: str) -> str:
    """The text with what PostgreSQL cannot hold (NUL, lone surrogates) replaced, one character for one, so that
    offsets into it keep their meaning."""
    return text.replace("\x00", " ").encode("utf-8", "replace").decode()


def replace_unstorable_json(value: Any) -> Any:
    """The same for every string inside a JSON value."""
    if isinstance(value, str):
        return replace_unstorable(value)
    if isinstance(value, dict):
        return {replace_unstorable(str(key)): replace_unstorable_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [replace_unstorable_json(item) for item in value]
    return value


def discard_staged(document_id: UUID) -> None:
    """Forget everything staged for the document."""
    with transaction.atomic():
        discard_staged_chunks(document_id)
        Page.objects.staged().filter(document=document_id).delete()


def discard_staged_chunks(document_id: UUID) -> None:
    """Forget the staged chunks with their words and vectors; the staged pages stay."""
    with transaction.atomic():
        for model in (Embedding, ChunkTerms, Chunk):
            model.objects.staged().filter(document=document_id).delete()


def discard_staged_pages(page_ids: Collection[int]) -> None:
    """Forget staged pages and all that was staged from them."""
    if not page_ids:
        return
    with transaction.atomic():
        Embedding.objects.staged().filter(chunk__page__in=page_ids).delete()
        ChunkTerms.objects.staged().filter(chunk__page__in=page_ids).delete()
        Chunk.objects.staged().filter(page__in=page_ids).delete()
        Page.objects.staged().filter(pk__in=page_ids).delete()


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
