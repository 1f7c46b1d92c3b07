"""One document as a row of the list: its progress, the remaining time, and its problems, in words."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from uuid import UUID

from django.utils import timezone

from knowledge.ingest import WAITING_ERROR_CODE
from knowledge.lease import DOCUMENT_LEASE_PREFIX, document_lease_name, held_names
from knowledge.models import Document, DocumentStatus, KnowledgeBase
from plugins.models import Plugin

# Without news for this long, something may be wrong.
QUIET_AFTER = timedelta(seconds=60)
# Further back in the queue nobody is told their place.
MAX_QUEUE = 1000
# Only reading pictures is slower than this.
_MAX_TOLD_PACE = 40
STAGES = ("reading", "splitting", "indexing", "ready")
_STAGE_ORDER = [DocumentStatus.READING, DocumentStatus.CHUNKING, DocumentStatus.EMBEDDING, DocumentStatus.READY]
_STATUS_LABELS = {
    DocumentStatus.QUEUED: "waiting",
    DocumentStatus.READING: "reading",
    DocumentStatus.CHUNKING: "splitting",
    DocumentStatus.EMBEDDING: "indexing",
    DocumentStatus.READY: "ready",
    DocumentStatus.FAILED: "failed",
}
_STATUS_STYLES = {DocumentStatus.READY: ("ok", "check"), DocumentStatus.FAILED: ("no", "alert")}


@dataclass(frozen=True, kw_only=True)
class BaseAccess:
    """What a person may do with the documents of a page: the ids of the bases that they may read and edit. `plugin` is
    the plugin whose page it is, None for documents of people."""

    readable: Collection[int]
    editable: Collection[int]
    plugin: Plugin | None = None


@dataclass(frozen=True, kw_only=True)
class DocumentRow:
    """`stages` are percents of `STAGES`. `problem` is set when the document needs a person."""

    document: Document
    stages: tuple[int, int, int, int]
    label: str
    style: str
    icon: str
    note: str
    problem: str
    is_own: bool
    can_edit: bool
    can_open: bool

    @property
    def is_working(self) -> bool:
        return _is_working(self.document)

    @property
    def has_failed(self) -> bool:
        return self.document.status == DocumentStatus.FAILED

    @property
    def answers(self) -> bool:
        """Whether some version of it is part of answers, whatever becomes of the newer one."""
        return self.document.added_in is not None

    @property
    def accessible_text(self) -> str:
        parts = (f"{name} {percent}%" for name, percent in zip(STAGES, self.stages, strict=True))
        return ", ".join(parts).capitalize()


def document_rows(documents: Sequence[Document], access: BaseAccess) -> list[DocumentRow]:
    """Rows in the order of the documents. One statement at most when some of them wait, and two when some have gone
    quiet."""
    now = timezone.now()
    quiet = {doc.pk for doc in documents if _is_working(doc) and now - doc.updated_at > QUIET_AFTER}
    readers = _Readers.look(now) if quiet else _Readers()
    places = _queue_places(documents)
    rows = []
    for document in documents:
        trouble = _stalled_reason(document, now, readers) if document.pk in quiet else ""
        rows.append(_document_row(document, access, trouble, place=places.get(document.pk)))
    return rows


@dataclass(frozen=True, kw_only=True)
class _Readers:
    """What those who read documents are at: the names of the leases that they hold, and whether anything was heard of
    them within `QUIET_AFTER`. A page that takes minutes is silent, and its reader holds the lease all the same."""

    held: frozenset[str] = frozenset()
    is_any_heard_of: bool = False

    @classmethod
    def look(cls, now: datetime) -> _Readers:
        # One that has just become ready was read: between two documents nobody holds a lease.
        moving = Document.objects.filter(status__in=_STAGE_ORDER, updated_at__gt=now - QUIET_AFTER)
        held = frozenset(name for name in held_names() if name.startswith(DOCUMENT_LEASE_PREFIX))
        return cls(held=held, is_any_heard_of=moving.exists())

    @property
    def are_busy(self) -> bool:
        return self.is_any_heard_of or bool(self.held)

    def is_reading(self, document: Document) -> bool:
        return document_lease_name(document.pk) in self.held


def _queue_places(documents: Sequence[Document]) -> dict[UUID, int]:
    """How many documents of the same owner come before each that waits. Owners take turns, so that others of other
    people are no measure."""
    waiting = [doc for doc in documents if doc.status == DocumentStatus.QUEUED]
    if not waiting:
        return {}
    owners = KnowledgeBase.objects.filter(pk__in={doc.knowledge_base_id for doc in waiting}).values("owner")
    queue = Document.objects.present().filter(status=DocumentStatus.QUEUED, knowledge_base__owner__in=owners)
    places: dict[int, int] = {}
    found = {}
    rows = queue.in_reading_order().values_list("pk", "knowledge_base__owner")[:MAX_QUEUE]
    for pk, owner in rows:
        found[pk] = places.get(owner, 0)
        places[owner] = found[pk] + 1
    return found


def _document_row(document: Document, access: BaseAccess, trouble: str, *, place: int | None) -> DocumentRow:
    status = DocumentStatus(document.status)
    style, icon = _STATUS_STYLES.get(status, ("", "wait"))
    return DocumentRow(
        document=document,
        stages=stage_percentages(document),
        label=_STATUS_LABELS[status],
        style="warn" if trouble else style,
        icon=icon,
        note=status_note(document, place=place),
        problem=_failure_reason(document) or trouble,
        is_own=document.knowledge_base.plugin_id == (access.plugin.pk if access.plugin else None),
        can_edit=document.knowledge_base_id in access.editable,
        can_open=document.knowledge_base_id in access.readable,
    )


def stage_percentages(document: Document) -> tuple[int, int, int, int]:
    """How much of each stage is done, in percent."""
    pages = _percentage(document.pages_done, document.pages_total)
    chunks = _percentage(document.chunks_done, document.chunks_total)
    if document.status == DocumentStatus.FAILED:
        return pages, 0, 0, 0
    if document.status == DocumentStatus.QUEUED:  # begun, where it has made way for others
        return (pages if pages < 100 else 0), 0, 0, 0
    at = _STAGE_ORDER.index(DocumentStatus(document.status))
    under_way = (pages, 0, chunks, 100)
    reading, splitting, embedding, ready = (100 if i < at else under_way[i] if i == at else 0 for i in range(4))
    return reading, splitting, embedding, ready


def status_note(document: Document, *, place: int | None = None) -> str:
    """Where it stands, in a few words. `place` is how many documents are read before it, where that is known."""
    match document.status:
        case DocumentStatus.QUEUED:
            waits = "waits to be compared with its file" if document.is_unverified else "waits for its turn"
            return _join_nonempty(_pages_kept_text(document), waits, _place_text(place))
        case DocumentStatus.READING:
            done = f"page {document.pages_done} of {document.pages_total}" if document.pages_total else "opening it"
            return _join_nonempty(done, _pace_text(document), _time_left_text(document.expected_at, "of reading"))
        case DocumentStatus.CHUNKING:
            return f"splitting {_count_text(document.pages_total, 'page')}"
        case DocumentStatus.EMBEDDING:
            done = f"{document.chunks_done} of {_count_text(document.chunks_total, 'passage')}"
            return _join_nonempty(
                _count_text(document.pages_total, "page"), done, _time_left_text(document.expected_at, "")
            )
    unverified = "not verified against its file" if document.is_unverified else ""
    return _join_nonempty(_size_text(document), validity_text(document), unverified)


def validity_text(document: Document) -> str:
    """The period for which the document is valid; empty if it is not set."""
    since, until = document.effective_from, document.superseded_on
    today = timezone.localdate()
    if until and until <= today:
        return f"superseded {_format_day(until)}"
    parts = [f"in force {'from' if since > today else 'since'} {_format_day(since)}" if since else ""]
    parts.append(f"until {_format_day(until)}" if until else "")
    return " ".join(filter(None, parts))


def duration_text(seconds: float) -> str:
    """As exactly as an estimate deserves."""
    if seconds < 10:
        return "a few seconds"
    if seconds < 55:
        return f"about {round(seconds, -1):.0f} seconds"
    if seconds < 5400:
        return f"about {_count_text(max(1, round(seconds / 60)), 'minute')}"
    return f"about {_count_text(round(seconds / 3600), 'hour')}"


def _is_working(document: Document) -> bool:
    return document.status not in (DocumentStatus.READY, DocumentStatus.FAILED)


def _pages_kept_text(document: Document) -> str:
    """How far it had come when it made way for others."""
    if not 0 < document.pages_done < (document.pages_total or 0):
        return ""
    return f"{document.pages_done} of {_count_text(document.pages_total, 'page')} read"


def _place_text(place: int | None) -> str:
    if place is None:
        return ""
    return f"{_count_text(place, 'document')} before it" if place else "next"


def _stalled_reason(document: Document, now: datetime, readers: _Readers) -> str:
    since = duration_text((now - document.updated_at).total_seconds()).removeprefix("about ")
    if document.error_code == WAITING_ERROR_CODE or readers.is_reading(document):
        return ""
    if readers.are_busy and document.status == DocumentStatus.QUEUED:
        return ""
    if readers.are_busy:
        return f"No news for {since}. It is taken up again by itself, from where it stopped."
    return f"Nothing was read for {since}. If it lasts, tell the operators of this site: its worker may have stopped."


def _failure_reason(document: Document) -> str:
    if document.status != DocumentStatus.FAILED:
        return document.error
    kept = "The earlier version keeps answering." if document.added_in else "Nothing else was affected."
    return f"{document.error} {kept}"


def _size_text(document: Document) -> str:
    if document.status == DocumentStatus.FAILED:
        return f"added {_format_day(timezone.localtime(document.created_at).date())}"
    if document.page_count:
        return _count_text(document.page_count, "page")
    return document.get_source_type_display()


def _time_left_text(expected_at: datetime | None, of_what: str) -> str:
    if expected_at is None:
        return ""
    seconds = (expected_at - timezone.now()).total_seconds()
    # An estimate that has passed was wrong, and is not repeated.
    return f"{duration_text(seconds)} {of_what} left".replace("  ", " ") if seconds > 0 else ""


def _pace_text(document: Document) -> str:
    """How many pages are read in a minute, as far as the estimate says; empty where they are too many to be told."""
    if document.expected_at is None or not document.pages_total:
        return ""
    minutes = (document.expected_at - timezone.now()).total_seconds() / 60
    pace = (document.pages_total - document.pages_done) / minutes if minutes > 0 else 0
    if 0 < pace < 0.95:
        return f"a page in {duration_text(60 / pace).removeprefix('about ')}"
    return f"{_count_text(round(pace), 'page')} a minute" if 0 < round(pace) <= _MAX_TOLD_PACE else ""


def _percentage(done: int, total: int | None) -> int:
    return min(100, 100 * done // total) if total else 0


def _count_text(number: int | None, word: str) -> str:
    return f"{number or 0:,} {word}{'' if number == 1 else 's'}"


def _join_nonempty(*parts: str) -> str:
    return " · ".join(part for part in parts if part)


def _format_day(day: date) -> str:
    return f"{day.day} {day:%b %Y}"
