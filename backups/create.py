"""Makes a backup while the site runs: the files, the database as it is at one moment, and files that came meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.utils import timezone
from psycopg import Connection

from backups.manifest import FileCopy, Manifest, newest
from backups.snapshot import copy_tables, database_snapshot, only_backup, read_migrations, read_sequences
from backups.vault import Vault, pieces_of
from knowledge.documents import file_store, page_images
from lexic.storage import StoredObject, site_storage
from lexic.version import version
from marketplace.sharing import release_files

# What is drawn or packed again when somebody wants it.
_LEFT_OUT = (f"{page_images.IMAGES_FOLDER}/", f"{release_files.FOLDER}/")


def create_backup(vault: Vault, *, keep: int = 0, now: datetime | None = None) -> Manifest:
    """The new backup. With `keep`, all but so many of the newest are deleted, and what only they held.

    Whenever this ends early, there is no new backup and the earlier ones are as they were. Raises `BackupRuns`,
    `DiskFull`, `StorageUnavailable`.
    """
    with only_backup():
        earlier = newest(vault)
        copies = _copy_files(vault, {file.name: file for file in (earlier.files if earlier else [])})
        with database_snapshot() as snapshot:
            tables, sequences = copy_tables(snapshot, vault), read_sequences(snapshot)
            migrations, named = read_migrations(snapshot), _named_files(snapshot)
        # Again, for what came since the first look: it may be gone at a third.
        copies |= _copy_files(vault, copies)
        manifest = Manifest(
            name=Manifest.name_at(now or timezone.now()),
            version=version(),
            migrations=migrations,
            tables=tables,
            sequences=sequences,
            files=sorted(copies.values(), key=lambda file: file.name),
            missing=sorted(named - copies.keys()),
        )
        manifest.write(vault)
        if keep:
            prune_backups(vault, keep=keep)
    return manifest


def prune_backups(vault: Vault, *, keep: int) -> int:
    """Deletes all but the newest, and the pieces that no other one needs. Returns how many backups were deleted."""
    names = vault.backups()
    old, kept = names[:-keep], names[-keep:]
    if not old:
        return 0
    needed = {piece for name in kept for piece, _ in Manifest.read(vault, name).pieces()}
    for name in old:
        vault.delete_manifest(name)
    vault.delete_pieces(needed.__contains__)
    return len(old)


def _copy_files(vault: Vault, known: Mapping[str, FileCopy]) -> dict[str, FileCopy]:
    """All files that are there now. One that has not changed since it was copied is not read again."""
    copies = {}
    for found in site_storage().files():
        if found.name.startswith(_LEFT_OUT):
            continue
        copy = known.get(found.name)
        if not _is_same(found, copy):
            copy = _copy_file(vault, found)
        if copy:
            copies[found.name] = copy
    return copies


def _copy_file(vault: Vault, found: StoredObject) -> FileCopy | None:
    """None for one that was deleted a moment ago."""
    try:
        with site_storage().open(found.name) as file:
            pieces = [vault.add(piece) for piece in pieces_of(file)]
    except FileNotFoundError:
        return None
    return FileCopy(name=found.name, size=found.size, modified=found.modified, pieces=pieces)


def _is_same(found: StoredObject, copy: FileCopy | None) -> bool:
    """A file whose name is made of its hash never changes; any other one keeps its time while it is the same."""
    if copy is None or copy.size != found.size:
        return False
    return file_store.is_stored_name(found.name) or copy.modified == found.modified


def _named_files(snapshot: Connection[Any]) -> set[str]:
    """The names of the files of all documents that are there."""
    query = "SELECT DISTINCT sha256 FROM knowledge_document WHERE removed_in IS NULL AND sha256 <> ''"
    return {file_store.stored_name(sha256) for (sha256,) in snapshot.execute(query).fetchall()}
