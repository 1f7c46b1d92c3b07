"""The file of a shared release: written when somebody first wants it, kept for the next, within bounds."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, Any
from uuid import UUID

from django.conf import settings
from django.db.models import Exists, OuterRef

from lexic.storage import prune, site_storage
from local import locks
from marketplace.bundle import release_export as bundle
from marketplace.bundle.pinned_documents import PinnedDocument, pinned_documents
from marketplace.sharing.shareability import may_be_copied
from plugins.models import Plugin, Release

FOLDER = "shared"
# The id of the release, and a name of what it holds.
_RELEASE_FILE_NAME = re.compile(r"([0-9a-f]{32})-[0-9a-f]{64}\.zip")


@dataclass(frozen=True, kw_only=True)
class ReleaseFile:
    """The file of a release, not yet written perhaps. `name` is another one when its content is."""

    release: UUID
    name: str
    head: dict[str, Any]
    documents: list[PinnedDocument]

    def open(self) -> IO[bytes]:
        """At its beginning; the caller closes it. Raises `SourceFileMissing`, `TooLargeToExport`."""
        name, storage = f"{FOLDER}/{self.release.hex}-{self.name}.zip", site_storage()
        if (kept := _open_kept_file(name)) is not None:
            return kept
        # One of this machine writes at a time: whoever waited finds it written.
        with locks.hold_lock(settings.VAR_DIR, "shared-releases"):
            if (kept := _open_kept_file(name)) is None:
                with storage.new_file(FOLDER) as target:
                    bundle.write_release(self.head, self.documents, target)
                    kept = storage.keep_and_open(target, name)
                prune_release_files(most_bytes=settings.LEXIC_SHARED_MAX_BYTES, but=name)
        return kept


def release_file(release: Release) -> ReleaseFile:
    """The release as one file, as it is now. Raises `IncompleteRelease`."""
    documents = pinned_documents(release)
    head = bundle.release_manifest(release, documents)
    return ReleaseFile(
        release=release.pk, name=bundle.release_content_hash(head, release), head=head, documents=documents
    )


def prune_release_files(*, most_bytes: int, but: str = "") -> int:
    """Delete the least recently used files until the rest takes up less than this. Returns how many."""
    return prune(site_storage(), FOLDER, most_bytes=most_bytes, but=but)


def delete_stale_files() -> int:
    """Deletes release files that may no longer be downloaded: of plugins and releases that are deleted, not shared,
    withdrawn or replaced, of releases whose knowledge is deleted or no longer granted, and older content of a release.
    Returns how many."""
    gone = stale_files()
    for name in gone:
        site_storage().delete(f"{FOLDER}/{name}")
    return len(gone)


def stale_files() -> list[str]:
    """The names of the files that `delete_stale_files` deletes."""
    by_release: dict[UUID | None, list[str]] = defaultdict(list)
    for found in sorted(site_storage().files(f"{FOLDER}/"), key=lambda one: one.modified, reverse=True):
        name = found.name.rpartition("/")[2]
        named = _RELEASE_FILE_NAME.fullmatch(name)
        by_release[UUID(named[1]) if named else None].append(name)
    wanted = set(_shared_release_ids([pk for pk in by_release if pk]))
    return [name for pk, names in by_release.items() for name in (names[1:] if pk in wanted else names)]


def _shared_release_ids(releases: Collection[UUID]) -> list[UUID]:
    """As `shareability.shared_release` chooses them."""
    newer = Release.objects.filter(plugin=OuterRef("plugin"), created_at__gt=OuterRef("created_at"))
    shared = Release.objects.filter(plugin__in=Plugin.objects.copied(), pk__in=releases)
    latest = shared.filter(~Exists(newer)).select_related("plugin")
    return [release.pk for release in latest if may_be_copied(release)]


def _open_kept_file(name: str) -> IO[bytes] | None:
    storage = site_storage()
    if found := storage.find(name):
        storage.note_use(found)
        with suppress(FileNotFoundError):
            return storage.open(name)
    return None
