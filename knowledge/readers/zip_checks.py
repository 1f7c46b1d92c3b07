"""The checks of a document that is a zip archive, before anything in it is unpacked."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from knowledge.readers.types import MEGABYTE, DamagedDocument, EncryptedDocument, TooLarge, UnsupportedDocument

# A document of a thousand pages unpacks to a few dozen megabytes; a bomb goes far beyond all of these.
MAX_UNPACKED_BYTES = 300 * MEGABYTE
MAX_XML_BYTES = 60 * MEGABYTE
MAX_RATIO = 100
MAX_FILES = 5_000
RATIO_CHECKED_FROM_BYTES = 10 * MEGABYTE

# What a damaged archive raises when it is opened or a member is unpacked.
UNPACK_ERRORS = (zipfile.BadZipFile, NotImplementedError, OSError, EOFError, zlib.error)
_MARKUP_ENDINGS = (".xml", ".rels", ".xhtml", ".html", ".htm", ".opf", ".ncx")


def check_archive(path: Path, *, needs: str = "[Content_Types].xml") -> None:
    """Refuse what would unpack to far more than it should, before anything is unpacked. `needs`: a member that every
    document of this kind has.

    Raises `DamagedDocument`, `EncryptedDocument`, `TooLarge` or `UnsupportedDocument`.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        raise DamagedDocument() from error
    if any(member.flag_bits & 0x1 for member in members):
        raise EncryptedDocument()
    _check_sizes(members)
    if not any(member.filename == needs for member in members):
        raise UnsupportedDocument()


@contextmanager
def open_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    """A checked archive. Raises `DamagedDocument` where it, or a member that is read in the block, is damaged."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except UNPACK_ERRORS as error:
        raise DamagedDocument() from error


def _check_sizes(members: list[zipfile.ZipInfo]) -> None:
    unpacked = sum(member.file_size for member in members)
    packed = sum(member.compress_size for member in members)
    xml = max((member.file_size for member in members if member.filename.endswith(_MARKUP_ENDINGS)), default=0)
    bomb = unpacked > RATIO_CHECKED_FROM_BYTES and unpacked > MAX_RATIO * packed
    if bomb or unpacked > MAX_UNPACKED_BYTES or xml > MAX_XML_BYTES or len(members) > MAX_FILES:
        raise TooLarge("The document unpacks to far more than its size.")
