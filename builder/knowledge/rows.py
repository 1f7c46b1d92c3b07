"""One document as a line of the list: how far it has come, how long it will take, and what is wrong, in words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils import timezone

from knowledge.models import Document, DocumentStatus
from knowledge.tasks import WAITING

# Without news for this long, something may be wrong.
QUIET = timedelta(seconds=60)
STAGES = ("reading", "splitting", "embedding", "ready")
_ORDER = [DocumentStatus.READING, DocumentStatus.CHUNKING, DocumentStatus.EMBEDDING, DocumentStatus.READY]
_WORDS = {
    DocumentStatus.QUEUED: "waiting",
    DocumentStatus.READING: "reading",
    DocumentStatus.CHUNKING: "splitting",
    DocumentStatus.EMBEDDING: "embedding",
    DocumentStatus.READY: "ready",
    DocumentStatus.FAILED: "failed",
}
_LOOKS = {DocumentStatus.READY: ("ok", "check"), DocumentStatus.FAILED: ("no", "alert")}


@dataclass(frozen=True, kw_only=True)
class Row:
    """`stages` are percents of reading, splitting, embedding and being ready. `why` is set when it needs a person."""

    document: Document
    stages: tuple[int, int, int, int]
    word: str
    look: str
    icon: str
    note: str
    why: str
    is_own: bool
    may_open: bool

    @property
    def is_working(self) -> bool:
        return self.document.status not in (DocumentStatus.READY, DocumentStatus.FAILED)

    @property
    def has_failed(self) -> bool:
        return self.document.status == DocumentStatus.FAILED

    @property
    def answers(self) -> bool:
        """Whether some version of it is part of answers, whatever becomes of the newer one."""
        return self.document.added_in is not None

    @property
    def spoken(self) -> str:
        parts = (f"{name} {percent}%" for name, percent in zip(STAGES, self.stages, strict=True))
        return ", ".join(parts).capitalize()


def rows_of(documents: Sequence[Document], *, own_base: int | None, readable: Collection[int]) -> list[Row]:
    """Rows in the order of the documents. One statement at most, and only when some of them have gone quiet."""
    now = timezone.now()
    quiet = {document.pk for document in documents if _is_working(document) and now - document.updated_at > QUIET}
    is_worker_busy = bool(quiet) and _is_worker_busy(now)
    return [
        row_of(
            document,
            own_base=own_base,
            readable=readable,
            trouble=_trouble(document, now, is_worker_busy=is_worker_busy) if document.pk in quiet else "",
        )
        for document in documents
    ]


def row_of(document: Document, *, own_base: int | None, readable: Collection[int], trouble: str = "") -> Row:
    status = DocumentStatus(document.status)
    look, icon = _LOOKS.get(status, ("", "wait"))
    return Row(
        document=document,
        stages=stages(document),
        word=_WORDS[status],
        look="warn" if trouble else look,
        icon=icon,
        note=note(document),
        why=_why(document) or trouble,
        is_own=document.knowledge_base_id == own_base,
        may_open=document.knowledge_base_id in readable,
    )


def stages(document: Document) -> tuple[int, int, int, int]:
    """How much of each stage is done, in percent."""
    pages = _percent(document.pages_done, document.pages_total)
    chunks = _percent(document.chunks_done, document.chunks_total)
    if document.status in (DocumentStatus.QUEUED, DocumentStatus.FAILED):
        return (pages if document.status == DocumentStatus.FAILED else 0), 0, 0, 0
    at = _ORDER.index(DocumentStatus(document.status))
    under_way = (pages, 0, chunks, 100)
    reading, splitting, embedding, ready = (100 if i < at else under_way[i] if i == at else 0 for i in range(4))
    return reading, splitting, embedding, ready


def note(document: Document) -> str:
    """Where it stands, in a few words."""
    match document.status:
        case DocumentStatus.QUEUED:
            return "waits for its turn"
        case DocumentStatus.READING:
            done = f"page {document.pages_done} of {document.pages_total}" if document.pages_total else "opening it"
            return _joined(done, _left(document.expected_at, "of reading"))
        case DocumentStatus.CHUNKING:
            return f"splitting {_count(document.pages_total, 'page')}"
        case DocumentStatus.EMBEDDING:
            done = f"{document.chunks_done} of {_count(document.chunks_total, 'chunk')}"
            return _joined(_count(document.pages_total, "page"), done, _left(document.expected_at, ""))
    return _joined(_size(document), validity(document))


def validity(document: Document) -> str:
    """From when to when it holds; empty where nobody has said."""
    since, until = document.effective_from, document.superseded_on
    today = timezone.localdate()
    if until and until <= today:
        return f"superseded {_day(until)}"
    parts = [f"in force {'from' if since > today else 'since'} {_day(since)}" if since else ""]
    parts.append(f"until {_day(until)}" if until else "")
    return " ".join(filter(None, parts))


def duration(seconds: float) -> str:
    """As exactly as an estimate deserves."""
    if seconds < 10:
        return "a few seconds"
    if seconds < 55:
        return f"about {round(seconds, -1):.0f} seconds"
    if seconds < 5400:
        return f"about {_count(max(1, round(seconds / 60)), 'minute')}"
    return f"about {_count(round(seconds / 3600), 'hour')}"


def _is_working(document: Document) -> bool:
    return document.status not in (DocumentStatus.READY, DocumentStatus.FAILED)


def _is_worker_busy(now: datetime) -> bool:
    """Whether any document of anybody has moved lately."""
    moving = Document.objects.filter(status__in=_ORDER[:3], updated_at__gt=now - QUIET)
    return moving.exists()


def _trouble(document: Document, now: datetime, *, is_worker_busy: bool) -> str:
    since = duration((now - document.updated_at).total_seconds()).removeprefix("about ")
    if document.error_code == WAITING or (is_worker_busy and document.status == DocumentStatus.QUEUED):
        return ""
    if is_worker_busy:
        return f"No news for {since}. It is taken up again by itself, from where it stopped."
    return f"No worker has taken anything up for {since}. Is one running? Nothing is lost meanwhile."


def _why(document: Document) -> str:
    if document.status != DocumentStatus.FAILED:
        return document.error
    kept = "The earlier version goes on answering." if document.added_in else "Nothing else was affected."
    return f"{document.error} {kept}"


def _size(document: Document) -> str:
    if document.status == DocumentStatus.FAILED:
        return f"added {_day(timezone.localtime(document.created_at).date())}"
    if document.page_count:
        return _count(document.page_count, "page")
    return document.get_source_type_display()


def _left(expected_at: datetime | None, of_what: str) -> str:
    if expected_at is None:
        return ""
    seconds = (expected_at - timezone.now()).total_seconds()
    # An estimate that has passed was wrong, and is not repeated.
    return f"{duration(seconds)} {of_what} left".replace("  ", " ") if seconds > 0 else ""


def _percent(done: int, total: int | None) -> int:
    return min(100, 100 * done // total) if total else 0


def _count(number: int | None, word: str) -> str:
    return f"{number or 0:,} {word}{'' if number == 1 else 's'}"


def _joined(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


def _day(day: date) -> str:
    return f"{day.day} {day:%b %Y}"
