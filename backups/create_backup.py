"""Makes a backup while the site runs: the files, the database as it is at one moment, and files that came meanwhile."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Set
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any

from django.utils import timezone
from psycopg import Connection

from accounts import avatars
from backups.backup_errors import BackupRuns, DamagedBackup, NoBackup
from backups.backup_store import BackupStore, pieces_of
from backups.manifest import FileCopy, Manifest, newest
from backups.site_identity import beginning_of_this_site, is_of_other_site, refuse_place_of_other_site
from backups.snapshot import copy_tables, database_snapshot, read_migrations, read_sequences
from knowledge.documents import file_store, page_images
from knowledge.lease import confirm_held, try_lease
from lexic.storage import StoredObject, site_storage
from lexic.storage.encrypted import UnknownFilesKey, UnreadableFile
from lexic.version import version
from marketplace.sharing import release_files

logger = logging.getLogger(__name__)

# What is drawn or packed again when somebody wants it.
_LEFT_OUT = (f"{page_images.IMAGES_FOLDER}/", f"{release_files.FOLDER}/")


def create_backup(store: BackupStore, *, keep: int = 0, now: datetime | None = None) -> Manifest:
    """Makes a backup. With `keep`, only so many of the newest stay, and what the others alone held is deleted.

    A file that is lost or damaged is named, and the copy of an earlier backup is in this one too. As long as a file is
    damaged, nothing is deleted, because an earlier backup may have it whole.
    When this ends early, there is no new backup, and the earlier ones are as they were. Raises `BackupRuns`,
    `OtherSite`, `DiskFull`, `StorageUnavailable`, `UnknownFilesKey`.
    """
    with only_backup():
        refuse_place_of_other_site(store)
        copies, _ = _copy_files(store, _known_copies(store))
        with database_snapshot() as snapshot:
            tables, sequences = copy_tables(snapshot, store), read_sequences(snapshot)
            migrations, named = read_migrations(snapshot), _named_files(snapshot)
        # Again, for what came since the first look: it may be gone at a third.
        later, damaged = _copy_files(store, copies)
        copies |= later
        missing = (named | damaged) - copies.keys()
        copies |= _earlier_copies(store, missing)
        manifest = Manifest(
            name=Manifest.next_name(store.backups(), now or timezone.now()),
            version=version(),
            migrations=migrations,
            tables=tables,
            sequences=sequences,
            files=sorted(copies.values(), key=lambda file: file.name),
            missing=sorted(missing),
            damaged=sorted(damaged),
        )
        confirm_held()
        manifest.write(store)
        if keep and damaged:
            logger.warning("older backups stay: %s files are damaged", len(damaged))
        elif keep:
            prune_backups(store, keep=keep)
    return manifest


def prune_backups(store: BackupStore, *, keep: int) -> None:
    """Deletes all but the newest, and the pieces that no other one needs. As long as one of those that are kept cannot
    be read, or one of all is of another site, nothing is deleted."""
    names = store.backups()
    old, kept = names[:-keep], names[-keep:]
    made_at = beginning_of_this_site()
    if other := next((name for name in names if is_of_other_site(store, name, made_at)), ""):
        logger.warning("older backups stay: %s is of another site", other)
        return
    try:
        needed = {piece for name in kept for piece, _ in Manifest.read(store, name).pieces()}
    except DamagedBackup as error:
        logger.warning("older backups stay: %s", error.message)
        return
    for name in old:
        store.delete_manifest(name)
    store.delete_other_pieces(needed)


@contextmanager
def only_backup() -> Iterator[None]:
    """Holds a lock so that no other backup of this site is made inside the block. Raises `BackupRuns`."""
    with try_lease("backup") as is_ours:
        if not is_ours:
            raise BackupRuns
        yield


def _known_copies(store: BackupStore) -> dict[str, FileCopy]:
    """The files of the newest backup by name; none where it cannot be read: then all are copied."""
    try:
        earlier = newest(store)
    except (DamagedBackup, NoBackup) as error:
        logger.warning("all files are copied again: %s", error.message)
        return {}
    return {file.name: file for file in earlier.files} if earlier else {}


def _earlier_copies(store: BackupStore, missing: Set[str]) -> dict[str, FileCopy]:
    """The copies of these files in earlier backups, each from the newest one that has it."""
    found: dict[str, FileCopy] = {}
    for name in reversed(store.backups()):
        if missing <= found.keys():
            break
        with suppress(DamagedBackup, NoBackup):
            earlier = Manifest.read(store, name).files
            found |= {
                file.name: file
                for file in earlier
                if file.name in missing and file.name not in found and store.has(file.pieces)
            }
    return found


def _copy_files(store: BackupStore, known: Mapping[str, FileCopy]) -> tuple[dict[str, FileCopy], set[str]]:
    """All files that are there now, and the names of those that are damaged. One that has not changed since it was
    copied is not read again. Raises `UnknownFilesKey`."""
    copies, damaged = {}, set()
    for found in site_storage().files():
        if found.name.startswith(_LEFT_OUT):
            continue
        copy = known.get(found.name)
        try:
            if copy is None or not _is_same(found, copy) or not store.has(copy.pieces):
                copy = _copy_file(store, found)
        except FileNotFoundError:
            continue  # it was deleted a moment ago
        except UnknownFilesKey:
            raise  # of every file under this key, and none of them is damaged
        except UnreadableFile as error:
            logger.warning("%s is not backed up: %s", found.name, error.message)
            damaged.add(found.name)
            continue
        copies[found.name] = copy
    return copies, damaged


def _copy_file(store: BackupStore, found: StoredObject) -> FileCopy:
    """Raises `FileNotFoundError`, `UnreadableFile`, `UnknownFilesKey`."""
    with site_storage().open(found.name) as file:
        pieces = [store.add(piece) for piece in pieces_of(file)]
    return FileCopy(name=found.name, size=found.size, modified=found.modified, pieces=pieces)


def _is_same(found: StoredObject, copy: FileCopy) -> bool:
    """A file whose name is made of its hash never changes; any other one keeps its time while it is the same."""
    if copy.size != found.size:
        return False
    return file_store.is_stored_name(found.name) or copy.modified == found.modified


def _named_files(snapshot: Connection[Any]) -> set[str]:
    """The names of the files that rows name: also of what is not in a document any more and that releases cite, and of
    people's pictures."""
    with snapshot.cursor() as cursor:
        return {*map(file_store.stored_name, file_store.named_files(cursor)), *avatars.named_avatars(cursor)}
