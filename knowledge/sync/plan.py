"""What a sync has to do: the folder as it is, held against the manifest. Nothing is written here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, Literal

from knowledge.models import Document, DocumentStatus, Source, SourceItem, SourceType
from knowledge.sync import folder as disk
from knowledge.sync import note as notes
from knowledge.sync.links import Rendered, render
from knowledge.sync.names import Named, Names
from knowledge.sync.note import Note
from knowledge.sync.problems import Mistake, Problem

Kind = Literal["added", "changed", "described", "same"]


@dataclass(frozen=True, kw_only=True)
class Change:
    """A note and the document that it is to become. `text` is what is stored and searched, `stored` the whole file.

    Of kind `described` only columns differ; of kind `same` only what the manifest knows.
    """

    kind: Kind
    note: Note
    item: SourceItem | None
    document: Document | None
    text: str
    stored: bytes
    links: Mapping[str, str | None]

    @property
    def stored_sha256(self) -> str:
        return notes.sha256(self.stored)


@dataclass(kw_only=True)
class Plan:
    """`left_out` are notes without a document, by the reason; `closing` documents that nobody at large may read now."""

    changes: list[Change] = field(default_factory=list)
    left_out: list[tuple[Note, str]] = field(default_factory=list)
    broken: list[Note] = field(default_factory=list)
    renamed: list[tuple[str, str]] = field(default_factory=list)
    removed: list[SourceItem] = field(default_factory=list)
    closing: list[Document] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unchanged: int = 0
    others: int = 0
    items: dict[str, SourceItem] = field(default_factory=dict)


def plan(source: Source, *, root: Path, today: date) -> Plan:
    """Raises `NoFolder` and `TooManyNotes`."""
    return _Planner(source, root=root, today=today).plan()


class _Planner:
    """The steps of one plan, which share what was found in the folder and in the database."""

    def __init__(self, source: Source, *, root: Path, today: date) -> None:
        self.source, self.root, self.today = source, root, today
        self.listing = disk.listing(root)
        rows = source.items.select_related("document") if source.pk else SourceItem.objects.none()
        self.items = {item.path: item for item in rows}
        self.kept: list[SourceItem] = []
        self.read: list[Note] = []
        self.made = Plan(skipped=list(self.listing.skipped), others=self.listing.others)

    def plan(self) -> Plan:
        for path in self.listing.notes:
            self._look_at(path)
        self._find_renamed()
        self._adopt()
        names = Names([*map(self._named, self.read), *map(_named_before, self.kept, [self.today] * len(self.kept))])
        self._reread_where_links_changed(names)
        self._decide(names)
        self._find_removed()
        self.made.items = self.items
        return self.made

    # --- What is there ---

    def _look_at(self, path: str) -> None:
        try:
            data = disk.read_bytes(self.root, path)
        except Mistake as mistake:
            self.read.append(notes.unreadable(path, mistake))
            return
        item = self.items.get(path)
        if item and item.sha256 == notes.sha256(data) and self._stands(item):
            self.kept.append(item)
        else:
            self.read.append(notes.read(path, data))

    def _stands(self, item: SourceItem) -> bool:
        """Whether its document is still what this file was made into, and what it said needs no repeating."""
        document = item.document
        if document is None or document.removed_in is not None or item.problems:
            return False
        is_left_out = self.source.public_only and not document.is_public
        is_ready = document.status == DocumentStatus.READY and document.sha256 == document.ready_sha256
        return is_ready and document.sha256 == item.stored_sha256 and not is_left_out

    def _find_renamed(self) -> None:
        """The same bytes where nothing was, and nothing where they were: the note has moved, and stays itself."""
        present = set(self.listing.notes)
        gone: dict[str, list[SourceItem]] = {}
        for path, item in self.items.items():
            if path not in present and item.document and item.document.removed_in is None:
                gone.setdefault(item.sha256, []).append(item)
        for note in self.read:
            if note.path not in self.items and gone.get(note.sha256):
                item = gone[note.sha256].pop(0)
                self.made.renamed.append((item.path, note.path))
                self.items[note.path] = self.items.pop(item.path)

    def _adopt(self) -> None:
        """A file of this name that somebody added by hand before is this note."""
        wanted = [note.path for note in self.read if note.path not in self.items and len(note.path) <= 300]
        if not wanted:
            return
        present = Document.objects.present().filter(knowledge_base=self.source.knowledge_base, file_name__in=wanted)
        for document in present.filter(source_items=None, source_type=SourceType.MARKDOWN):
            self.items[document.file_name] = SourceItem(
                source=self.source, path=document.file_name, document=document
            )

    # --- What links are called ---

    def _named(self, note: Note) -> Named:
        is_open = note.body is not None and notes.is_open(note.columns, today=self.today)
        return Named(path=note.path, title=note.title, aliases=note.aliases, is_open=is_open)

    def _reread_where_links_changed(self, names: Names) -> None:
        stale = [item for item in self.kept if any(names.title_of(name) != was for name, was in item.links.items())]
        for item in stale:
            self.kept.remove(item)
            try:
                self.read.append(notes.read(item.path, disk.read_bytes(self.root, item.path)))
            except Mistake as mistake:
                self.read.append(notes.unreadable(item.path, mistake))

    # --- What is to be done ---

    def _decide(self, names: Names) -> None:
        self.made.unchanged = len(self.kept)
        taken = {item.stored_sha256: item.path for item in self.kept} | self._foreign()
        # Who has its document already goes first, so that a copy never takes it over.
        for note in sorted(self.read, key=lambda note: (self._document(note) is None, note.path)):
            self.made.problems += note.problems
            self._decide_one(note, names, taken)
        self.made.problems.sort(key=lambda problem: (problem.path, problem.line or 0))

    def _foreign(self) -> dict[str, str]:
        """Hashes that documents of this knowledge base have which are none of this source's."""
        ours = {item.document_id for item in self.items.values()}
        present = Document.objects.present().filter(knowledge_base=self.source.knowledge_base).exclude(sha256="")
        rows = present.values_list("pk", "sha256", "title")
        return {sha256: f"the document “{title}”" for pk, sha256, title in rows if pk not in ours}

    def _document(self, note: Note) -> Document | None:
        item = self.items.get(note.path)
        document = item.document if item else None
        return document if document and document.removed_in is None else None

    def _decide_one(self, note: Note, names: Names, taken: dict[str, str]) -> None:
        document = self._document(note)
        if document and document.is_public and not note.columns.get("is_public"):
            self.made.closing.append(document)
        if note.body is None:
            self.made.broken.append(note)
            return
        shown = render(note.body, title_of=names.title_of)
        stored = _stored(note.title, shown.text)
        reason = self._reason_against(note, shown.text, taken.get(notes.sha256(stored)))
        if reason:
            self.made.left_out.append((note, reason))
            return
        taken[notes.sha256(stored)] = note.path
        change = self._change(note, document, shown, stored)
        self.made.changes.append(change)
        self.made.unchanged += change.kind == "same"

    def _reason_against(self, note: Note, text: str, twin: str | None) -> str:
        if self.source.public_only and not note.columns["is_public"]:
            return "not public"
        if not any(map(str.isalnum, text)):
            return "holds no text"
        return f"the same as {twin}" if twin else ""

    def _change(self, note: Note, document: Document | None, shown: Rendered, stored: bytes) -> Change:
        return Change(
            kind=_kind(note, document, stored),
            note=note,
            item=self.items.get(note.path),
            document=document,
            text=_as_read(shown.text),
            stored=stored,
            links=shown.links,
        )

    def _find_removed(self) -> None:
        """Rows whose file is gone, or whose note is left out now."""
        present = set(self.listing.notes)
        left_out = {note.path for note, _ in self.made.left_out}
        for path, item in self.items.items():
            has_document = item.document is not None and item.document.removed_in is None
            if path not in present or (path in left_out and has_document):
                self.made.removed.append(item)


def _named_before(item: SourceItem, today: date) -> Named:
    document = item.document
    assert document is not None
    said = {name: getattr(document, name) for name in ("is_public", "is_template", "superseded_on")}
    aliases = tuple(name for name in document.metadata.get("aliases", []) if isinstance(name, str))
    return Named(path=item.path, title=document.title, aliases=aliases, is_open=notes.is_open(said, today=today))


def _stored(title: str, text: str) -> bytes:
    """The file that is kept: with its title, so that reading it again by itself gives this very document."""
    return f"---\ntitle: {title}\n---\n\n{_as_read(text)}".encode()


def _as_read(text: str) -> str:
    return text.strip("\n")


def _kind(note: Note, document: Document | None, stored: bytes) -> Kind:
    if document is None:
        return "added"
    is_ready = document.status == DocumentStatus.READY and document.ready_sha256 == document.sha256
    if not is_ready or document.sha256 != notes.sha256(stored) or document.title != note.title:
        return "changed"
    return "same" if _is_described(document, note) else "described"


def _is_described(document: Document, note: Note) -> bool:
    known = {name: value for name, value in document.metadata.items() if name != "file"}
    wanted = columns_of(note)
    return known == wanted.pop("metadata") and all(getattr(document, name) == wanted[name] for name in wanted)


def columns_of(note: Note) -> dict[str, Any]:
    """What the note says about its document; not its text."""
    return {**note.columns, "title": note.title, "file_name": note.path[-300:]}
