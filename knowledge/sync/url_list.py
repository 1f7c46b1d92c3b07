"""Syncs a knowledge base with a file of web addresses, one per line. `knowledge.ingest` fetches each page."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from knowledge.documents.lifecycle import add_url
from knowledge.ingest import ingest_until_done
from knowledge.models import Document, DocumentStatus, Source, SourceItem
from knowledge.sync.folder import SourceNotFound
from knowledge.sync.notes.note_problems import NoteProblem
from knowledge.sync.sync_report import SyncReport
from knowledge.versions import publish_version
from knowledge.versions.batches import OnProgress
from lexic.errors import LexicError

MAX_LIST_BYTES = 1024 * 1024
MAX_ADDRESSES = 2000


@dataclass(kw_only=True)
class _SyncTally:
    added: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    problems: list[NoteProblem] = field(default_factory=list)
    unchanged: int = 0


def parse_url_list(path: Path) -> dict[str, int]:
    """The URLs with their line numbers. A line that begins with `#` is a comment."""
    try:
        with path.open("rb") as stream:
            data = stream.read(MAX_LIST_BYTES + 1)
    except OSError as error:
        raise SourceNotFound(f"{path}: {error.strerror}.") from None
    lines = data[:MAX_LIST_BYTES].decode("utf-8", "replace").splitlines()
    found = {line.strip(): number for number, line in reversed(list(enumerate(lines, start=1)))}
    wanted = {address: line for address, line in found.items() if address and not address.startswith("#")}
    return dict(sorted(wanted.items(), key=lambda one: one[1])[:MAX_ADDRESSES])


def preview_urls(source: Source, *, path: Path) -> SyncReport:
    """The URLs that would be added and removed. Whether a page has changed is known only after it is fetched."""
    addresses, items = parse_url_list(path), _items_by_url(source)
    return SyncReport(
        added=tuple(sorted(set(addresses) - set(items))),
        removed=tuple(sorted(set(items) - set(addresses))),
        unchanged=len(set(items) & set(addresses)),
    )


def sync_urls(source: Source, *, path: Path, on_progress: OnProgress | None = None) -> SyncReport:
    """Fetches every URL again, and removes the documents whose URL is no longer listed. Raises `SourceNotFound`."""
    addresses, items, done = parse_url_list(path), _items_by_url(source), _SyncTally()
    removed = [items[address] for address in sorted(set(items) - set(addresses))]
    for item in removed:
        _remove_item(item)
    for number, (address, line) in enumerate(addresses.items(), start=1):
        _fetch_item(source, address, items.get(address), line=line, done=done)
        if on_progress:
            on_progress(number, len(addresses))
    source.knowledge_base.refresh_from_db()
    return SyncReport(
        added=tuple(sorted(done.added)),
        changed=tuple(sorted(done.changed)),
        removed=tuple(item.path for item in removed),
        problems=tuple(done.problems),
        unchanged=done.unchanged,
        revision=source.knowledge_base.revision,
    )


def _items_by_url(source: Source) -> dict[str, SourceItem]:
    return {item.path: item for item in source.items.select_related("document")} if source.pk else {}


@transaction.atomic
def _remove_item(item: SourceItem) -> None:
    if item.document and item.document.removed_in is None:
        publish_version.remove_document(item.document)  # the rows and the file of a document under legal hold stay
    SourceItem.objects.filter(pk=item.pk).delete()


def _fetch_item(source: Source, address: str, item: SourceItem | None, *, line: int, done: _SyncTally) -> None:
    item = item or SourceItem(source=source, path=address)
    try:
        item.document = add_url(knowledge_base=source.knowledge_base, url=address, enqueue=False).document
        ingest_until_done(item.document.pk)
    except LexicError as error:
        done.problems.append(NoteProblem(path=source.location, line=line, message=f"{address[:200]}: {error.message}"))
        return
    document = Document.objects.get(pk=item.document.pk)
    if document.status == DocumentStatus.FAILED:
        done.problems.append(NoteProblem(path=source.location, line=line, message=f"{address}: {document.error}"))
    if document.status != DocumentStatus.FAILED:
        if item.pk and item.sha256 == document.ready_sha256:
            done.unchanged += 1
        else:
            (done.changed if item.pk else done.added).append(item.path)
    item.sha256 = item.stored_sha256 = document.ready_sha256
    item.synced_at = timezone.now()
    item.save()
