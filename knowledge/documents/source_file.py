"""The bytes of a document: a stored file, or a page of the web fetched and stored now."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from knowledge import readers, storage_usage
from knowledge.documents import file_store
from knowledge.models import Document, SourceType
from knowledge.readers import DETECTION_BYTES
from knowledge.readers.formats import EXTENSIONS_BY_MEDIA_TYPE
from knowledge.versions.progress import Superseded
from lexic import egress
from lexic.errors import Conflict

FETCH_TIMEOUT_SECONDS = 30.0


class DuplicateContent(Conflict):
    """Another document of this knowledge base has exactly the same content."""

    code = "duplicate"
    hint = "Delete one of the two."


@dataclass(frozen=True, kw_only=True)
class SourceFile:
    """A file on this machine, and the reader that it wants."""

    path: Path
    source_type: str


@contextmanager
def source_file(document: Document) -> Iterator[SourceFile]:
    """The document's bytes, to read inside the block.

    Fetches a web page, stores it, and gives the row (and the instance) the hash of what came. Raises the errors of
    `egress.fetch`, `UnreadableDocument` for a type that no reader reads, `SourceFileMissing`, `DuplicateContent`,
    `Superseded` and `StorageUnavailable`.
    """
    source_type = document.source_type
    if document.source_type == SourceType.URL and not document.is_unverified:
        limit = settings.LEXIC_MAX_DOCUMENT_BYTES
        page = egress.fetch(
            document.url, max_bytes=limit, timeout=FETCH_TIMEOUT_SECONDS, content_types=EXTENSIONS_BY_MEDIA_TYPE
        )
        stored = file_store.store_file(io.BytesIO(page.body), max_bytes=limit)
        _record_hash(document, stored.sha256)
        storage_usage.check_account(document.knowledge_base.owner)
        source_type = detect_fetched_type(page.body, page.content_type, document.url)
    with stored_file(document.sha256, source_type=source_type, url=document.url) as file:
        yield file


@contextmanager
def stored_file(sha256: str, *, source_type: str, url: str) -> Iterator[SourceFile]:
    """Bytes that were stored for a document, to read inside the block: of a web page those that were fetched then, not
    the page of today. Raises `UnreadableDocument`, `SourceFileMissing` and `StorageUnavailable`."""
    with file_store.local_copy(sha256) as path:
        if source_type == SourceType.URL:
            with path.open("rb") as file:
                source_type = detect_fetched_type(file.read(DETECTION_BYTES), "", url)
        yield SourceFile(path=path, source_type=source_type)


def _record_hash(document: Document, sha256: str) -> None:
    rows = Document.objects.present().filter(pk=document.pk, sha256=document.sha256)
    try:
        with transaction.atomic():
            found = rows.update(sha256=sha256, updated_at=timezone.now())
    except IntegrityError:
        raise DuplicateContent from None
    if not found:
        raise Superseded
    document.sha256 = sha256


def detect_fetched_type(body: bytes, content_type: str, url: str) -> str:
    """The source type of a fetched page: its first bytes, then its content type, then the end of its address's path:
    `https://example.com/` names no file."""
    media_type = content_type.partition(";")[0].strip().lower()
    # Servers call whatever is text text/plain: there the address says more.
    extension = EXTENSIONS_BY_MEDIA_TYPE.get(media_type) if media_type != "text/plain" else None
    name = f"page.{extension}" if extension else urlsplit(url).path.rpartition("/")[2]
    return readers.detect_type(name, body[: readers.DETECTION_BYTES])
