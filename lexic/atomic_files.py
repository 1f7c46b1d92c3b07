"""Files that are whole or not there."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from lexic.infrastructure_errors import outage_error

_UNFINISHED = ".incoming-"


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
    with tempfile.NamedTemporaryFile(dir=folder, prefix=_UNFINISHED, delete=False) as file:
        try:
            yield file
        finally:
            Path(file.name).unlink(missing_ok=True)


def is_unfinished(name: str) -> bool:
    """Whether a file of this name was never written to its end, or is being written."""
    return name.rpartition("/")[2].startswith(_UNFINISHED)


def move_into_place(file: IO[bytes], path: Path) -> None:
    """The temporary file is whole, and is called this from now on, in place of what was called so."""
    file.close()
    # A rename is atomic: whoever finds the name finds the whole file.
    Path(file.name).replace(path)
