"""Files that are whole or not there, and what goes when those that can be made again take up too much."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from lexic.outages import outage_error


@contextmanager
def temporary_file(folder: Path) -> Iterator[IO[bytes]]:
    """A new file in this folder, to write. It is gone afterwards unless `move_into_place` has given it a name.

    Raises `DiskFull` when the disk is full.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with _new_file(folder) as file:
            yield file
    except OSError as error:
        if full := outage_error(error):
            raise full from error
        raise


@contextmanager
def _new_file(folder: Path) -> Iterator[IO[bytes]]:
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".incoming-", delete=False) as file:
        try:
            yield file
        finally:
            Path(file.name).unlink(missing_ok=True)


def move_into_place(file: IO[bytes], path: Path) -> None:
    """The temporary file is whole, and is called this from now on, in place of what was called so."""
    file.close()
    # A rename is atomic: whoever finds the name finds the whole file.
    Path(file.name).replace(path)


def prune_files(paths: Iterable[Path], *, most_bytes: int, but: Path | None = None) -> int:
    """Delete the files that nobody has wanted for longest, by when they were touched, until the rest takes up less.

    `but` stays whatever it takes up. Returns how many were deleted.
    """
    found = []
    for path in paths:
        with suppress(OSError):
            about = path.stat()
            found.append((about.st_mtime, about.st_size, path))
    taken, deleted = sum(size for _, size, _ in found), 0
    for _, size, path in sorted(found):
        if taken <= most_bytes:
            break
        if path != but:
            path.unlink(missing_ok=True)
            taken, deleted = taken - size, deleted + 1
    return deleted
