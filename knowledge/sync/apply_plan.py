"""Carries out the plan of a sync: what must not be public any more is hidden first, then the rest is written.

A batch is one transaction and one revision, with its rows of the manifest. An interrupted sync has written whole
batches, and the next sync plans what is left. Everything is embedded before the transaction begins.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from knowledge import lease, storage_usage, webhook_events
from knowledge.documents import file_store
from knowledge.embedders.base import EmbeddedChunk, Embedder
from knowledge.legal_hold import plugins_holding
from knowledge.models import Document, DocumentStatus, KnowledgeBase, Source, SourceItem, SourceType
from knowledge.readers import code
from knowledge.readers.markdown import find_headings
from knowledge.sync.notes.parse_note import Note
from knowledge.sync.plan import NoteChange, SyncPlan, note_columns
from knowledge.versions import embeddings, writer
from knowledge.versions.batches import OnProgress, batched
from knowledge.versions.chunk_plan import PlannedText, plan_text

NOTES_PER_BATCH = 200


@dataclass(kw_only=True)
class _PlannedNote:
    """A change with its document as it will be. `text` is None where the text stays."""

    change: NoteChange
    document: Document
    text: PlannedText | None = None


@dataclass(kw_only=True)
class _Batch:
    notes: list[_PlannedNote]
    vectors: dict[bytes, EmbeddedChunk] = field(default_factory=dict)
    removed: list[Document] = field(default_factory=list)

    @property
    def changed(self) -> list[tuple[_PlannedNote, PlannedText]]:
        """The notes with a new text, and that text."""
        return [(one, one.text) for one in self.notes if one.text]


def apply_plan(
    source: Source, found: SyncPlan, *, embedder: Callable[[], Embedder], on_progress: OnProgress | None = None
) -> int:
    """Carry the plan out, for a source that is saved. Returns how many texts were embedded.

    `embedder` is only called when there is something to embed. Raises `WrongDimensions`, `EmbedderChanged` and
    `EmbedderError`; the batches that were written by then stay.
    """
    # Hidden at once and in every release: answers go by how a document is marked now.
    hidden = Document.objects.filter(pk__in=[document.pk for document in found.to_unpublish])
    hidden.update(is_public=False, updated_at=timezone.now())
    embedded = 0
    removed = [item.document for item in found.removed if item.document and item.document.removed_in is None]
    todo = [change for change in found.changes if change.kind != "same" or _differs_from_manifest(change)]
    for number, batch in enumerate([*batched(todo, NOTES_PER_BATCH)] or [[]]):
        prepared = _Batch(notes=[_plan_note(source.knowledge_base, one) for one in batch])
        prepared.removed = removed if number == 0 else []
        embedded += _chunk_and_embed(source.knowledge_base, prepared, embedder)
        _write_batch(source, found, prepared, is_first=number == 0)
        if on_progress:
            on_progress(min(len(todo), (number + 1) * NOTES_PER_BATCH), len(todo))
    return embedded


def _differs_from_manifest(change: NoteChange) -> bool:
    """Whether the manifest's entry has to be written."""
    item = change.item
    return not item or (item.sha256, item.stored_sha256, item.links, item.problems) != _manifest_values(change)


def _manifest_values(change: NoteChange) -> tuple[str, str, Any, Any]:
    problems = [problem.as_dict() for problem in change.note.problems]
    return change.note.sha256, change.stored_sha256, dict(change.links), problems


# --- Before anything is written -------------------------------------------------------------------------------


def _plan_note(base: KnowledgeBase, change: NoteChange) -> _PlannedNote:
    document = change.document or Document(knowledge_base=base, source_type=change.source_type)
    document.knowledge_base = base
    for name, value in note_columns(change.note).items():
        setattr(document, name, value)
    return _PlannedNote(change=change, document=document)


def _chunk_and_embed(base: KnowledgeBase, batch: _Batch, embedder: Callable[[], Embedder]) -> int:
    """Cut and embed what has a new text. Vectors of texts that were embedded before are copied when it is written."""
    changed = [one for one in batch.notes if one.change.kind in ("added", "changed")]
    if not changed:
        return 0
    used = embedder()
    for one in changed:
        one.text = _cut_text(one, used)
        stored = file_store.store_file(io.BytesIO(one.change.stored), max_bytes=settings.LEXIC_MAX_DOCUMENT_BYTES)
        _set_ready_columns(one.document, sha256=stored.sha256, source_type=one.change.source_type)
    texts = [text for _, text in batch.changed]
    known = embeddings.embedded_hashes(base, texts)
    keeps_states = embeddings.keeps_states(base.pk)
    batch.vectors = embeddings.embed_texts(texts, embedder=used, keeps_states=keeps_states, embedded=known)
    embeddings.ensure_dimensions(base, used.dimensions)
    return len(batch.vectors)


def _cut_text(one: _PlannedNote, embedder: Embedder) -> PlannedText:
    change = one.change
    find = code.find_outline if change.source_type == SourceType.CODE else find_headings
    planned = plan_text(
        one.document, change.text, headings=find(change.text), searched=change.searched, embedder=embedder
    )
    return replace(planned, file=change.file)


def _set_ready_columns(document: Document, *, sha256: str, source_type: SourceType) -> None:
    document.sha256 = document.ready_sha256 = sha256
    document.source_type = document.ready_source_type = source_type
    document.ready_file_name = document.file_name
    document.status, document.error, document.error_code = DocumentStatus.READY, "", ""
    document.arrived_sha256, document.expected_at = "", None


# --- One transaction ------------------------------------------------------------------------------------------


@transaction.atomic
def _write_batch(source: Source, found: SyncPlan, batch: _Batch, *, is_first: bool) -> None:
    base = source.knowledge_base
    lease.confirm_held()
    lease.lock_in_transaction(f"add:{base.pk}")
    locked = KnowledgeBase.objects.select_for_update(no_key=True).get(pk=base.pk)
    embeddings.check_same_space(locked, base)
    if is_first:
        _record_other_items(source, found)
    # Two notes may have changed places: the hash that one gets is still on the other, which is written later.
    leaving = {change.document.pk for change in found.changes if change.document and change.kind == "changed"}
    new_hashes = [one.document.sha256 for one, _ in batch.changed]
    Document.objects.filter(pk__in=leaving, sha256__in=new_hashes).update(sha256="")
    if batch.changed or batch.removed:
        _replace_versions(locked, batch)
        base.revision = locked.revision
    _update_descriptions(batch)
    _record_items(source, batch.notes)


def _replace_versions(base: KnowledgeBase, batch: _Batch) -> None:
    revision = base.revision + 1
    changed = [one.document for one, _ in batch.changed]
    removed_ids = [document.pk for document in batch.removed]
    ended = [document.pk for document in changed] + removed_ids
    writer.discard_staged(*ended)  # of a reading that has not ended
    closed = writer.close_versions(ended, revision=revision)
    if not plugins_holding(base):
        Document.objects.filter(pk__in=removed_ids, added_in=None).delete()
    Document.objects.filter(pk__in=removed_ids).update(removed_in=revision, updated_at=timezone.now())
    for document in changed:
        document.added_in = document.added_in or revision
    new = [one.document for one, _ in batch.changed if one.change.document is None]
    Document.objects.bulk_create(new)
    storage_usage.check_account(base.owner, added=len(new))
    for one, _ in batch.changed:
        if one.change.document is not None:
            one.document.save()
    texts = [text for _, text in batch.changed]
    opened = writer.write_texts(base, texts, vectors=batch.vectors, revision=revision, remembers_title=True)
    writer.advance_revision(base, added=opened, removed=closed)
    webhook_events.record_documents_ready(base, [(document, document.title, None) for document in changed])


def _update_descriptions(batch: _Batch) -> None:
    """Columns alone: nothing is read and nothing embedded."""
    for one in batch.notes:
        if one.change.kind == "described":
            columns = note_columns(one.change.note)
            columns |= {"ready_file_name": columns["file_name"], "updated_at": timezone.now()}
            Document.objects.filter(pk=one.document.pk).update(**columns)


# --- The manifest ---------------------------------------------------------------------------------------------


def _record_items(source: Source, notes: Sequence[_PlannedNote]) -> None:
    for one in notes:
        sha256, stored_sha256, links, problems = _manifest_values(one.change)
        item = one.change.item or SourceItem(source=source)
        item.path, item.document, item.synced_at = one.change.note.path, one.document, timezone.now()
        item.sha256, item.stored_sha256, item.links, item.problems = sha256, stored_sha256, links, problems
        item.save()


def _record_other_items(source: Source, found: SyncPlan) -> None:
    """The rows of what is gone, left out, or could not be read."""
    left_out = {note.path for note, _ in found.left_out}
    gone = [item.pk for item in found.removed if item.path not in left_out and item.pk]
    SourceItem.objects.filter(pk__in=gone).delete()
    for note, _ in found.left_out:
        _record_item(source, found, note, document=None)
    for note in found.unreadable:
        item = found.items.get(note.path)
        _record_item(source, found, note, document=item.document if item else None)


def _record_item(source: Source, found: SyncPlan, note: Note, *, document: Document | None) -> None:
    item = found.items.get(note.path) or SourceItem(source=source)
    item.path, item.document, item.sha256 = note.path, document, note.sha256
    item.problems = [problem.as_dict() for problem in note.problems]
    item.synced_at = timezone.now()
    item.save()
