"""The interface of file storages, so that no other module knows whether files are on a disk or on another machine."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

_TOUCH_AFTER_SECONDS = 3600.0


@dataclass(frozen=True, kw_only=True)
class StoredObject:
    """A file as the storage lists it; `size` in bytes, `modified` in seconds since 1970."""

    name: str
    size: int
    modified: float


class Storage(ABC):
    """Files by name. Names are made by the program, with `/` between their parts, and never by a user.

    A file is whole or not there. Every method may raise `StorageUnavailable`; those that write on this machine, also a
    copy, may raise `DiskFull`.
    """

    @abstractmethod
    def new_file(self, folder: str = "") -> AbstractContextManager[IO[bytes]]:
        """A file on this machine, to write. It is gone afterwards unless `keep` has given it a name in the folder."""

    @abstractmethod
    def keep(self, file: IO[bytes], name: str) -> None:
        """The new file is whole, and is called this from now on, in place of what was called so."""

    def keep_and_open(self, file: IO[bytes], name: str) -> IO[bytes]:
        """As `keep`, and the file on this machine, at its beginning; the caller closes it."""
        self.keep(file, name)
        return self.open(name)

    @abstractmethod
    def open(self, name: str) -> IO[bytes]:
        """The file on this machine, at its beginning; the caller closes it. Raises `FileNotFoundError`."""

    @abstractmethod
    def local_copy(self, name: str) -> AbstractContextManager[Path]:
        """A path on this machine, to read inside the block, for programs that want one. Raises `FileNotFoundError`."""

    @abstractmethod
    def find(self, name: str) -> StoredObject | None: ...

    @abstractmethod
    def touch(self, name: str) -> bool:
        """Whether there is such a file. It counts as modified now."""

    def note_use(self, found: StoredObject) -> None:
        """Counts the file as modified now, unless it was modified within the last hour: a bucket copies a file to touch
        it."""
        if found.modified < time.time() - _TOUCH_AFTER_SECONDS:
            self.touch(found.name)

    @abstractmethod
    def delete(self, name: str) -> None:
        """Deletes the file, where there is one."""

    @abstractmethod
    def delete_folder(self, folder: str) -> None:
        """Deletes all files below this folder."""

    @abstractmethod
    def files(self, beginning: str = "") -> Iterator[StoredObject]:
        """All files whose names begin so, in no order; none that is not whole."""

    def delete_unfinished(self, *, older_than: float) -> int:
        """Deletes what was begun so many seconds ago and never written to its end. Returns how many files that were."""
        return 0

    @abstractmethod
    def check(self) -> str:
        """Checks that files can be written, and says where they are kept. Raises `OSError`, `StorageUnavailable`."""

    def find_many(self, names: Collection[str]) -> Iterator[StoredObject]:
        """The files of these that exist."""
        return (found for name in names if (found := self.find(name)))

    def read(self, name: str) -> bytes:
        """The whole file. Raises `FileNotFoundError`."""
        with self.open(name) as file:
            return file.read()

    def read_beginning(self, name: str, size: int) -> bytes:
        """So many bytes of the file, or all that it has. Raises `FileNotFoundError`."""
        with self.open(name) as file:
            return file.read(size)

    def save(self, content: bytes, name: str) -> None:
        """The content is called this from now on, in place of what was called so."""
        with self.new_file(name.rpartition("/")[0]) as file:
            file.write(content)
            self.keep(file, name)

    def exists(self, name: str) -> bool:
        return self.find(name) is not None


def prune(storage: Storage, folder: str, *, most_bytes: int, but: str = "") -> int:
    """Deletes the least recently touched files of a folder until the rest fits into the size. `but` is never deleted.
    Returns how many were deleted."""
    found = sorted(storage.files(f"{folder}/"), key=lambda one: one.modified)
    taken, deleted = sum(one.size for one in found), 0
    for one in found:
        if taken <= most_bytes:
            break
        if one.name != but:
            storage.delete(one.name)
            taken, deleted = taken - one.size, deleted + 1
    return deleted
