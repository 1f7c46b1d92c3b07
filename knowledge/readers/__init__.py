"""Readers turn a file into pages of text.

A reader is one module with one function, `read(path, *, limits)`, that yields a `DocumentHeader` and then
its `PageText`s, and raises `UnreadableDocument`. It imports neither Django nor anything that does: it runs in
the bare child process of `knowledge.readers.isolation.reader_process`, which must start fast. To add a type of
document: write that module, describe it in `formats.FORMATS`, add it to `SourceType` in `knowledge.models`, and say in
`detect_type` by which first bytes it is recognised.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from knowledge.readers.formats import FORMATS, OLE_MAGIC, TYPES_BY_EXTENSION
from knowledge.readers.types import (
    DamagedDocument,
    EmptyDocument,
    Limits,
    OldOfficeFile,
    Reader,
    ReaderEvent,
    ReadingPoint,
    TooLarge,
    UnsupportedDocument,
)

DETECTION_BYTES = 4096

_ZIP_MAGIC = b"PK\x03\x04"
# What is inside such an archive is seen by its reader; from outside only the name tells.
_ZIPPED_TYPES = frozenset({"docx", "pptx", "xlsx", "epub", "odt"})
# As the directory of the file names it; the directory of a large message lies further behind.
_OUTLOOK_STREAM = "__properties_version1.0".encode("utf-16-le")
_BYTE_ORDER_MARKS = (b"\xff\xfe", b"\xfe\xff")
_HTML_START = re.compile(
    rb"\s{0,200}(?:<!--[^>]{0,500}-->\s{0,200})?<(?:!doctype\s{1,20}html|html[\s>])", re.IGNORECASE
)
_IMAGE_START = re.compile(rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|II\*\0|MM\0\*|RIFF.{4}WEBP", re.DOTALL)
_RTF_START = re.compile(rb"\s{0,50}\{\\rtf", re.IGNORECASE)
# A header with the lines that continue it. Notes and orders begin with “Received:” and “Subject:” too: it is an e-mail
# where two headers have the form that programs give them, one of them of those that only e-mails have.
_MAIL_HEADER = re.compile(rb"([\w-]{1,60}):([^\n]{0,998}\n?(?:[ \t][^\n]{0,998}\n){0,20})")
_MAX_MAIL_HEADERS = 40
_MAIL_DATE = rb"(?:[A-Z][a-z]{2},)?\s{0,9}\d{1,2}\s{1,9}[A-Z][a-z]{2}\s{1,9}\d{4}\s"
_TRACE_FORMS = {
    b"message-id": re.compile(rb"\s{0,9}<[^<>\s]{1,900}>"),
    b"mime-version": re.compile(rb"\s{0,9}1\.0\b"),
    b"received": re.compile(rb"\s{0,9}(?:from|by|\()[^;]{1,2000};\s{0,9}" + _MAIL_DATE),
}
_MAIL_FORMS = {
    **_TRACE_FORMS,
    b"content-type": re.compile(rb"\s{0,9}(?:text|multipart|message|application)/\w"),
    b"date": re.compile(rb"\s{0,9}" + _MAIL_DATE),
    b"delivered-to": re.compile(rb"\s{0,9}[^\s@]{1,200}@\w"),
    b"from": re.compile(rb"[^@]{1,900}@\w"),
    b"return-path": re.compile(rb"\s{0,9}<"),
}
# Text to a machine and not to a reader: what begins like one of these, or is named so, is refused.
_MARKUP_FORMATS = {
    "Web archive": (("mht", "mhtml"), None),
    "Mailbox": (("mbox",), re.compile(rb"From \S{1,200} [A-Z][a-z]{2} [A-Z][a-z]{2} ")),
    "SVG": (("svg",), re.compile(rb"(?:\s|<[?!][^>]{0,500}>){0,9}<svg[\s>]", re.IGNORECASE)),
    "PostScript": (("ps", "eps"), re.compile(rb"%!PS")),
}

# Named so, a file is read nowhere, whatever its bytes look like.
_PROGRAMS = {"apk", "bin", "class", "com", "dll", "dmg", "exe", "iso", "jar", "msi", "so"}
_MEDIA = {"avi", "bmp", "gif", "heic", "ico", "mov", "mp3", "mp4", "wav"}
_ARCHIVES_AND_TABLES = {"7z", "gz", "odp", "ods", "ppt", "rar", "tar", "xls", "xlsb", "zip"}
_UNREAD_EXTENSIONS = _PROGRAMS | _MEDIA | _ARCHIVES_AND_TABLES


def detect_type(file_name: str, head: bytes) -> str:
    """The source type of a file by its first bytes (`DETECTION_BYTES` are enough), then by its name.

    The content wins over the name: a PDF called `notes.txt` is a PDF. Raises `UnsupportedDocument`,
    `DamagedDocument` (named as something it is not) or `EmptyDocument`.
    """
    if not head:
        raise EmptyDocument()
    extension = PurePosixPath(file_name.replace("\\", "/")).suffix.lower().lstrip(".")
    return _detect_binary(head, extension) or _detect_text(head, extension)


def _detect_binary(head: bytes, extension: str) -> str | None:
    if _IMAGE_START.match(head):
        return "image"
    if b"%PDF-" in head[:1024]:
        return "pdf"
    if head.startswith(OLE_MAGIC):
        # Whether it is a message is seen by its reader, which refuses other ones; here the name or a stream tells.
        if TYPES_BY_EXTENSION.get(extension) == "eml" or _OUTLOOK_STREAM in head:
            return "eml"
        raise OldOfficeFile()
    if head.startswith(_ZIP_MAGIC) and TYPES_BY_EXTENSION.get(extension) in _ZIPPED_TYPES:
        return TYPES_BY_EXTENSION[extension]
    if b"\0" in head and not head.startswith(_BYTE_ORDER_MARKS):
        raise UnsupportedDocument()
    return None


def _detect_text(head: bytes, extension: str) -> str:
    head = head.removeprefix(b"\xef\xbb\xbf")
    if _HTML_START.match(head):
        return "html"
    for name, (extensions, start) in _MARKUP_FORMATS.items():
        if extension in extensions or (start and start.match(head)):
            hint = f"Save it as PDF or Word (.docx) and upload that. {UnsupportedDocument.hint}"
            raise UnsupportedDocument(f"{name} files are not read.", hint=hint)
    if _RTF_START.match(head):
        return "rtf"
    if _is_mail(head):
        return "eml"
    if extension in _UNREAD_EXTENSIONS:
        raise UnsupportedDocument(f"Files called .{extension} are not read.")
    # Robots and translations have messages of their own, which are called .msg and are text.
    named = "text" if extension == "msg" else TYPES_BY_EXTENSION.get(extension, "text")
    if named in ("pdf", "rtf", "image") or named in _ZIPPED_TYPES:
        raise DamagedDocument(f"The file is called .{extension} but is not one.")
    return named


def _is_mail(head: bytes) -> bool:
    found: set[bytes] = set()
    start = 0
    for _ in range(_MAX_MAIL_HEADERS):
        header = _MAIL_HEADER.match(head, start)
        if header is None:
            break
        start, name = header.end(), header[1].lower()
        if name in _MAIL_FORMS and _MAIL_FORMS[name].match(header[2]):
            found.add(name)
    return len(found) > 1 and not found.isdisjoint(_TRACE_FORMS)


def read(path: Path, *, source_type: str, limits: Limits, resume: ReadingPoint | None = None) -> Iterator[ReaderEvent]:
    """Reads a file in this process, from its beginning or after the page of `resume`.

    Only the sandbox and tests call this. All others call `knowledge.readers.isolation.reader_process.read_pages`.
    """
    if source_type not in FORMATS:
        raise UnsupportedDocument()
    size = path.stat().st_size
    if size == 0:
        raise EmptyDocument()
    if size > limits.max_bytes:
        raise TooLarge()
    reader: Reader = importlib.import_module(FORMATS[source_type].reader).read
    yield from reader(path, limits=limits, resume=resume) if resume else reader(path, limits=limits)
