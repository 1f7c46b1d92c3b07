"""A zip from a stranger, read with nothing taken on trust: names, numbers, sizes, contents."""

from __future__ import annotations

import hashlib
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, Any

from django.conf import settings
from rest_framework.exceptions import ParseError

from lexic.errors import LexicError
from lexic.strict_json import read_json
from marketplace.bundle.columns import BadBundle

MANIFEST = "manifest.json"
DOCUMENTS = "documents/"
MOST_DOCUMENTS = 2000
MOST_MANIFEST_BYTES = 20 * 1024 * 1024
MOST_BYTES = 1024 * 1024 * 1024
# Of what was made of one document: its pages and chunks, or its vectors.
MOST_MADE_BYTES = 256 * 1024 * 1024
MOST_LINE_BYTES = 100 * 1024 * 1024
_PIECE = 1024 * 1024
_NAME = re.compile(r"documents/([0-9a-f]{64})")
_MADE = re.compile(r"(?:read/(?:0|[1-9][0-9]{0,3})\.jsonl|vectors/(?:0|[1-9][0-9]{0,3})\.f16)")
# A document has two files of what was made of it, and hardly ever more than one that it was read from.
_FILES_OF_ONE = 3

# The end of a zip: signature, numbers of disks and of entries, size and place of the list of entries, comment.
_END = struct.Struct("<4s4H2LH")
_LONGEST_COMMENT = 65535
# A damaged list of entries may send zipfile to a place before the file, which is a ValueError.
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)
_ZIP64 = b"PK\x06\x07"
_LIST_ENTRY_BYTES = 200  # one of ours takes 117


def read_name(number: int) -> str:
    """Where the pages and chunks of the document of this number are."""
    return f"read/{number}.jsonl"


def vectors_name(number: int) -> str:
    return f"vectors/{number}.f16"


class Archive:
    """What is in the file. Raises `BadBundle` for anything that no export of ours contains."""

    def __init__(self, file: IO[bytes]) -> None:
        _check_end(file)
        try:
            self._zip = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, NotImplementedError, OSError, ValueError, struct.error) as error:
            raise BadBundle("This file is not a zip, or it is damaged.") from error
        members = self._zip.infolist()
        self._members = {member.filename: member for member in members}
        if len(self._members) != len(members):
            raise BadBundle("It holds two files of the same name.")
        for member in members:
            _check_member(member)
        if sum(member.file_size for member in members) > MOST_BYTES:
            raise BadBundle(f"Its contents are larger than {MOST_BYTES // 1024**2} MB.")
        if MANIFEST not in self._members:
            raise BadBundle("It holds no manifest.json.")

    @property
    def documents(self) -> set[str]:
        """The hashes of the documents in it."""
        return {found[1] for name in self._members if (found := _NAME.fullmatch(name))}

    @property
    def made(self) -> set[str]:
        """The names of what was made of its documents."""
        return {name for name in self._members if _MADE.fullmatch(name)}

    def manifest(self) -> Any:
        body = b"".join(self._pieces(MANIFEST))
        try:
            return read_json(body)
        except (ParseError, LexicError) as error:
            raise BadBundle(f"Its manifest.json cannot be read: {error}") from None

    def open_document(self, sha256: str) -> IO[bytes]:
        return self._zip.open(DOCUMENTS + sha256)

    def check_document(self, sha256: str) -> bytes:
        """Read it to the end; its first bytes. Raises `BadBundle` when its content is not what its name says."""
        digest, head = hashlib.sha256(), b""
        for piece in self._pieces(DOCUMENTS + sha256):
            head = head or piece
            digest.update(piece)
        if digest.hexdigest() != sha256:
            raise BadBundle(f"The document {sha256[:12]}… is not what was exported.")
        return head

    def made_pieces(self, name: str, *, sha256: str) -> Iterator[bytes]:
        """The bytes of what was made of a document. Raises `BadBundle` at their end where they are not those."""
        digest = hashlib.sha256()
        for piece in self._pieces(name):
            digest.update(piece)
            yield piece
        if digest.hexdigest() != sha256:
            raise BadBundle(f"{name} is not what was exported.")

    def made_lines(self, name: str, *, sha256: str) -> Iterator[bytes]:
        """The same line by line, without their ends."""
        rest = b""
        for piece in self.made_pieces(name, sha256=sha256):
            *whole, rest = (rest + piece).split(b"\n")
            yield from whole
            if len(rest) > MOST_LINE_BYTES:
                raise BadBundle(f"{name} has a line that is too long.")
        if rest:
            raise BadBundle(f"{name} has no end.")

    def _pieces(self, name: str) -> Iterator[bytes]:
        """Never more than was declared, whatever the compressed data says."""
        left = self._members[name].file_size
        try:
            with self._zip.open(name) as stream:
                while piece := stream.read(_PIECE):
                    left -= len(piece)
                    if left < 0:
                        raise BadBundle(f"{name[:80]} is larger than it says.")
                    yield piece
        except _DAMAGED as error:
            raise BadBundle(f"{name[:80]} is damaged.") from error


def _check_end(file: IO[bytes]) -> None:
    """The number of entries before the list of them is read: a list of millions is a bomb of its own."""
    file.seek(0, 2)
    size = file.tell()
    file.seek(max(0, size - _END.size - _LONGEST_COMMENT))
    tail = file.read()
    file.seek(0)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END.size:
        raise BadBundle("This file is not a zip, or it is damaged.")
    _, _, _, _, entries, list_bytes, _, _ = _END.unpack_from(tail, at)
    if _ZIP64 in tail[max(0, at - 20) : at] or entries > most_members():
        raise BadBundle(f"It holds more than {MOST_DOCUMENTS} documents.")
    if list_bytes > most_members() * _LIST_ENTRY_BYTES:
        raise BadBundle(f"It holds more than {MOST_DOCUMENTS} documents.")


def most_members() -> int:
    return MOST_DOCUMENTS * _FILES_OF_ONE + 1


def _check_member(member: zipfile.ZipInfo) -> None:
    is_manifest, is_made = member.filename == MANIFEST, bool(_MADE.fullmatch(member.filename))
    if not (is_manifest or is_made or _NAME.fullmatch(member.filename)):
        raise BadBundle(f"It holds a file that no export contains: {member.filename[:80]!r}.")
    if member.flag_bits & 0x1:
        raise BadBundle("It is protected by a password.")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BadBundle("It is packed in a way that is not supported.")
    of_document = MOST_MADE_BYTES if is_made else settings.LEXIC_MAX_DOCUMENT_BYTES
    most = MOST_MANIFEST_BYTES if is_manifest else of_document
    if member.file_size > most:
        raise BadBundle(f"{member.filename[:80]} is larger than {most // 1024**2} MB.")
