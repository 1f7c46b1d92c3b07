"""Syncs a remote source: lists its items, fetches them, compares, and writes. A source that cannot be read changes
nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from django.db import transaction
from django.utils import timezone

from knowledge.models import Source, SourceItem
from knowledge.source_models import SourceKind
from knowledge.sync.notes.note_problems import NoteProblem
from knowledge.sync.plan import manifest_items
from knowledge.sync.remote.apply_remote_plan import Written, write_plan
from knowledge.sync.remote.compare import RemotePlan, compare
from knowledge.sync.remote.feed import list_feed
from knowledge.sync.remote.remote_listing import RemoteListing, Spool, new_spool
from knowledge.sync.remote.website import list_website
from knowledge.sync.sync_report import SyncReport
from knowledge.versions.batches import OnProgress
from lexic.errors import LexicError


def preview_remote(source: Source) -> SyncReport:
    """What a sync would change. Everything is fetched as in a sync, and nothing is written. Raises
    `SourceUnavailable`."""
    items = manifest_items(source)
    with new_spool() as spool:
        listing = _list(source, items, spool)
        plan = compare(items, listing, allows_removals=False)
    foreseen = Written(added=[file.path for file in plan.added], changed=[file.path for _, file in plan.changed])
    return _report(source, plan, listing, foreseen)


def sync_remote(
    source: Source, *, allows_removals: bool, reads_now: bool, on_progress: OnProgress | None = None
) -> SyncReport:
    """Brings the documents in line with the source. `allows_removals` means that a person has confirmed the removals.

    If the sync fails, the reason is stored on the source. Raises `SourceUnavailable` and `SourceRemoved`.
    """
    source.tried_at = timezone.now()
    source.error_code = source.error = ""
    try:
        items = manifest_items(source)
        with new_spool() as spool:
            listing = _list(source, items, spool)
            plan = compare(items, listing, allows_removals=allows_removals)
            renamed = [(item.path, file.path) for item, file in plan.renamed]
            written = write_plan(source, plan, reads_now=reads_now, on_progress=on_progress)
    except LexicError as error:
        source.error_code, source.error = error.code[:40], error.message_with_hint
        raise
    finally:
        _save_attempt(source)
    if not (listing.partly or plan.held or plan.kept):
        source.state = listing.state
        source.same_options().update(state=source.state)
    source.knowledge_base.refresh_from_db(fields=["revision"])
    return replace(_report(source, plan, listing, written), renamed=tuple(sorted(renamed)))


@transaction.atomic
def _save_attempt(source: Source) -> None:
    """It is due again by the timetable that it has now, which may have been changed during the sync."""
    for row in Source.objects.select_for_update(no_key=True).filter(pk=source.pk):
        source.interval_hours = row.interval_hours
        source.set_due(source.tried_at or timezone.now())
        source.save(update_fields=["tried_at", "due_at", "error_code", "error"])


def _list(source: Source, items: Mapping[str, SourceItem], spool: Spool) -> RemoteListing:
    # An item without a document is fetched again, because it may have a document now.
    known = {path: item for path, item in items.items() if item.live_document}
    if source.kind == SourceKind.WEBSITE:
        return list_website(source.location, source.options, known=known, spool=spool)
    if source.kind == SourceKind.FEED:
        return list_feed(source.location, source.options, known=known, state=source.state, spool=spool)
    if source.kind == SourceKind.BUCKET:
        from knowledge.sync.remote.bucket import list_bucket

        return list_bucket(source, known=known, spool=spool)
    # Imported here, because most processes never read a repository.
    from knowledge.sync.remote.git_repository import list_repository

    return list_repository(source, known=known, spool=spool)


def _report(source: Source, plan: RemotePlan, listing: RemoteListing, written: Written) -> SyncReport:
    problems = [
        *listing.problems,
        *(NoteProblem(path=path, line=None, message=text) for path, text in written.problems),
    ]
    return SyncReport(
        added=tuple(sorted(written.added)),
        changed=tuple(sorted(written.changed)),
        renamed=tuple(sorted((item.path, file.path) for item, file in plan.renamed)),
        removed=tuple(sorted(item.path for item in plan.removed)),
        kept=tuple(sorted(plan.kept.items())),
        left_out=tuple(sorted([*plan.left_out, *written.left_out])),
        problems=tuple(problems),
        unchanged=plan.unchanged,
        revision=source.knowledge_base.revision,
        # A commit counts as unread as long as a part of it has not been read.
        commit="" if listing.partly or plan.held or plan.kept else listing.commit,
        held=plan.held,
        partly=listing.partly,
    )
