"""Adding, replacing, describing and deleting documents. Reading them is left to a worker (`knowledge.ingest`)."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone

from audit.actions import Action
from audit.record import record_many
from knowledge import lease, legal_hold, readers, storage_usage, task_queue
from knowledge.documents import file_store, metadata_columns
from knowledge.documents.file_store import ByteStream, StoredFile
from knowledge.documents.source_file import DuplicateContent
from knowledge.models import Document, DocumentStatus, KnowledgeBase, Source, SourceItem, SourceType
from knowledge.readers.text_cleaning import replace_unstorable
from knowledge.versions import publish_version
from knowledge.versions.document_languages import set_language
from lexic.column_length import column_length
from lexic.errors import Conflict, InvalidInput, NotFound

MAX_NAME_LENGTH = column_length(Document, "title")


class InvalidUrl(InvalidInput):
    """This is not the address of a web page."""

    code = "invalid_url"
    hint = "It begins with https:// or http:// and has at most 2000 characters."


class NotAFileDocument(InvalidInput):
    """Only a document that was uploaded can be replaced by a file."""

    code = "not_a_file"
    hint = "Add the file as a document of its own, and delete this one."


class OtherType(Conflict):
    """The new file is of another type than the document."""

    code = "other_type"
    hint = "Choose another file, or tick that it may be of another type."


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
    same name are a new version of it, unless a source keeps that in step with itself. Raises `UnreadableDocument` for a
    type that no reader reads, `InvalidMetadata`, and `FileTooLarge`.
    """
    columns = metadata_columns.split_metadata(metadata)
    name = _clean_file_name(file_name)
    stored, source_type = _store_upload(stream, name=name)
    with transaction.atomic():
        lease.lock_in_transaction(f"add:{knowledge_base.pk}")
        present = Document.objects.present().filter(knowledge_base=knowledge_base)
        if same := present.filter(sha256=stored.sha256).first():
            return _same_bytes_again(same, enqueue=enqueue)
        contents = _file_columns(stored, source_type)
        if older := present.not_synced().exclude(source_type=SourceType.URL).filter(file_name=name).first():
            _reset_to_queued(older, **contents, **_merged_columns(older, title=title, columns=columns))
            storage_usage.check_account(knowledge_base.owner)
            return _enqueued_result(older, is_new=False, enqueue=enqueue)
        own_title = metadata_columns.title_from_file_name(name)
        columns |= {**contents, "file_name": name}
        return _add_new(knowledge_base, title=title, own_title=own_title, columns=columns, enqueue=enqueue)


def _same_bytes_again(document: Document, *, enqueue: bool) -> AddResult:
    if document.status != DocumentStatus.FAILED:
        return AddResult(document=document, is_new=False)
    _reset_to_queued(document)
    return _enqueued_result(document, is_new=False, enqueue=enqueue)


def _add_new(
    knowledge_base: KnowledgeBase, *, title: str | None, own_title: str, columns: Mapping[str, Any], enqueue: bool
) -> AddResult:
    """Add a document and have it read. Where nobody gave it a title, it gets its own."""
    given = _clean_title(title)
    document = Document.objects.create(
        knowledge_base=knowledge_base, title=given or own_title, is_named=bool(given), **columns
    )
    storage_usage.check_account(knowledge_base.owner, added=1)
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
    # Not the title alone: a file of that name may be there, and is another document.
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
    """Have a web page read. It is fetched by the worker; an address that is known already is fetched again, unless
    only a source from elsewhere has read it.

    Raises `InvalidUrl`, `InvalidMetadata`. Whether the address may be fetched at all is found out when it is.
    """
    columns = metadata_columns.split_metadata(metadata)
    address = _clean_url(url)
    with transaction.atomic():
        lease.lock_in_transaction(f"add:{knowledge_base.pk}")
        present = Document.objects.present().filter(knowledge_base=knowledge_base)
        if known := present.not_fetched().filter(url=address).first():
            _reset_to_queued(known, **_merged_columns(known, title=title, columns=columns))
            return _enqueued_result(known, is_new=False, enqueue=enqueue)
        columns |= {"url": address, "source_type": SourceType.URL}
        own_title = address[:MAX_NAME_LENGTH]
        return _add_new(knowledge_base, title=title, own_title=own_title, columns=columns, enqueue=enqueue)


def add_fetched_file(
    *,
    item: SourceItem,
    file_name: str,
    url: str,
    title: str,
    stream: ByteStream,
    enqueue: bool = True,
) -> Document:
    """Store a file that a source has fetched, as a document of its own whatever it is called, and have it read.

    Without a title it gets the one in the file. `item`, its row of the source's manifest, is saved with it, and it is
    as public as the source is then: whoever opens or closes the source finds all its documents. Raises
    `DuplicateContent` when another document has these bytes, `UnreadableDocument`, `FileTooLarge`, `QuotaExceeded`,
    and `SourceRemoved`.
    """
    name = _clean_file_name(file_name)
    stored, source_type = _store_upload(stream, name=name)
    with transaction.atomic():
        source = Source.objects.locked(item.source_id)
        knowledge_base = source.knowledge_base
        lease.lock_in_transaction(f"add:{knowledge_base.pk}")
        if Document.objects.present().filter(knowledge_base=knowledge_base, sha256=stored.sha256).exists():
            raise DuplicateContent
        document = Document.objects.create(
            knowledge_base=knowledge_base,
            title=_clean_title(title) or url[:MAX_NAME_LENGTH] or metadata_columns.title_from_file_name(name),
            is_named=bool(_clean_title(title)),
            file_name=name,
            url=url,
            is_public=source.is_public,
            **_file_columns(stored, source_type),
        )
        item.document = document
        item.save()
        storage_usage.check_account(knowledge_base.owner, added=1)
        return _enqueued_result(document, is_new=True, enqueue=enqueue).document


def replace_file(
    document: Document,
    *,
    file_name: str,
    stream: ByteStream,
    check: Callable[[Document], None] | None = None,
    keeps_type: bool = False,
    enqueue: bool = True,
) -> Document:
    """Give a document other bytes. The version that answers now keeps answering until the new one is ready.

    `check` gets the document as it is then, locked, and may refuse by raising. With `keeps_type` the file must be of
    the document's type. Raises `NotAFileDocument`, `OtherType`, `DuplicateContent` when another document has these
    bytes, and what `add_file` raises.
    """
    if document.source_type == SourceType.URL:
        raise NotAFileDocument
    name = _clean_file_name(file_name)
    stored, source_type = _store_upload(stream, name=name, only=document.source_type if keeps_type else None)
    try:
        with transaction.atomic():
            lease.lock_in_transaction(f"add:{document.knowledge_base_id}")
            if check:
                current = Document.objects.select_for_update().present().filter(pk=document.pk).first()
                if current is None:
                    raise NotFound
                check(current)
            _reset_to_queued(document, file_name=name, **_file_columns(stored, source_type))
            storage_usage.check_account(document.knowledge_base.owner)
            return _enqueued_result(document, is_new=False, enqueue=enqueue).document
    except IntegrityError:
        raise DuplicateContent from None


def reingest_document(document: Document, *, enqueue: bool = True) -> Document:
    """Have the document read once more, as it stands; a web page is fetched anew.

    One that is being read already goes on where it is: it is only enqueued again.
    """
    with transaction.atomic():
        if Document.objects.unfinished().contains(document):
            task_queue.enqueue_ingest(document.pk)
            return document
        _reset_to_queued(document)
        return _enqueued_result(document, is_new=False, enqueue=enqueue).document


@transaction.atomic
def update_details(
    document: Document,
    *,
    title: str | None = None,
    labels: Mapping[str, Any] | None = None,
    metadata: Mapping[str, Any] | None = None,
    language: str | None = None,
    enqueue: bool = True,
) -> Document:
    """Save the title, the `labels` (values by name of column), the `metadata` and the language; None leaves each as it
    is. With a language, lock the row of the knowledge base before that of the document.

    What a file says about itself stays. Under another title the document is read again, for the title is part of what
    is embedded. Raises `InvalidMetadata`, `UnknownLanguage`, and `NotFound` when the document is gone.
    """
    if language is not None and language != document.language:
        set_language(document, language)
        record_change(document, ["language"])
    known = metadata_columns.METADATA_COLUMNS
    columns = {name: value for name, value in metadata_columns.split_metadata(labels).items() if name in known}
    if metadata is not None:
        from_file = {name: value for name, value in document.metadata.items() if name == "file"}
        columns["metadata"] = {**metadata_columns.split_metadata(metadata)["metadata"], **from_file}
    new_title = _clean_title(title)
    is_renamed = bool(new_title) and new_title != document.title
    # Only what was given: a worker writes status and progress meanwhile.
    _save_columns(document, columns | ({"title": new_title, "is_named": True} if new_title else {}))
    return reingest_document(document, enqueue=enqueue) if is_renamed else document


def delete_document(document: Document) -> None:
    """Take the document out of its knowledge base. It stops answering at once; releases that pin it keep it.

    Raises `UnderLegalHold`.
    """
    legal_hold.check_removable(document.knowledge_base)
    publish_version.remove_document(document)


class _PeekedStream:
    """A stream whose first bytes have been looked at, and are still to come."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self.head = self._buffered = stream.read(readers.DETECTION_BYTES)

    def read(self, size: int, /) -> bytes:
        piece, self._buffered = self._buffered, b""
        return piece or self._stream.read(size)


def _store_upload(stream: ByteStream, *, name: str, only: str | None = None) -> tuple[StoredFile, str]:
    # The type is checked first, so that a file that cannot be read is never stored.
    peeked = _PeekedStream(stream)
    source_type = readers.detect_type(name, peeked.head)
    if only not in (None, source_type):
        given, wanted = SourceType(source_type).label, SourceType(only).label
        raise OtherType(f"“{name}” is of another type ({given}) than the document ({wanted}).")
    return file_store.store_file(peeked, max_bytes=settings.LEXIC_MAX_DOCUMENT_BYTES), source_type


def _file_columns(stored: StoredFile, source_type: str) -> dict[str, Any]:
    return {"sha256": stored.sha256, "file_bytes": stored.size, "source_type": source_type}


def _merged_columns(document: Document, *, title: str | None, columns: Mapping[str, Any]) -> dict[str, Any]:
    """Columns of a document that comes again: new values replace old ones, and the rest stays."""
    merged = {**columns, "metadata": {**document.metadata, **columns.get("metadata", {})}}
    new_title = _clean_title(title)
    return {**merged, "title": new_title, "is_named": True} if new_title else merged


def _reset_to_queued(document: Document, **columns: Any) -> None:
    state = {"status": DocumentStatus.QUEUED, "error": "", "error_code": "", "queued_at": timezone.now()}
    _save_columns(document, columns, state=state)


@transaction.atomic
def _save_columns(document: Document, columns: dict[str, Any], *, state: Mapping[str, Any] | None = None) -> None:
    """Saves what is said of the document, or, with a `state`, has it read again; whoever does it is on record."""
    written = {**columns, **(state or {}), "updated_at": timezone.now()}
    changed = [name for name, value in columns.items() if getattr(document, name) != value]
    if not Document.objects.present().filter(pk=document.pk).update(**written):
        raise NotFound
    if changed or state:
        record_change(document, changed)
    for name, value in written.items():
        setattr(document, name, value)


def record_change(document: Document, columns: list[str]) -> None:
    """Record in the audit log which columns were changed, not what is in them: an approval asks who has worked on a
    draft (`marketplace.publishing`)."""
    rule = Document.audit_rule
    row = Document.objects.values(*rule.lookups).get(pk=document.pk)
    record_many([rule.event(Action.DOCUMENT_CHANGED, row, changed={"columns": sorted(columns)})])


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
