"""Carries out what `compare` found: has new and changed files read, and retires what is gone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from django.db import transaction
from django.utils import timezone

from knowledge import ingest_scheduling, lease
from knowledge.documents.lifecycle import add_fetched_file, replace_file
from knowledge.documents.source_file import DuplicateContent
from knowledge.ingest import ingest_until_done
from knowledge.ingest_batch import ingest_small
from knowledge.models import Document, Source, SourceItem
from knowledge.readers.types import UnreadableDocument
from knowledge.source_models import SourceRemoved
from knowledge.sync.remote.compare import RemotePlan
from knowledge.sync.remote.remote_listing import RemoteFile
from knowledge.versions import publish_version
from knowledge.versions.batches import OnProgress, batched
from lexic.errors import LexicError


@dataclass(kw_only=True)
class Written:
    """Paths, by what became of them."""

    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)


def write_plan(source: Source, plan: RemotePlan, *, reads_now: bool, on_progress: OnProgress | None = None) -> Written:
    """Each document in a transaction of its own. With `reads_now` they are read here, as many as are read together
    before the next ones are taken, else by workers in their turn. Raises `LeaseLost` and `SourceRemoved`; what is done
    by then is done."""
    written = Written()
    steps, number = list(_steps(plan)), 0
    for batch in batched(steps, ingest_scheduling.SMALL_TOGETHER if reads_now else 1):
        for _ in _write_batch(source, batch, written, reads_now=reads_now):
            number += 1
            if on_progress:
                on_progress(number, len(steps))
    for item, file in plan.touched:
        _record(item, file, item.document)
    for item, file in plan.renamed:
        _rename(item, file)
    for item in plan.removed:
        lease.confirm_held()
        _retire_item(item)
    return written


def _steps(plan: RemotePlan) -> Iterator[tuple[SourceItem | None, RemoteFile]]:
    yield from plan.changed
    # Small files first, so that what many people wait for does not wait for one long document.
    for file in sorted(plan.added, key=lambda one: one.content.stat().st_size):
        yield None, file


def _write_batch(
    source: Source, batch: Sequence[tuple[SourceItem | None, RemoteFile]], written: Written, *, reads_now: bool
) -> Iterator[RemoteFile]:
    """Gives each file when it is done with."""
    stored = []
    try:
        for item, file in batch:
            lease.confirm_held()
            if document := _write_file(source, item, file, written, reads_now=reads_now):
                stored.append((file, document))
            else:
                yield file
    except SourceRemoved:  # what it had by then stays, and is read
        _read_small(stored, reads_now=reads_now)
        raise
    _read_small(stored, reads_now=reads_now)
    for file, document in stored:
        if reads_now:
            lease.confirm_held()
            _read_now(file, document, written)
        yield file


def _read_small(stored: Sequence[tuple[RemoteFile, Document]], *, reads_now: bool) -> None:
    if reads_now:
        ingest_small([document.pk for _, document in stored])


def _write_file(
    source: Source, item: SourceItem | None, file: RemoteFile, written: Written, *, reads_now: bool
) -> Document | None:
    """None where it could not be stored."""
    row = item or source.items.filter(path=file.path).first() or SourceItem(source=source, path=file.path)
    try:
        document = _store_document(row, file, enqueue=not reads_now)
    except SourceRemoved:
        raise
    except (DuplicateContent, UnreadableDocument) as error:
        written.left_out.append((file.path, error.message))
        if not row.live_document:
            _record(row, file, None)
        return None
    except LexicError as error:  # a quota, a store that is away: the next sync tries it again
        written.problems.append((file.path, error.message_with_hint))
        return None
    (written.changed if item else written.added).append(file.path)
    return document


def _read_now(file: RemoteFile, document: Document, written: Written) -> None:
    ingest_until_done(document.pk)
    document.refresh_from_db(fields=["status", "error"])
    if document.error:
        written.problems.append((file.path, document.error))


def _store_document(row: SourceItem, file: RemoteFile, *, enqueue: bool) -> Document:
    """The document of this row of the manifest, which is saved."""
    with file.content.open("rb") as stream:
        if known := row.live_document:
            document = replace_file(known, file_name=file.file_name, stream=stream, enqueue=enqueue)
            _record(row, file, document)
            return document
        _describe(row, file)
        return add_fetched_file(
            item=row, file_name=file.file_name, url=file.url, title=file.title, stream=stream, enqueue=enqueue
        )


@transaction.atomic
def _record(item: SourceItem, file: RemoteFile, document: Document | None) -> None:
    Source.objects.locked(item.source_id)
    item.document = document
    _describe(item, file)
    item.save()


def _describe(item: SourceItem, file: RemoteFile) -> None:
    """As the file is now; saved with the row."""
    item.path, item.version = file.path, dict(file.version)
    item.sha256 = item.stored_sha256 = file.sha256
    item.synced_at = timezone.now()


@transaction.atomic
def _rename(item: SourceItem, file: RemoteFile) -> None:
    document, source = item.document, Source.objects.locked(item.source_id)
    source.items.filter(path=file.path).exclude(pk=item.pk).delete()
    _record(item, file, document)
    if document:
        columns = {"file_name": file.file_name, "url": file.url, "updated_at": timezone.now()}
        Document.objects.filter(pk=document.pk).update(**columns)


@transaction.atomic
def _retire_item(item: SourceItem) -> None:
    """Removes the document from the current revision. Earlier releases keep it, and so does a legal hold."""
    Source.objects.locked(item.source_id)
    if document := item.live_document:
        publish_version.remove_document(document)
    SourceItem.objects.filter(pk=item.pk).delete()
