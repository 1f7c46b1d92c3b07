"""The one store of uploaded files. It names a file by the hash of its content, so no input of a user becomes a path."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Protocol

from lexic.errors import InvalidInput, LexicError
from lexic.storage import site_storage

_BLOCK_BYTES = 1024 * 1024
_HASH_DIGITS = 64
_SHA256 = re.compile(r"[0-9a-f]{64}")
_NAMED_FILES = """
SELECT sha256 FROM knowledge_document WHERE removed_in IS NULL
UNION SELECT ready_sha256 FROM knowledge_document WHERE removed_in IS NULL
UNION SELECT source_sha256 FROM knowledge_page
"""
_STORED_NAME = re.compile(r"[0-9a-f]{2}/[0-9a-f]{64}")


class ByteStream(Protocol):
    """An object that can be read as bytes: an open file, an upload, a response."""

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
    size: int


class SourceFileMissing(LexicError):
    """The file of this document is no longer on this server."""

    code = "file_missing"
    status = 410
    hint = "Upload it again."


def store_file(stream: ByteStream, *, max_bytes: int) -> StoredFile:
    """Stores the bytes of the stream; equal bytes are stored once. Raises `FileTooLarge`, `StorageUnavailable` and
    `DiskFull`, and then leaves nothing behind."""
    storage = site_storage()
    with storage.new_file() as target:
        digest, size = hashlib.sha256(), 0
        while piece := stream.read(_BLOCK_BYTES):
            size += len(piece)
            if size > max_bytes:
                raise FileTooLarge(f"The file is larger than {max_bytes / (1024 * 1024):.4g} MB.")
            digest.update(piece)
            target.write(piece)
        storage.keep(target, stored_name(digest.hexdigest()))
    return StoredFile(sha256=digest.hexdigest(), size=size)


def named_files(cursor: Any) -> set[str]:
    """The hashes of all files that rows refer to: files of documents, of the searched version of a document, and of
    pages that releases still cite. `cursor` is a cursor of Django or of psycopg."""
    cursor.execute(_NAMED_FILES)
    return {sha256 for (sha256,) in cursor.fetchall() if sha256}


def touch_if_stored(sha256: str) -> bool:
    """Whether the bytes are stored. Their age counts from now on, so that they are not pruned before they are used."""
    return site_storage().touch(stored_name(sha256))


def is_stored(sha256: str) -> bool:
    """Whether the bytes are stored."""
    return site_storage().exists(stored_name(sha256))


def open_stored(sha256: str) -> IO[bytes]:
    """The file, opened at its beginning; the caller closes it. Raises `SourceFileMissing`."""
    try:
        return site_storage().open(stored_name(sha256))
    except FileNotFoundError:
        raise SourceFileMissing from None


@contextmanager
def local_copy(sha256: str) -> Iterator[Path]:
    """A path on this machine at which the file can be read inside the block. Raises `SourceFileMissing`."""
    with ExitStack() as held:
        try:
            path = held.enter_context(site_storage().local_copy(stored_name(sha256)))
        except FileNotFoundError:
            raise SourceFileMissing from None
        yield path


def delete_stored(sha256: str) -> None:
    """Deletes the file, if it is stored."""
    site_storage().delete(stored_name(sha256))


def stored_at(sha256: str) -> float | None:
    """When the file was stored or touched, in seconds since 1970; None if it is not stored."""
    found = site_storage().find(stored_name(sha256))
    return found.modified if found else None


def stored_sizes(hashes: Collection[str]) -> dict[str, int]:
    """The size in bytes of each of these files that is stored."""
    names = [stored_name(sha256) for sha256 in hashes]
    return {found.name[-_HASH_DIGITS:]: found.size for found in site_storage().find_many(names)}


def stored_files() -> Iterator[StoredFile]:
    """All stored files."""
    for found in site_storage().files():
        if is_stored_name(found.name):
            yield StoredFile(sha256=found.name[-_HASH_DIGITS:], size=found.size)


def is_stored_name(name: str) -> bool:
    """Whether the storage uses this name for an uploaded file: the hash of its bytes, which therefore never change."""
    return _STORED_NAME.fullmatch(name) is not None


def stored_name(sha256: str) -> str:
    """The name of the file with this hash in the storage. Raises `InvalidInput` if the hash is not 64 hex digits."""
    if not _SHA256.fullmatch(sha256):
        raise InvalidInput("This is not the name of a stored file.")
    return f"{sha256[:2]}/{sha256}"
