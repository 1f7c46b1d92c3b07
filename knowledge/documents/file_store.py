"""The one store for uploaded files. Names are made here, from the content: nothing a user sends becomes a path."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from django.conf import settings

from lexic import atomic_files
from lexic.errors import InvalidInput, LexicError

_BLOCK_BYTES = 1024 * 1024
_SHA256 = re.compile(r"[0-9a-f]{64}")


class ByteStream(Protocol):
    """Anything that gives bytes: an open file, an upload, a response."""

    def read(self, size: int, /) -> bytes: ...


class FileTooLarge(LexicError):
    """The file is too large."""

    code = "too_large"
    status = 413
    hint = "Split it into smaller files."


@dataclass(frozen=True, kw_only=True)
class StoredFile:
    """A file in the store; `size` in bytes."""

    sha256: str
    path: Path
    size: int


def store_file(stream: ByteStream, *, max_bytes: int) -> StoredFile:
    """Store the bytes of the stream; the same bytes are stored once. Raises `FileTooLarge`, leaving nothing behind."""
    with atomic_files.temporary_file(_files_root()) as target:
        digest, size = hashlib.sha256(), 0
        while piece := stream.read(_BLOCK_BYTES):
            size += len(piece)
            if size > max_bytes:
                raise FileTooLarge(f"The file is larger than {max_bytes / (1024 * 1024):.4g} MB.")
            digest.update(piece)
            target.write(piece)
        path = stored_path(digest.hexdigest())
        path.parent.mkdir(exist_ok=True)
        atomic_files.move_into_place(target, path)
    return StoredFile(sha256=digest.hexdigest(), path=path, size=size)


def touch_if_stored(sha256: str) -> bool:
    """Whether the bytes are stored. They count as new from now on, so that they are not pruned meanwhile."""
    try:
        os.utime(stored_path(sha256))
    except OSError:
        return False
    return True


def stored_hashes() -> Iterator[str]:
    """The names of all stored files."""
    for path in _files_root().glob("[0-9a-f][0-9a-f]/*"):
        if _SHA256.fullmatch(path.name):
            yield path.name


def stored_path(sha256: str) -> Path:
    """Where a file with this hash is, or would be. Raises `InvalidInput` for anything but 64 hex digits."""
    if not _SHA256.fullmatch(sha256):
        raise InvalidInput("This is not the name of a stored file.")
    return _files_root() / sha256[:2] / sha256


def _files_root() -> Path:
    return Path(settings.LEXIC_FILES_DIR)
