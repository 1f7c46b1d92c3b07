"""Documents come in, are replaced, and leave. Reading them is `ingest`'s work, which is only asked for here."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from knowledge import lease, readers, task_queue
from knowledge.documents import file_store, metadata_columns
from knowledge.documents.file_store import ByteStream, StoredFile
from knowledge.documents.source_file import DuplicateContent
from knowledge.models import Document, DocumentStatus, KnowledgeBase, SourceType
from knowledge.versions import publication
from knowledge.versions.staging import replace_unstorable
from lexic.errors import InvalidInput, NotFound

MAX_NAME_LENGTH = 300


class InvalidUrl(InvalidInput):
    """This is not the address of a web page."""

    code = "invalid_url"
    hint = "It begins with https:// or http:// and has at most 2000 characters."


class NotAFileDocument(InvalidInput):
    """Only a document that was uploaded can be replaced by a file."""

    code = "not_a_file"
    hint = "Add the file as a document of its own, and delete this one."


@dataclass(frozen=True, kw_only=True)
class AddResult:
    """`is_new` is false when the knowledge base had the document already (the same bytes, name or address)."""

    document: Document
    is_new: bool


def add_file(
    *,
    knowledge_base: KnowledgeBase,
    file_name: str,
    stream: ByteStream,
    title: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    enqueue: bool = True,
) -> AddResult:
    """Store a file and have it read.

    The same bytes again are the same document, which is read again only when it had failed. Other bytes under the
    same name are a new version of it. Raises `UnreadableDocument` for a type nobody reads, `InvalidMetadata`, and
    what the file store raises for a file that is too large.
    """
    columns = metadata_columns.split_metadata(metadata)
    name = _clean_file_name(file_name)
    stored, source_type = _store_upload(stream, name=name)
    with transaction.atomic():
        lease.lock_in_transaction(f"add:{knowledge_base.pk}")
        present = Document.objects.present().filter(knowledge_base=knowledge_base)
        if same := present.filter(sha256=stored.sha256).first():
            return _readd_duplicate(same, enqueue=enqueue)
        if older := present.exclude(source_type=SourceType.URL).filter(file_name=name).first():
            _assign_new_bytes(older, stored=stored, source_type=source_type, title=title, columns=columns)
            return _enqueued_result(older, is_new=False, enqueue=enqueue)
        document = Document.objects.create(
            knowledge_base=knowledge_base,
            title=_clean_title(title) or metadata_columns.title_from_file_name(name),
            file_name=name,
            source_type=source_type,
            sha256=stored.sha256,
            **columns,
        )
        return _enqueued_result(document, is_new=True, enqueue=enqueue)


def add_text(
    *,
    knowledge_base: KnowledgeBase,
    title: str,
    text: str,
    file_name: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    enqueue: bool = True,
) -> AddResult:
    """Add text that has no file, as Markdown. Under the same title, or `file_name`, it replaces what was there."""
    # Not the title alone: a document named as its file counts as unnamed, and its first heading would rename it.
    name = file_name or f"{_clean_title(title).replace('/', '-') or 'text'} (pasted).md"
    return add_file(
        knowledge_base=knowledge_base,
        file_name=name,
        stream=io.BytesIO(replace_unstorable(text).encode()),
        title=title,
        metadata=metadata,
        enqueue=enqueue,
    )


def add_url(
    *,
    knowledge_base: KnowledgeBase,
    url: str,
    title: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    enqueue: bool = True,
) -> AddResult:
    """Have a web page read. It is fetched by the worker; an address that is known already is fetched again.

    Raises `NotAnAddress`, `InvalidMetadata`. Whether the address may be fetched at all is found out when it is.
    """
    columns = metadata_columns.split_metadata(metadata)
    address = _clean_url(url)
    with transaction.atomic():
        lease.lock_in_transaction(f"add:{knowledge_base.pk}")
        present = Document.objects.present().filter(knowledge_base=knowledge_base)
        if known := present.filter(url=address).first():
            _reset_to_queued(known, **_merged_columns(known, title=title, columns=columns))
            return _enqueued_result(known, is_new=False, enqueue=enqueue)
        document = Document.objects.create(
            knowledge_base=knowledge_base,
            title=_clean_title(title) or address[:MAX_NAME_LENGTH],
            url=address,
            source_type=SourceType.URL,
            **columns,
        )
        return _enqueued_result(document, is_new=True, enqueue=enqueue)


def replace_file(
    document: Document,
    *,
    file_name: str,
    stream: ByteStream,
    check: Callable[[Document], None] | None = None,
    enqueue: bool = True,
) -> Document:
    """Give a document other bytes. The version that answers now goes on answering until the new one is ready.

    `check` is shown the document as it is then, with nobody else changing it, and may refuse by raising. Raises
    `NotAFile`, `SameBytes` when another document has these bytes, and what `add_file` raises.
    """
    if document.source_type == SourceType.URL:
        raise NotAFileDocument
    name = _clean_file_name(file_name)
    stored, source_type = _store_upload(stream, name=name)
    try:
        with transaction.atomic():
            lease.lock_in_transaction(f"add:{document.knowledge_base_id}")
            if check:
                check(_lock_document(document))
            _assign_new_bytes(document, stored=stored, source_type=source_type, file_name=name)
            return _enqueued_result(document, is_new=False, enqueue=enqueue).document
    except IntegrityError:
        raise DuplicateContent from None


def reingest_document(document: Document, *, enqueue: bool = True) -> Document:
    """Have the document read once more, as it stands; a web page is fetched anew.

    One whose reading has not ended yet goes on where it is: a worker that has lost sight of it is told again.
    """
    with transaction.atomic():
        if Document.objects.unfinished().filter(pk=document.pk).exists():
            task_queue.enqueue_ingest(document.pk)
            return document
        _reset_to_queued(document)
        return _enqueued_result(document, is_new=False, enqueue=enqueue).document


def delete_document(document: Document) -> None:
    """Take the document out of its knowledge base. It stops answering at once; releases that pin it keep it."""
    publication.remove_document(document)


def _lock_document(document: Document) -> Document:
    current = Document.objects.select_for_update().present().filter(pk=document.pk).first()
    if current is None:
        raise NotFound
    return current


class _PeekedStream:
    """A stream whose first bytes have been looked at, and are still to come."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self.head = self._buffered = stream.read(readers.DETECTION_BYTES)

    def read(self, size: int, /) -> bytes:
        piece, self._buffered = self._buffered, b""
        return piece or self._stream.read(size)


def _store_upload(stream: ByteStream, *, name: str) -> tuple[StoredFile, str]:
    # What nobody could read is not stored in the first place.
    peeked = _PeekedStream(stream)
    source_type = readers.detect_type(name, peeked.head)
    return file_store.store_file(peeked, max_bytes=settings.LEXIC_MAX_DOCUMENT_BYTES), source_type


def _readd_duplicate(document: Document, *, enqueue: bool) -> AddResult:
    if document.status == DocumentStatus.FAILED:
        _reset_to_queued(document)
        return _enqueued_result(document, is_new=False, enqueue=enqueue)
    return AddResult(document=document, is_new=False)


def _assign_new_bytes(
    document: Document,
    *,
    stored: StoredFile,
    source_type: str,
    title: str | None = None,
    file_name: str | None = None,
    columns: Mapping[str, Any] | None = None,
) -> None:
    said = _merged_columns(document, title=title, columns=columns or {})
    if file_name:
        said["file_name"] = file_name
    _reset_to_queued(document, sha256=stored.sha256, source_type=source_type, **said)


def _merged_columns(document: Document, *, title: str | None, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of a document that comes again: what is said now goes before what was said, and the rest stays."""
    said = {**columns, "metadata": {**document.metadata, **columns.get("metadata", {})}}
    named = _clean_title(title)
    return {**said, "title": named} if named else said


def _reset_to_queued(document: Document, **columns: Any) -> None:
    columns |= {"status": DocumentStatus.QUEUED, "error": "", "error_code": "", "updated_at": timezone.now()}
    if not Document.objects.present().filter(pk=document.pk).update(**columns):
        raise NotFound
    for name, value in columns.items():
        setattr(document, name, value)


def _enqueued_result(document: Document, *, is_new: bool, enqueue: bool) -> AddResult:
    if enqueue:
        task_queue.enqueue_ingest(document.pk)
    return AddResult(document=document, is_new=is_new)


def _clean_file_name(file_name: str) -> str:
    printable = "".join(character for character in replace_unstorable(file_name) if character.isprintable()).strip()
    return printable[-MAX_NAME_LENGTH:] or "document"


def _clean_title(title: str | None) -> str:
    return " ".join(replace_unstorable(title or "").split())[:MAX_NAME_LENGTH]


def _clean_url(url: str) -> str:
    address = replace_unstorable(url).strip()
    try:
        parts = urlsplit(address)
    except ValueError:
        raise InvalidUrl from None
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname or len(address) > 2000:
        raise InvalidUrl
    return address
