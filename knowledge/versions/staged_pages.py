"""The pages of a source, stored as they are read. A page that reads as it did before keeps its row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db.models import F, Q

from knowledge.models import Document, Page
from knowledge.readers.types import DocumentHeader, Heading, PageText, ReaderEvent
from knowledge.versions.progress import Progress
from knowledge.versions.staging import batched, discard_staged_pages, replace_unstorable, replace_unstorable_json

PAGES_PER_BATCH = 32


@dataclass(kw_only=True)
class ParsedSource:
    """What a source said. The pages here carry no word boxes: those went straight into the database."""

    title: str = ""
    is_paged: bool = False
    page_total: int | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    pages: list[PageText] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    page_ids: dict[int, int] = field(default_factory=dict)  # row by page number


def stage_pages(document: Document, events: Iterable[ReaderEvent], *, progress: Progress) -> ParsedSource:
    """Read to the end, storing page by page. Raises what reading raises; what was stored by then stays staged."""
    reading = ParsedSource()
    for batch in batched(_collect_pages(events, reading), PAGES_PER_BATCH):
        reading.page_ids |= _stage_batch(document, batch)
        reading.pages += [replace(page, words=None) for page in batch]
        progress.pages(len(reading.pages), reading.page_total)
    left_over = document.pages.staged().exclude(pk__in=reading.page_ids.values())
    discard_staged_pages(list(left_over.values_list("pk", flat=True)))
    return reading


def _collect_pages(events: Iterable[ReaderEvent], reading: ParsedSource) -> Iterator[PageText]:
    for event in events:
        if isinstance(event, DocumentHeader):
            reading.title, reading.is_paged = replace_unstorable(event.title or "").strip(), event.paged
            reading.page_total, reading.metadata = event.page_total, replace_unstorable_json(event.metadata)
        else:
            reading.headings += [replace(one, title=replace_unstorable(one.title)) for one in event.headings]
            yield replace(event, text=replace_unstorable(event.text))


def _stage_batch(document: Document, batch: list[PageText]) -> dict[int, int]:
    """The row of each page by its number: one that holds this text already, or a new one."""
    usable = Q(added_in__isnull=False) | Q(source_sha256=document.sha256)
    rows = document.pages.filter(usable, number__in=[page.number for page in batch], removed_in=None)
    # Where an answering row and a staged one hold the same text, the answering one comes last and wins.
    known = rows.order_by(F("added_in").asc(nulls_first=True)).values_list("number", "text", "pk")
    by_text = {(number, text): pk for number, text, pk in known}
    kept = {page.number: by_text[key] for page in batch if (key := (page.number, page.text)) in by_text}
    new = [(page, document.sha256) for page in batch if page.number not in kept]
    return kept | stage_new_pages(document, new)


def stage_new_pages(document: Document, pages: Sequence[tuple[PageText, str]]) -> dict[int, int]:
    """Stage new pages, each given with the hash of the bytes it was read from. Gives their rows by number."""
    rows = [
        Page(document=document, number=page.number, text=page.text, words=page.words, source_sha256=sha256)
        for page, sha256 in pages
    ]
    return {row.number: row.pk for row in Page.objects.bulk_create(rows)}
