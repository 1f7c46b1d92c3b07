"""The text of a document that is text (Markdown, plain text, what was pasted), to be edited in place.

Saving makes a new version of the file, which is read like any other; releases keep the version that they had.
"""

from __future__ import annotations

import hashlib
import io

from knowledge.documents.file_store import open_stored
from knowledge.documents.lifecycle import replace_file
from knowledge.models import Document, SourceType
from knowledge.readers.text import decode_bytes
from knowledge.readers.text_cleaning import replace_unstorable
from lexic.errors import Conflict, InvalidInput

MAX_TEXT_BYTES = 1_000_000
_TOO_LONG = f"The text is longer than {MAX_TEXT_BYTES // 1000:,} kB."
_EDITABLE_TYPES = (SourceType.MARKDOWN, SourceType.TEXT)


class NotEditable(InvalidInput):
    """This document is not text that can be edited here."""

    code = "not_editable"
    hint = "Replace its file instead."


class TextHasChanged(Conflict):
    """Somebody changed the document after you had opened it."""

    code = "text_changed"
    hint = "Keep a copy of your text, open the document again, and make your change there."


def is_editable(document: Document) -> bool:
    """Whether the document may be text to edit. A very long one is found out by `stored_text`."""
    return document.source_type in _EDITABLE_TYPES and not document.url and bool(document.sha256)


def stored_text(document: Document) -> str:
    """The text as its file has it. Raises `NotEditable`, `SourceFileMissing`, `StorageUnavailable`."""
    if not is_editable(document):
        raise NotEditable
    with open_stored(document.sha256) as file:
        data = file.read(MAX_TEXT_BYTES + 1)
    if len(data) > MAX_TEXT_BYTES:
        raise NotEditable(_TOO_LONG)
    return decode_bytes(data)


def save_text(document: Document, *, text: str, seen: str) -> bool:
    """Save the text as a new version; `seen` is the hash of the file whose text was edited. False where the text is
    the same, so that there is nothing to read.

    Raises `NotEditable`, `TextHasChanged`, `DuplicateContent`, `NotFound` and what storing raises.
    """
    written = replace_unstorable(text).replace("\r\n", "\n")
    if not any(map(str.isalnum, written)):
        raise NotEditable("The text is empty.", hint="Remove the document if it should no longer be read.")
    if len(written.encode()) > MAX_TEXT_BYTES:
        raise NotEditable(_TOO_LONG, hint="Split it into two documents.")
    _check_unchanged(document, seen)
    data = written.encode()
    if hashlib.sha256(data).hexdigest() == document.sha256:
        return False
    replace_file(
        document,
        file_name=document.file_name,
        stream=io.BytesIO(data),
        check=lambda current: _check_unchanged(current, seen),
    )
    return True


def _check_unchanged(document: Document, seen: str) -> None:
    if document.sha256 != seen:
        raise TextHasChanged
