"""Files in a folder of this machine, or of a disk that several machines share."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import IO

from lexic import atomic_files
from lexic.storage.base import Storage, StoredObject

_PROBE_BYTES = 64 * 1024


class FolderStorage(Storage):
    def __init__(self, root: Path) -> None:
        self._root = root

    def new_file(self, folder: str = "") -> AbstractContextManager[IO[bytes]]:
        return atomic_files.temporary_file(self._root / folder)

    def keep(self, file: IO[bytes], name: str) -> None:
        path = self._root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_files.move_into_place(file, path)

    def open(self, name: str) -> IO[bytes]:
        return (self._root / name).open("rb")

    @contextmanager
    def local_copy(self, name: str) -> Iterator[Path]:
        path = self._root / name
        if not path.is_file():
            raise FileNotFoundError(name)
        yield path

    def find(self, name: str) -> StoredObject | None:
        try:
            about = (self._root / name).stat()
        except OSError:
            return None
        return StoredObject(name=name, size=about.st_size, modified=about.st_mtime)

    def touch(self, name: str) -> bool:
        try:
            os.utime(self._root / name)
        except OSError:
            return False
        return True

    def delete(self, name: str) -> None:
        (self._root / name).unlink(missing_ok=True)

    def delete_folder(self, folder: str) -> None:
        shutil.rmtree(self._root / folder, ignore_errors=True)

    def files(self, beginning: str = "") -> Iterator[StoredObject]:
        return (found for found in self._walk(beginning) if not atomic_files.is_unfinished(found.name))

    def delete_unfinished(self, *, older_than: float) -> int:
        before = time.time() - older_than
        old = [one for one in self._walk() if atomic_files.is_unfinished(one.name) and one.modified < before]
        for one in old:
            self.delete(one.name)
        return len(old)

    def _walk(self, beginning: str = "") -> Iterator[StoredObject]:
        top = self._root / beginning.rpartition("/")[0]
        for folder, _, names in os.walk(top):
            within = Path(folder).relative_to(self._root)
            for name in ((within / each).as_posix() for each in names):
                if name.startswith(beginning) and (found := self.find(name)):
                    yield found

    def check(self) -> str:
        folder = next(path for path in (self._root, *self._root.parents) if path.exists())
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(_PROBE_BYTES))
            probe.flush()
        return f"uploads can be kept in {self._root}"
