"""Writes the rows of a version before they count: with `added_in` null, which no search sees.

Rows are committed in steps, and those of an interrupted attempt are used again. Reading continues after the last page
that was stored. A page whose text is the same keeps its row. Chunks continue where the last attempt stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from django.db.models import F, Q

from knowledge.models import Document, Page, RevisionQuerySet
from knowledge.ocr_cost import count_pages
from knowledge.readers.text_cleaning import replace_unstorable, replace_unstorable_json
from knowledge.readers.types import DocumentHeader, Heading, PageText, ReaderEvent, ReadingPoint
from knowledge.recognised_text import ReadBy
from knowledge.versions import writer
from knowledge.versions.batches import batched
from knowledge.versions.chunk_plan import ParsedSource, PlannedChunk
from knowledge.versions.progress import VersionProgress

PAGES_PER_BATCH = 32
CHUNKS_PER_BATCH = 500


def kept_pages(document: Document) -> tuple[ParsedSource, ReadingPoint | None]:
    """The pages that an interrupted reading of these bytes staged, and the point from which it goes on (None: the
    beginning)."""
    staged = document.pages.staged().filter(source_sha256=document.sha256)
    last = staged.filter(reader_state__isnull=False).order_by("-number").values("number", "reader_state").first()
    parsed = ParsedSource()
    rows = list(staged.filter(number__lte=last["number"]).order_by("number", "pk")) if last else []
    if last is None or [row.number for row in rows] != list(range(1, last["number"] + 1)):
        return parsed, None
    for row in rows:
        parsed.pages.append(PageText(number=row.number, text=row.text, label=row.label))
        parsed.page_ids[row.number] = row.pk
        parsed.headings += [
            Heading(page=row.number, start=start, level=level, title=title) for start, level, title in row.headings
        ]
    return parsed, ReadingPoint(page=last["number"], state=last["reader_state"])


def stage_pages(
    document: Document,
    events: Iterable[ReaderEvent],
    *,
    progress: VersionProgress,
    kept: ParsedSource | None = None,
    on_stored: Callable[[], None] = lambda: None,
) -> ParsedSource:
    """Read to the end, storing page by page after those that are `kept`. `on_stored` is called when some have been
    stored and there may be more. Raises what reading and `on_stored` raise; what was stored by then stays staged."""
    parsed = kept or ParsedSource()
    corrected = _corrected_pages(document)
    for batch in _page_batches(_collect_pages(_with_corrections(events, corrected), parsed)):
        # Only the last one of a batch: all of it is stored, or nothing.
        batch = [*(replace(page, state=None) for page in batch[:-1]), batch[-1]]
        by_hand = {page.number: corrected[page.number].pk for page in batch if page.number in corrected}
        parsed.page_ids |= by_hand | _stage_batch(document, [page for page in batch if page.number not in by_hand])
        count_pages(batch)
        parsed.pages += [replace(page, words=None, state=None) for page in batch]
        progress.report_pages(len(parsed.pages), parsed.page_total)
        if len(parsed.pages) < (parsed.page_total or 0):
            on_stored()
    left_over = document.pages.staged().exclude(pk__in=parsed.page_ids.values())
    if page_ids := list(left_over.values_list("pk", flat=True)):
        writer.discard_staged_pages(page_ids)
    return parsed


def read_in_memory(events: Iterable[ReaderEvent], *, max_characters: int) -> ParsedSource | None:
    """Read to the end, without storing anything; None where the pages have more text than so much. Raises what reading
    raises."""
    parsed, characters = ParsedSource(), 0
    for page in _collect_pages(events, parsed):
        characters += len(page.text)
        if characters > max_characters:
            return None
        parsed.pages.append(replace(page, state=None))
        parsed.page_ids[page.number] = page.number
    count_pages(parsed.pages)
    return parsed


def is_unchanged(document: Document, planned: Sequence[PlannedChunk], parsed: ParsedSource) -> bool:
    """Whether the version that answers now has exactly these chunks and pages."""
    alive = document.pages.live()
    if set(alive.values_list("pk", flat=True)) != set(parsed.page_ids.values()):
        return False
    return _stored_chunks(document.chunks.live()) == list(planned)


def stage_chunks(document: Document, planned: Sequence[PlannedChunk], parsed: ParsedSource, *, title: str) -> None:
    """Store the planned chunks and their words, beginning where an earlier attempt stopped."""
    staged = _stored_chunks(document.chunks.staged())
    if staged != list(planned[: len(staged)]):
        writer.discard_staged_chunks(document.pk)
        staged = []
    texts = {parsed.page_ids[page.number]: page.text for page in parsed.pages}
    for batch in batched(planned[len(staged) :], CHUNKS_PER_BATCH):
        writer.insert_staged_chunks(document, batch, texts=texts, title=title, is_paged=parsed.is_paged)


def _collect_pages(events: Iterable[ReaderEvent], parsed: ParsedSource) -> Iterator[PageText]:
    for event in events:
        if isinstance(event, DocumentHeader):
            parsed.title, parsed.is_paged = replace_unstorable(event.title or "").strip(), event.paged
            parsed.page_total, parsed.metadata = event.page_total, replace_unstorable_json(event.metadata)
        else:
            headings = tuple(replace(one, title=replace_unstorable(one.title)) for one in event.headings)
            parsed.headings += headings
            state = replace_unstorable_json(event.state) if event.state else None
            yield replace(event, text=replace_unstorable(event.text), headings=headings, state=state)


def _page_batches(pages: Iterable[PageText]) -> Iterator[list[PageText]]:
    """Pages that are stored together. One that was recognised on a picture has cost seconds, and is stored at once."""
    batch: list[PageText] = []
    for page in pages:
        batch.append(page)
        if page.ocr is not None or len(batch) == PAGES_PER_BATCH:
            yield batch
            batch = []
    if batch:
        yield batch


def _corrected_pages(document: Document) -> dict[int, Page]:
    """The pages of these bytes, by number, whose text a person has corrected: it stays when they are read again. Of two
    the one that has not been published yet."""
    rows = document.pages.filter(removed_in=None, source_sha256=document.sha256, read_by=ReadBy.HAND)
    return {row.number: row for row in rows.order_by(F("added_in").asc(nulls_last=True))}


def _with_corrections(events: Iterable[ReaderEvent], corrected: Mapping[int, Page]) -> Iterator[ReaderEvent]:
    for event in events:
        if isinstance(event, PageText) and event.number in corrected:
            row = corrected[event.number]
            headings = tuple(
                Heading(page=row.number, start=start, level=level, title=title)
                for start, level, title in row.headings or []
            )
            yield replace(event, text=row.text, label=row.label, headings=headings, ocr=None)
        else:
            yield event


def _stage_batch(document: Document, batch: list[PageText]) -> dict[int, int]:
    """The row of each page by its number: one that holds this text already, or a new one."""
    usable = Q(added_in__isnull=False) | Q(source_sha256=document.sha256)
    rows = document.pages.filter(usable, number__in=[page.number for page in batch], removed_in=None)
    if document.is_unverified:
        # The places of words, and the file that shows them, came from somebody else as well.
        words = {page.number: page.words for page in batch}
        same = [row.pk for row in rows.filter(source_sha256=document.sha256) if row.word_boxes == words[row.number]]
        rows = rows.filter(pk__in=same)
    # Where a live row and a staged one hold the same text, the live one comes last and wins.
    known = rows.order_by(F("added_in").asc(nulls_first=True)).values_list("number", "text", "label", "read_by", "pk")
    by_text = {(number, text, label, read_by == ReadBy.OCR): pk for number, text, label, read_by, pk in known}
    keys = {page.number: (page.number, page.text, page.label, page.ocr is not None) for page in batch}
    reused = {number: by_text[key] for number, key in keys.items() if key in by_text}
    new = [(page, document.sha256) for page in batch if page.number not in reused]
    return reused | writer.insert_staged_pages(document, new)


def _stored_chunks(chunks: RevisionQuerySet) -> list[PlannedChunk]:
    names = ("index", "page_id", "start", "end", "section_path", "content_hash")
    return [
        PlannedChunk(**{**row, "section_path": tuple(row["section_path"]), "content_hash": bytes(row["content_hash"])})
        for row in chunks.order_by("index").values(*names)
    ]
