"""A file as Google Drive describes it, and what of it can become a document."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.utils.dateparse import parse_datetime

from connectors.drive_errors import DriveFailed
from knowledge.documents.file_store import FileTooLarge
from knowledge.readers.formats import DOCX_MEDIA_TYPE, EXTENSIONS_BY_MEDIA_TYPE
from knowledge.readers.types import UnsupportedDocument
from lexic.errors import LexicError
from lexic.http.parameters import parse_natural

GOOGLE_DOC = "application/vnd.google-apps.document"
FOLDER = "application/vnd.google-apps.folder"
_GOOGLE_TYPES = "application/vnd.google-apps."
_GOOGLE_NAMES = {"presentation": "Google Slides", "spreadsheet": "Google Sheets"}
_UNREAD_MEDIA = ("image/", "audio/", "video/")
_MAX_NAME_LENGTH = 250


@dataclass(frozen=True, kw_only=True)
class DriveEntry:
    """A file in somebody's Drive. `size` in bytes, None for what Google keeps in a form of its own."""

    id: str
    name: str
    media_type: str
    size: int | None
    modified_at: datetime | None

    @classmethod
    def read(cls, said: Any) -> DriveEntry:
        """Raises `DriveFailed` for what is no file."""
        if not isinstance(said, dict) or not all(isinstance(said.get(key), str) for key in ("id", "name", "mimeType")):
            raise DriveFailed
        size = said.get("size")
        return cls(
            id=said["id"],
            name=said["name"],
            media_type=said["mimeType"],
            size=parse_natural(size, max_digits=18) if isinstance(size, str) else None,
            modified_at=_read_time(said.get("modifiedTime")),
        )

    @property
    def is_google_doc(self) -> bool:
        return self.media_type == GOOGLE_DOC

    @property
    def file_name(self) -> str:
        """Its name as that of one file: no path, and with the suffix of what is downloaded."""
        flat = "".join("-" if one in "/\\" else one for one in self.name if one.isprintable())
        flat = flat.strip(". ")[:_MAX_NAME_LENGTH] or "document"
        # A Word file is known by its name; any other suffix is left as it is.
        is_word = self.media_type in (DOCX_MEDIA_TYPE, GOOGLE_DOC)
        has_suffix = flat.lower().endswith(".docx") if is_word else "." in flat
        extension = "docx" if is_word else EXTENSIONS_BY_MEDIA_TYPE.get(self.media_type)
        return flat if has_suffix or not extension else f"{flat}.{extension}"

    def refusal(self) -> LexicError | None:
        """Why it cannot become a document, as far as its description tells."""
        if self.media_type.startswith(_GOOGLE_TYPES) and not self.is_google_doc:
            kind = _GOOGLE_NAMES.get(self.media_type.removeprefix(_GOOGLE_TYPES), "Files of this kind")
            hint = "Download it from Google Drive as a PDF, and upload that."
            return UnsupportedDocument(f"{kind} cannot be read yet.", hint=hint)
        if self.media_type.startswith(_UNREAD_MEDIA):
            return UnsupportedDocument()
        if self.size is not None and self.size > settings.LEXIC_MAX_DOCUMENT_BYTES:
            return FileTooLarge()
        return None


def _read_time(said: Any) -> datetime | None:
    try:
        return parse_datetime(said) if isinstance(said, str) else None
    except ValueError:
        return None
