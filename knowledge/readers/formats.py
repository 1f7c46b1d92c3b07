"""The kinds of documents that can be read: the reader of each, what people call it, and how its files are named.

`knowledge.readers.detect_type` decides what type a file has: first by its leading bytes, then by its name.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Format:
    """`reader`: the module, which is imported only where a file is read. `name`: empty where people do not upload it.
    The first of the `extensions`, without a dot, is the usual one."""

    reader: str
    name: str = ""
    extensions: tuple[str, ...]
    media_types: tuple[str, ...] = ()


# The first bytes of a compound file: an Outlook message, or Office before 2007, or Office with a password.
OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
DOCX_MEDIA_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

# By source type (`knowledge.models.SourceType`), in the order in which people are told of them.
FORMATS = {
    "pdf": Format(
        reader="knowledge.readers.pdf.reader",
        name="PDF",
        extensions=("pdf",),
        media_types=("application/pdf",),
    ),
    "docx": Format(
        reader="knowledge.readers.docx.reader",
        name="Word (.docx)",
        extensions=("docx",),
        media_types=(DOCX_MEDIA_TYPE,),
    ),
    "pptx": Format(
        reader="knowledge.readers.pptx",
        name="PowerPoint (.pptx)",
        extensions=("pptx", "pptm", "ppsx", "potx"),
        media_types=("application/vnd.openxmlformats-officedocument.presentationml.presentation",),
    ),
    "xlsx": Format(
        reader="knowledge.readers.sheets.workbook",
        name="Excel (.xlsx)",
        extensions=("xlsx", "xlsm", "xltx"),
        media_types=("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",),
    ),
    "csv": Format(
        reader="knowledge.readers.sheets.csv",
        name="CSV",
        extensions=("csv", "tsv"),
        media_types=("text/csv", "text/tab-separated-values"),
    ),
    "epub": Format(
        reader="knowledge.readers.epub",
        name="EPUB",
        extensions=("epub",),
        media_types=("application/epub+zip",),
    ),
    "odt": Format(
        reader="knowledge.readers.odt",
        name="OpenDocument (.odt)",
        extensions=("odt", "ott"),
        media_types=("application/vnd.oasis.opendocument.text",),
    ),
    "rtf": Format(
        reader="knowledge.readers.rtf",
        name="RTF",
        extensions=("rtf",),
        media_types=("application/rtf", "text/rtf"),
    ),
    "eml": Format(
        reader="knowledge.readers.mail.reader",
        name="e-mail (.eml, .msg)",
        extensions=("eml", "msg"),
        media_types=("message/rfc822", "application/vnd.ms-outlook"),
    ),
    "image": Format(
        reader="knowledge.readers.image.reader",
        name="picture (PNG, JPEG, TIFF, WebP)",
        extensions=("png", "jpg", "jpeg", "tif", "tiff", "webp"),
        media_types=("image/png", "image/jpeg", "image/tiff", "image/webp"),
    ),
    "markdown": Format(
        reader="knowledge.readers.markdown",
        name="Markdown",
        extensions=("md", "markdown"),
        media_types=("text/markdown", "text/x-markdown"),
    ),
    "html": Format(
        reader="knowledge.readers.html",
        name="HTML",
        extensions=("html", "htm", "xhtml"),
        media_types=("text/html", "application/xhtml+xml"),
    ),
    "json": Format(
        reader="knowledge.readers.json",
        name="JSON",
        extensions=("json", "jsonl", "ndjson", "geojson"),
        media_types=("application/json",),
    ),
    "text": Format(
        reader="knowledge.readers.text",
        name="plain text",
        extensions=("txt", "text"),
        media_types=("text/plain",),
    ),
    "code": Format(reader="knowledge.readers.code", extensions=()),
}

TYPES_BY_EXTENSION = {extension: source_type for source_type, one in FORMATS.items() for extension in one.extensions}
EXTENSIONS_BY_MEDIA_TYPE = {media_type: one.extensions[0] for one in FORMATS.values() for media_type in one.media_types}

_NAMES = [one.name for one in FORMATS.values() if one.name]
# For people: "PDF, Word (.docx) or plain text".
FORMAT_NAMES = f"{', '.join(_NAMES[:-1])} or {_NAMES[-1]}"


def file_name_of(source_type: str) -> str:
    """A name for a file of this type that has none, by which its reader is found."""
    extensions = FORMATS[source_type].extensions if source_type in FORMATS else ()
    return f"document.{extensions[0]}" if extensions else "document"
