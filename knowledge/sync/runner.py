"""Syncs one source with its knowledge base, by one process at a time. Everything that syncs calls `run_sync`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from knowledge import lease
from knowledge.embedders import get_embedder
from knowledge.embedders.base import Embedder
from knowledge.models import KnowledgeBase, Source
from knowledge.source_models import SourceKind
from knowledge.sync import url_list
from knowledge.sync.apply_plan import apply_plan
from knowledge.sync.folder import SourceNotFound
from knowledge.sync.git_commit import checked_out_commit, is_checkout
from knowledge.sync.library import has_library, plan_library
from knowledge.sync.plan import SyncPlan, plan_sync
from knowledge.sync.remote.sync_remote import preview_remote, sync_remote
from knowledge.sync.sync_report import SyncReport, build_report
from knowledge.versions.batches import OnProgress
from lexic.errors import Conflict, InvalidInput
from plugins.models import Planner, Plugin

MAX_LOCATION_LENGTH = 1000


class AlreadySyncing(Conflict):
    """This source is being synced by somebody else right now."""

    code = "already_syncing"
    hint = "Wait until that is done."


class EmptySource(Conflict):
    """There is not one note left in the folder, so that every document would be removed."""

    code = "empty_source"
    hint = "Nothing was changed. If that is what you want, say --allow-empty."


class LocationTooLong(InvalidInput):
    """The path is longer than 1000 characters."""

    code = "invalid_location"


def get_or_create_source(
    base: KnowledgeBase, location: Path, *, public_only: bool | None = None, is_public: bool | None = None
) -> Source:
    """The source of this knowledge base at this place, made when it is new. None leaves `public_only`, or whether a
    library `is_public`, as it is. With its first folder of notes a plugin plans its questions, until its author turns
    that off.

    Raises `SourceNotFound`, and `LocationTooLong`.
    """
    place = location.resolve()
    if not place.exists():
        raise SourceNotFound(f"There is no folder or file {str(location)!r}.")
    if len(str(place)) > MAX_LOCATION_LENGTH:
        raise LocationTooLong
    source, is_new = Source.objects.get_or_create(
        knowledge_base=base, location=str(place), defaults={"kind": _detect_kind(place)}
    )
    if is_new and base.plugin_id and source.kind in (SourceKind.FOLDER, SourceKind.GIT):  # notes are dated and labelled
        Plugin.objects.filter(pk=base.plugin_id, planner=Planner.OFF).update(planner=Planner.RULES)
    source.kind = _detect_kind(place)
    source.public_only = source.public_only if public_only is None else public_only
    source.is_public = source.is_public if is_public is None else is_public
    source.save(update_fields=["kind", "public_only", "is_public"])
    return source


def is_under_sync_root(source: Source) -> bool:
    """Whether the source lies under a folder that the operator has named in LEXIC_SYNC_ROOTS.

    Of what lies on this server only those are synced by the timetable and from the site; all others only by
    `manage.py sync`.
    """
    if source.is_remote:
        return False
    place = Path(source.location).resolve()
    return any(place.is_relative_to(Path(root).resolve()) for root in settings.LEXIC_SYNC_ROOTS)


def preview_sync(source: Source) -> SyncReport:
    """What a sync would do. Nothing is changed."""
    if source.is_remote:
        return preview_remote(source)
    place = _source_path(source)
    if source.kind == SourceKind.URLS:
        return url_list.preview_urls(source, path=place)
    commit = checked_out_commit(place)
    found = _plan(source, place, commit)
    return build_report(found, embedded=None, revision=source.knowledge_base.revision, commit=commit)


def run_sync(
    source: Source,
    *,
    allow_empty: bool = False,
    embedder: Embedder | None = None,
    on_progress: OnProgress | None = None,
    reads_now: bool = True,
) -> SyncReport:
    """Sync the knowledge base with the source. `embedder` is used in place of the one that the base names. What a
    remote source has fetched is read here where it `reads_now`, else by workers; with `allow_empty`, what it no longer
    has is retired however much that is.

    Raises `AlreadySyncing`, `SourceUnavailable`, `SourceNotFound`, `TooManyNotes`, `EmptySource`, `WrongDimensions`,
    `EmbedderChanged` and `EmbedderError`. What is wrong with single notes is in the report, and stops nothing.
    """
    with lease.try_lease(f"sync:{source.pk}") as ours:
        if not ours:
            raise AlreadySyncing
        if source.is_remote:
            report = sync_remote(source, allows_removals=allow_empty, reads_now=reads_now, on_progress=on_progress)
        else:
            report = _sync_by_kind(source, allow_empty=allow_empty, embedder=embedder, on_progress=on_progress)
        _save_report(source, report)
        return report


def _sync_by_kind(
    source: Source, *, allow_empty: bool, embedder: Embedder | None, on_progress: OnProgress | None
) -> SyncReport:
    place, base = _source_path(source), source.knowledge_base
    if source.kind == SourceKind.URLS:
        return url_list.sync_urls(source, path=place, on_progress=on_progress)
    # The commit is read first: what is checked out during the sync then counts as new the next time.
    commit = checked_out_commit(place)
    found = _plan(source, place, commit)
    has_notes = found.changes or found.unchanged or found.unreadable or found.left_out
    if found.removed and not has_notes and not allow_empty:  # a disk that is not mounted looks like this
        raise EmptySource
    planned = build_report(found, embedded=None, revision=base.revision, commit=commit)
    embedded = apply_plan(
        source, found, embedder=lambda: embedder or get_embedder(base.embedder), on_progress=on_progress
    )
    base.refresh_from_db(fields=["revision"])
    return replace(planned, embedded=embedded, revision=base.revision)


def _plan(source: Source, place: Path, commit: str) -> SyncPlan:
    if source.kind == SourceKind.LIBRARY:
        return plan_library(source, root=place, today=timezone.localdate(), commit=commit)
    return plan_sync(source, root=place, today=timezone.localdate())


def _source_path(source: Source) -> Path:
    place = Path(source.location)
    # The place itself may have become a link since it was named.
    if place.resolve() != place or not (place.is_file() if source.kind == SourceKind.URLS else place.is_dir()):
        raise SourceNotFound(f"{source.location} is no longer there.")
    return place


def _detect_kind(place: Path) -> SourceKind:
    if place.is_file():
        return SourceKind.URLS
    if has_library(place):
        return SourceKind.LIBRARY
    return SourceKind.GIT if is_checkout(place) else SourceKind.FOLDER


@transaction.atomic
def _save_report(source: Source, report: SyncReport) -> None:
    source.synced_at, source.commit, source.report = timezone.now(), report.commit, report.remembered
    Source.objects.filter(pk=source.pk).update(synced_at=source.synced_at, report=source.report)
    source.same_options().update(commit=source.commit)
