"""Plans a sync: compares the folder with the manifest of the last sync. Nothing is written here."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Literal

from knowledge.documents.expert_answers import expert_answers
from knowledge.models import Document, DocumentStatus, Source, SourceItem, SourceType
from knowledge.sync import folder as disk
from knowledge.sync.notes import parse_note as notes
from knowledge.sync.notes.links import render_links
from knowledge.sync.notes.name_index import NamedNote, NoteNameIndex
from knowledge.sync.notes.note_problems import NoteMistake, NoteProblem
from knowledge.sync.notes.parse_note import Note
from knowledge.versions.chunk_plan import RepositoryFile

ChangeKind = Literal["added", "changed", "described", "same"]


@dataclass(frozen=True, kw_only=True)
class NoteChange:
    """A note and the document it becomes. `text` is what is searched, or its `searched` spans; `stored` the file that
    is stored. `file`: where that is in a repository.

    Of kind `described` only columns differ; of kind `same` only what the manifest knows.
    """

    kind: ChangeKind
    note: Note
    item: SourceItem | None
    document: Document | None
    text: str
    stored: bytes
    links: Mapping[str, str | None] = field(default_factory=dict)
    source_type: SourceType = SourceType.MARKDOWN
    searched: Sequence[tuple[int, int]] | None = None
    file: RepositoryFile | None = None

    @property
    def stored_sha256(self) -> str:
        return notes.sha256_hex(self.stored)


@dataclass(kw_only=True)
class SyncPlan:
    """`left_out` are notes without a document, with the reason; `unreadable` notes that could not be read.

    `to_unpublish` are documents that must not be public any more.
    """

    changes: list[NoteChange] = field(default_factory=list)
    left_out: list[tuple[Note, str]] = field(default_factory=list)
    unreadable: list[Note] = field(default_factory=list)
    renamed: list[tuple[str, str]] = field(default_factory=list)
    removed: list[SourceItem] = field(default_factory=list)
    to_unpublish: list[Document] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    problems: list[NoteProblem] = field(default_factory=list)
    unchanged: int = 0
    others: int = 0
    items: dict[str, SourceItem] = field(default_factory=dict)


def plan_sync(source: Source, *, root: Path, today: date) -> SyncPlan:
    """What a sync of this source has to do on this day. Raises `SourceNotFound` and `TooManyNotes`."""
    return _SyncPlanner(source, root=root, today=today).plan()


class _SyncPlanner:
    """The steps of one plan, which share what is in the folder and in the database."""

    def __init__(self, source: Source, *, root: Path, today: date) -> None:
        self.source, self.root, self.today = source, root, today
        self.listing = disk.list_folder(root)
        self.items = manifest_items(source)
        self.kept: list[SourceItem] = []
        self.read: list[Note] = []
        self.result = SyncPlan(skipped=list(self.listing.skipped), others=self.listing.others)

    def plan(self) -> SyncPlan:
        for path in self.listing.notes:
            self._read_note(path, keeps_current=True)
        self.result.renamed = match_renamed(self.items, present=set(self.listing.notes), read=self.read)
        self._adopt_manual_documents()
        names = NoteNameIndex(
            [self._name_of_note(note) for note in self.read] + [self._name_of_item(item) for item in self.kept]
        )
        self._reread_stale_links(names)
        self._plan_notes(names)
        left_out = {note.path for note, _ in self.result.left_out}
        self.result.removed = removed_items(self.items, present=set(self.listing.notes), left_out=left_out)
        self.result.items = self.items
        return self.result

    # --- What is there ---

    def _read_note(self, path: str, *, keeps_current: bool = False) -> None:
        """Read a note again, unless its item is current and may be kept."""
        try:
            data = disk.read_note_bytes(self.root, path)
        except NoteMistake as mistake:
            self.read.append(notes.unreadable_note(path, mistake))
            return
        item = self.items.get(path) if keeps_current else None
        if item and item.sha256 == notes.sha256_hex(data) and self._is_current(item):
            self.kept.append(item)
        else:
            self.read.append(notes.parse_note(path, data))

    def _is_current(self, item: SourceItem) -> bool:
        """Whether its document is still as this file made it, and has no problems to report again."""
        document = item.document
        if document is None or document.removed_in is not None or item.problems:
            return False
        is_left_out = self.source.public_only and not document.is_public
        is_ready = document.status == DocumentStatus.READY and document.sha256 == document.ready_sha256
        return is_ready and document.sha256 == item.stored_sha256 and not is_left_out

    def _adopt_manual_documents(self) -> None:
        """A document that was uploaded by hand under this file name becomes the document of this note. What experts
        answered by hand stays theirs."""
        wanted = [note.path for note in self.read if note.path not in self.items and len(note.path) <= 300]
        if not wanted:
            return
        present = Document.objects.present().filter(knowledge_base=self.source.knowledge_base, file_name__in=wanted)
        by_hand = present.not_synced().filter(source_type=SourceType.MARKDOWN).exclude(pk__in=expert_answers())
        for document in by_hand:
            self.items[document.file_name] = SourceItem(source=self.source, path=document.file_name, document=document)

    # --- What links are called ---

    def _name_of_note(self, note: Note) -> NamedNote:
        is_public = note.body is not None and notes.is_public_note(note.columns, today=self.today)
        return NamedNote(path=note.path, title=note.title, aliases=note.aliases, is_public=is_public)

    def _name_of_item(self, item: SourceItem) -> NamedNote:
        document = item.document
        assert document is not None
        columns = {name: getattr(document, name) for name in ("is_public", "is_template", "superseded_on")}
        aliases = tuple(name for name in document.metadata.get("aliases", []) if isinstance(name, str))
        is_public = notes.is_public_note(columns, today=self.today)
        return NamedNote(path=item.path, title=document.title, aliases=aliases, is_public=is_public)

    def _reread_stale_links(self, names: NoteNameIndex) -> None:
        stale = [item for item in self.kept if any(names.title_of(name) != was for name, was in item.links.items())]
        for item in stale:
            self.kept.remove(item)
            self._read_note(item.path)

    # --- What is to be done ---

    def _plan_notes(self, names: NoteNameIndex) -> None:
        self.result.unchanged = len(self.kept)
        taken = {item.stored_sha256: item.path for item in self.kept} | hashes_of_other_documents(
            self.source, self.items
        )
        # Notes that have a document go first, so that a copy never takes a document over.
        for note in sorted(self.read, key=lambda note: (self._document(note) is None, note.path)):
            self.result.problems += note.problems
            self._plan_note(note, names, taken)
        self.result.problems.sort(key=lambda problem: (problem.path, problem.line or 0))

    def _document(self, note: Note) -> Document | None:
        item = self.items.get(note.path)
        return item.live_document if item else None

    def _plan_note(self, note: Note, names: NoteNameIndex, taken: dict[str, str]) -> None:
        document = self._document(note)
        if document and document.is_public and not note.columns.get("is_public"):
            self.result.to_unpublish.append(document)
        if note.body is None:
            self.result.unreadable.append(note)
            return
        rendered = render_links(note.body, title_of=names.title_of)
        text = rendered.text.strip("\n")
        # With its title, so that reading the stored file by itself gives this very document.
        stored = f"---\ntitle: {note.title}\n---\n\n{text}".encode()
        reason = self._reason_against(note, text, taken.get(notes.sha256_hex(stored)))
        if reason:
            self.result.left_out.append((note, reason))
            return
        taken[notes.sha256_hex(stored)] = note.path
        change = NoteChange(
            kind=change_kind(note, document, stored),
            note=note,
            item=self.items.get(note.path),
            document=document,
            text=text,
            stored=stored,
            links=rendered.links,
        )
        self.result.changes.append(change)
        self.result.unchanged += change.kind == "same"

    def _reason_against(self, note: Note, text: str, twin: str | None) -> str:
        if self.source.public_only and not note.columns["is_public"]:
            return "not public"
        if not any(map(str.isalnum, text)):
            return "holds no text"
        return f"the same as {twin}" if twin else ""


def manifest_items(source: Source) -> dict[str, SourceItem]:
    """The rows of the manifest with their documents, by path."""
    rows = source.items.select_related("document") if source.pk else SourceItem.objects.none()
    return {item.path: item for item in rows}


def match_renamed(
    items: dict[str, SourceItem], *, present: Collection[str], read: Iterable[Note]
) -> list[tuple[str, str]]:
    """The old and the new path of each file that moved; its row is under the new path in `items` afterwards. A new path
    with the bytes of a path that is gone is the same file, and keeps its document."""
    gone: dict[str, list[SourceItem]] = {}
    for path, item in items.items():
        if path not in present and item.live_document:
            gone.setdefault(item.sha256, []).append(item)
    renamed = []
    for note in read:
        if note.path not in items and gone.get(note.sha256):
            item = gone[note.sha256].pop(0)
            renamed.append((item.path, note.path))
            items[note.path] = items.pop(item.path)
    return renamed


def hashes_of_other_documents(source: Source, items: Mapping[str, SourceItem]) -> dict[str, str]:
    """The hashes of documents of this knowledge base that do not come from this source, with what to call them."""
    ours = {item.document_id for item in items.values()}
    present = Document.objects.present().filter(knowledge_base=source.knowledge_base).exclude(sha256="")
    rows = present.values_list("pk", "sha256", "title")
    return {sha256: f"the document “{title}”" for pk, sha256, title in rows if pk not in ours}


def removed_items(
    items: Mapping[str, SourceItem], *, present: Collection[str], left_out: Collection[str]
) -> list[SourceItem]:
    """Rows whose file is gone, or is left out now."""
    return [item for path, item in items.items() if path not in present or (path in left_out and item.live_document)]


def change_kind(note: Note, document: Document | None, stored: bytes) -> ChangeKind:
    """What has to be done for a note whose document there is, or is not yet."""
    if document is None:
        return "added"
    is_ready = document.status == DocumentStatus.READY and document.ready_sha256 == document.sha256
    if not is_ready or document.sha256 != notes.sha256_hex(stored) or document.title != note.title:
        return "changed"
    return "same" if _has_current_columns(document, note) else "described"


def _has_current_columns(document: Document, note: Note) -> bool:
    known = {name: value for name, value in document.metadata.items() if name != "file"}
    wanted = note_columns(note)
    return known == wanted.pop("metadata") and all(getattr(document, name) == wanted[name] for name in wanted)


def note_columns(note: Note) -> dict[str, Any]:
    """What the note says about its document; not its text."""
    return {**note.columns, "title": note.title, "file_name": note.path[-300:]}
