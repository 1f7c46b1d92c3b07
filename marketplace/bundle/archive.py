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

from lexic.errors import InvalidInput
from lexic.http.strict_json import read_json
from marketplace.bundle.columns import BadBundle
from marketplace.bundle.signature import Signature, check_signature

MANIFEST_NAME = "manifest.json"
SIGNATURE_NAME = "signature.json"
_MAX_SIGNATURE_BYTES = 4096
DOCUMENTS_FOLDER = "documents/"
MAX_DOCUMENTS = 2000
MAX_MANIFEST_BYTES = 20 * 1024 * 1024
MAX_BYTES = 1024 * 1024 * 1024
# Of what was made of one document: its pages and chunks, or its vectors.
MAX_INGEST_FILE_BYTES = 256 * 1024 * 1024
MAX_LINE_BYTES = 100 * 1024 * 1024
_BLOCK_BYTES = 1024 * 1024
_DOCUMENT_NAME = re.compile(r"documents/([0-9a-f]{64})")
_INGEST_FILE_NAME = re.compile(r"(?:read/(?:0|[1-9][0-9]{0,3})\.jsonl|vectors/(?:0|[1-9][0-9]{0,3})\.f16)")
# A document has two files of what was made of it, and hardly ever more than one that it was read from.
_FILES_PER_DOCUMENT = 3

# The end of a zip: signature, numbers of disks and of entries, size and place of the list of entries, comment.
_END_RECORD = struct.Struct("<4s4H2LH")
_MAX_COMMENT_BYTES = 65535
# A damaged list of entries may send zipfile to a place before the file, which is a ValueError.
_DAMAGE_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)
_ZIP64_LOCATOR = b"PK\x06\x07"
_DIRECTORY_ENTRY_BYTES = 200  # one of ours takes 117


def pages_file_name(number: int) -> str:
    """Where the pages and chunks of the document of this number are."""
    return f"read/{number}.jsonl"


def vectors_file_name(number: int) -> str:
    return f"vectors/{number}.f16"


class BundleArchive:
    """What is in the file. Raises `BadBundle` for anything that no export of ours contains."""

    def __init__(self, file: IO[bytes]) -> None:
        _check_end_record(file)
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
        if sum(member.file_size for member in members) > MAX_BYTES:
            raise BadBundle(f"Its contents are larger than {MAX_BYTES // 1024**2} MB.")
        if MANIFEST_NAME not in self._members:
            raise BadBundle("It holds no manifest.json.")

    @property
    def documents(self) -> set[str]:
        """The hashes of the documents in it."""
        return {found[1] for name in self._members if (found := _DOCUMENT_NAME.fullmatch(name))}

    @property
    def ingest_files(self) -> set[str]:
        """The names of what was made of its documents."""
        return {name for name in self._members if _INGEST_FILE_NAME.fullmatch(name)}

    def signature(self) -> Signature | None:
        """The signer of the file; None if it is not signed. Raises `BadBundle` for an invalid signature."""
        body = b"".join(self._blocks(SIGNATURE_NAME)) if SIGNATURE_NAME in self._members else None
        return check_signature(body, manifest=b"".join(self._blocks(MANIFEST_NAME)))

    def manifest(self) -> Any:
        body = b"".join(self._blocks(MANIFEST_NAME))
        try:
            return read_json(body)
        except InvalidInput as error:
            raise BadBundle(f"Its manifest.json cannot be read: {error}") from None

    def open_document(self, sha256: str) -> IO[bytes]:
        return self._zip.open(DOCUMENTS_FOLDER + sha256)

    def check_document(self, sha256: str) -> bytes:
        """Read it to the end; its first bytes. Raises `BadBundle` when its content is not what its name says."""
        digest, head = hashlib.sha256(), b""
        for piece in self._blocks(DOCUMENTS_FOLDER + sha256):
            head = head or piece
            digest.update(piece)
        if digest.hexdigest() != sha256:
            raise BadBundle(f"The document {sha256[:12]}… is not what was exported.")
        return head

    def ingest_file_blocks(self, name: str, *, sha256: str) -> Iterator[bytes]:
        """The bytes of what was made of a document. Raises `BadBundle` at their end where they are not those."""
        digest = hashlib.sha256()
        for piece in self._blocks(name):
            digest.update(piece)
            yield piece
        if digest.hexdigest() != sha256:
            raise BadBundle(f"{name} is not what was exported.")

    def ingest_file_lines(self, name: str, *, sha256: str) -> Iterator[bytes]:
        """The same line by line, without their ends."""
        rest = b""
        for piece in self.ingest_file_blocks(name, sha256=sha256):
            *whole, rest = (rest + piece).split(b"\n")
            yield from whole
            if len(rest) > MAX_LINE_BYTES:
                raise BadBundle(f"{name} has a line that is too long.")
        if rest:
            raise BadBundle(f"{name} has no end.")

    def _blocks(self, name: str) -> Iterator[bytes]:
        """Never more than was declared, whatever the compressed data says."""
        left = self._members[name].file_size
        try:
            with self._zip.open(name) as stream:
                while piece := stream.read(_BLOCK_BYTES):
                    left -= len(piece)
                    if left < 0:
                        raise BadBundle(f"{name[:80]} is larger than it says.")
                    yield piece
        except _DAMAGE_ERRORS as error:
            raise BadBundle(f"{name[:80]} is damaged.") from error


def _check_end_record(file: IO[bytes]) -> None:
    """The number of entries before the list of them is read: a list of millions is a bomb of its own."""
    file.seek(0, 2)
    size = file.tell()
    file.seek(max(0, size - _END_RECORD.size - _MAX_COMMENT_BYTES))
    tail = file.read()
    file.seek(0)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < _END_RECORD.size:
        raise BadBundle("This file is not a zip, or it is damaged.")
    _, _, _, _, entries, list_bytes, _, _ = _END_RECORD.unpack_from(tail, at)
    if _ZIP64_LOCATOR in tail[max(0, at - 20) : at] or entries > max_members():
        raise BadBundle(f"It holds more than {MAX_DOCUMENTS} documents.")
    if list_bytes > max_members() * _DIRECTORY_ENTRY_BYTES:
        raise BadBundle(f"It holds more than {MAX_DOCUMENTS} documents.")


def max_members() -> int:
    """Of documents, with the manifest and the signature."""
    return MAX_DOCUMENTS * _FILES_PER_DOCUMENT + 2


def _check_member(member: zipfile.ZipInfo) -> None:
    is_manifest, is_made = member.filename == MANIFEST_NAME, bool(_INGEST_FILE_NAME.fullmatch(member.filename))
    is_signature = member.filename == SIGNATURE_NAME
    if not (is_manifest or is_signature or is_made or _DOCUMENT_NAME.fullmatch(member.filename)):
        raise BadBundle(f"It holds a file that no export contains: {member.filename[:80]!r}.")
    if member.flag_bits & 0x1:
        raise BadBundle("It is protected by a password.")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise BadBundle("It is packed in a way that is not supported.")
    of_document = MAX_INGEST_FILE_BYTES if is_made else settings.LEXIC_MAX_DOCUMENT_BYTES
    most = MAX_MANIFEST_BYTES if is_manifest else _MAX_SIGNATURE_BYTES if is_signature else of_document
    if member.file_size > most:
        raise BadBundle(f"{member.filename[:80]} is larger than {most // 1024**2} MB.")
