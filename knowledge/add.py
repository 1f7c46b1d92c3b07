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

from knowledge import files, labels, lease, readers, swap, tasks
from knowledge.files import Readable, StoredFile
from knowledge.models import Document, DocumentStatus, KnowledgeBase, SourceType
from knowledge.source import SameBytes
from knowledge.staging import storable
from lexic.errors import InvalidInput, NotFound

NAME_LENGTH = 300


class NotAnAddress(InvalidInput):
    """This is not the address of a web page."""

    code = "invalid_url"
    hint = "It begins with https:// or http:// and has at most 2000 characters."


class NotAFile(InvalidInput):
    """Only a document that was uploaded can be replaced by a file."""

    code = "not_a_file"
    hint = "Add the file as a document of its own, and delete this one."


@dataclass(frozen=True, kw_only=True)
class Added:
    """`is_new` is false when the knowledge base had the document already (the same bytes, name or address)."""

    document: Document
    is_new: bool


def add_file(
    *,
    knowledge_base: KnowledgeBase,
    file_name: str,
    stream: Readable,
    title: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    enqueue: bool = True,
) -> Added:
    """Store a file and have it read.

    The same bytes again are the same document, which is read again only when it had failed. Other bytes under the
    same name are a new version of it. Raises `UnreadableDocument` for a type nobody reads, `InvalidMetadata`, and
    what the file store raises for a file that is too large.
    """
    columns = labels.split(metadata)
    name = _clean_name(file_name)
    stored, source_type = _store(stream, name=name)
    with transaction.atomic():
        lease.one_at_a_time(f"add:{knowledge_base.pk}")
        present = Document.objects.present().filter(knowledge_base=knowledge_base)
        if same := present.filter(sha256=stored.sha256).first():
            return _again(same, enqueue=enqueue)
        if older := present.exclude(source_type=SourceType.URL).filter(file_name=name).first():
            _give_bytes(older, stored=stored, source_type=source_type, title=title, columns=columns)
            return _queued(older, is_new=False, enqueue=enqueue)
        document = Document.objects.create(
            knowledge_base=knowledge_base,
            title=_clean_title(title) or labels.title_from(name),
            file_name=name,
            source_type=source_type,
            sha256=stored.sha256,
            **columns,
        )
        return _queued(document, is_new=True, enqueue=enqueue)


def add_text(
    *,
    knowledge_base: KnowledgeBase,
    title: str,
    text: str,
    file_name: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    enqueue: bool = True,
) -> Added:
    """Add text that has no file, as Markdown. Under the same title, or `file_name`, it replaces what was there."""
    # Not the title alone: a document named as its file counts as unnamed, and its first heading would rename it.
    name = file_name or f"{_clean_title(title).replace('/', '-') or 'text'} (pasted).md"
    return add_file(
        knowledge_base=knowledge_base,
        file_name=name,
        stream=io.BytesIO(storable(text).encode()),
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
) -> Added:
    """Have a web page read. It is fetched by the worker; an address that is known already is fetched again.

    Raises `NotAnAddress`, `InvalidMetadata`. Whether the address may be fetched at all is found out when it is.
    """
    columns = labels.split(metadata)
    address = _clean_address(url)
    with transaction.atomic():
        lease.one_at_a_time(f"add:{knowledge_base.pk}")
        present = Document.objects.present().filter(knowledge_base=knowledge_base)
        if known := present.filter(url=address).first():
            _requeue(known, **_said(known, title=title, columns=columns))
            return _queued(known, is_new=False, enqueue=enqueue)
        document = Document.objects.create(
            knowledge_base=knowledge_base,
            title=_clean_title(title) or address[:NAME_LENGTH],
            url=address,
            source_type=SourceType.URL,
            **columns,
        )
        return _queued(document, is_new=True, enqueue=enqueue)


def replace_file(
    document: Document,
    *,
    file_name: str,
    stream: Readable,
    check: Callable[[Document], None] | None = None,
    enqueue: bool = True,
) -> Document:
    """Give a document other bytes. The version that answers now goes on answering until the new one is ready.

    `check` is shown the document as it is then, with nobody else changing it, and may refuse by raising. Raises
    `NotAFile`, `SameBytes` when another document has these bytes, and what `add_file` raises.
    """
    if document.source_type == SourceType.URL:
        raise NotAFile
    name = _clean_name(file_name)
    stored, source_type = _store(stream, name=name)
    try:
        with transaction.atomic():
            lease.one_at_a_time(f"add:{document.knowledge_base_id}")
            if check:
                check(_locked(document))
            _give_bytes(document, stored=stored, source_type=source_type, file_name=name)
            return _queued(document, is_new=False, enqueue=enqueue).document
    except IntegrityError:
        raise SameBytes from None


def read_again(document: Document, *, enqueue: bool = True) -> Document:
    """Have the document read once more, as it stands; a web page is fetched anew.

    One whose reading has not ended yet goes on where it is: a worker that has lost sight of it is told again.
    """
    with transaction.atomic():
        if Document.objects.unfinished().filter(pk=document.pk).exists():
            tasks.enqueue(document.pk)
            return document
        _requeue(document)
        return _queued(document, is_new=False, enqueue=enqueue).document


def delete_document(document: Document) -> None:
    """Take the document out of its knowledge base. It stops answering at once; releases that pin it keep it."""
    swap.take_out(document)


def _locked(document: Document) -> Document:
    current = Document.objects.select_for_update().present().filter(pk=document.pk).first()
    if current is None:
        raise NotFound
    return current


class _Peeked:
    """A stream whose first bytes have been looked at, and are still to come."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self.head = self._unread = stream.read(readers.HEAD_BYTES)

    def read(self, size: int, /) -> bytes:
        piece, self._unread = self._unread, b""
        return piece or self._stream.read(size)


def _store(stream: Readable, *, name: str) -> tuple[StoredFile, str]:
    # What nobody could read is not stored in the first place.
    peeked = _Peeked(stream)
    source_type = readers.detect(name, peeked.head)
    return files.store(peeked, max_bytes=settings.LEXIC_MAX_DOCUMENT_BYTES), source_type


def _again(document: Document, *, enqueue: bool) -> Added:
    if document.status == DocumentStatus.FAILED:
        _requeue(document)
        return _queued(document, is_new=False, enqueue=enqueue)
    return Added(document=document, is_new=False)


def _give_bytes(
    document: Document,
    *,
    stored: StoredFile,
    source_type: str,
    title: str | None = None,
    file_name: str | None = None,
    columns: Mapping[str, Any] | None = None,
) -> None:
    said = _said(document, title=title, columns=columns or {})
    if file_name:
        said["file_name"] = file_name
    _requeue(document, sha256=stored.sha256, source_type=source_type, **said)


def _said(document: Document, *, title: str | None, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of a document that comes again: what is said now goes before what was said, and the rest stays."""
    said = {**columns, "metadata": {**document.metadata, **columns.get("metadata", {})}}
    named = _clean_title(title)
    return {**said, "title": named} if named else said


def _requeue(document: Document, **columns: Any) -> None:
    columns |= {"status": DocumentStatus.QUEUED, "error": "", "error_code": "", "updated_at": timezone.now()}
    if not Document.objects.present().filter(pk=document.pk).update(**columns):
        raise NotFound
    for name, value in columns.items():
        setattr(document, name, value)


def _queued(document: Document, *, is_new: bool, enqueue: bool) -> Added:
    if enqueue:
        tasks.enqueue(document.pk)
    return Added(document=document, is_new=is_new)


def _clean_name(file_name: str) -> str:
    printable = "".join(character for character in storable(file_name) if character.isprintable()).strip()
    return printable[-NAME_LENGTH:] or "document"


def _clean_title(title: str | None) -> str:
    return " ".join(storable(title or "").split())[:NAME_LENGTH]


def _clean_address(url: str) -> str:
    address = storable(url).strip()
    try:
        parts = urlsplit(address)
    except ValueError:
        raise NotAnAddress from None
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname or len(address) > 2000:
        raise NotAnAddress
    return address
