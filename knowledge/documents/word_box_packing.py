"""Packs the word boxes of pages that an earlier version has kept as JSON, which are read as they are until then."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import transaction
from django.db.models import QuerySet

from knowledge.models import Page
from knowledge.versions.batches import OnDamaged, id_batches

PAGES_PER_BATCH = 200


def count_unpacked() -> int:
    """How many pages are left."""
    return _unpacked().count()


def pack_word_boxes(on_damaged: OnDamaged) -> Iterator[int]:
    """Pack batch by batch, each committed by itself, and give the number of pages of each. Pages that are being
    published are left for the next run, and those that cannot be read stay."""
    return (_pack(ids, on_damaged) for ids in id_batches(_unpacked(), PAGES_PER_BATCH))


def _unpacked() -> QuerySet[Page]:
    return Page.objects.filter(words__isnull=False)


@transaction.atomic
def _pack(page_ids: list[int], on_damaged: OnDamaged) -> int:
    # Whoever publishes locks many pages: nobody is waited for, so that neither waits for the other.
    free = Page.objects.select_for_update(skip_locked=True, no_key=True).filter(pk__in=page_ids)
    packed = 0
    for page in free.only("pk", "number", "document_id", "words", "packed_words"):
        try:
            page.word_boxes = page.word_boxes
        except (TypeError, ValueError):  # no list of boxes
            on_damaged(f"page {page.pk}, number {page.number} of document {page.document_id}")
            continue
        page.save(update_fields=["words", "packed_words"])
        packed += 1
    return packed
