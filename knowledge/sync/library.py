"""Plans the sync of a repository with a library: its files, and the sources that their footers name.

Every file is read each time, because a design file is stale by what became of another one. Nothing is written here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from knowledge import readers
from knowledge.models import Document, Source
from knowledge.readers.types import UnreadableDocument
from knowledge.sync import folder as disk
from knowledge.sync import library_files as files
from knowledge.sync import library_layout as layout
from knowledge.sync import secret_scanning
from knowledge.sync.library_files import LibraryFile
from knowledge.sync.notes.note_problems import NoteMistake
from knowledge.sync.notes.parse_note import Note, sha256_hex, unreadable_note
from knowledge.sync.plan import (
    NoteChange,
    SyncPlan,
    change_kind,
    hashes_of_other_documents,
    manifest_items,
    match_renamed,
    removed_items,
)
from knowledge.versions.chunk_plan import RepositoryFile


@dataclass(frozen=True, kw_only=True)
class _ReadFile:
    """A file of the repository: its note in the manifest, its bytes, and what it says."""

    note: Note
    data: bytes
    said: LibraryFile


def has_library(folder: Path) -> bool:
    """Whether this is a repository with a library."""
    library = folder / layout.LIBRARY_FOLDER
    return library.is_dir() and not library.is_symlink()


def plan_library(source: Source, *, root: Path, today: date, commit: str) -> SyncPlan:
    """What a sync of this repository has to do on this day, while `commit` is checked out. Raises `SourceNotFound` and
    `TooManyNotes`."""
    return _LibraryPlanner(source, root=root, today=today, commit=commit).plan()


class _LibraryPlanner:
    """The steps of one plan, which share what is in the repository and in the database."""

    def __init__(self, source: Source, *, root: Path, today: date, commit: str) -> None:
        self.source, self.root, self.today, self.commit = source, root, today, commit
        self.items = manifest_items(source)
        self.read: dict[str, _ReadFile] = {}
        self.result = SyncPlan()

    def plan(self) -> SyncPlan:
        listing = disk.list_folder(
            self.root / layout.LIBRARY_FOLDER, is_wanted=layout.is_library_file, shows_hidden=True
        )
        self.result.others = listing.others
        self.result.skipped = [(f"{layout.LIBRARY_FOLDER}/{path}", reason) for path, reason in listing.skipped]
        for path in listing.notes:
            self._read_library_file(path)
        self._read_sources()
        present = {*self.read, *(note.path for note in self.result.unreadable), *self._left_out()}
        self.result.renamed = match_renamed(self.items, present=present, read=[one.note for one in self.read.values()])
        self._plan_changes()
        self.result.removed = removed_items(self.items, present=present, left_out=self._left_out())
        self.result.problems.sort(key=lambda problem: (problem.path, problem.line or 0))
        self.result.items = self.items
        return self.result

    def _left_out(self) -> set[str]:
        return {note.path for note, _ in self.result.left_out}

    # --- What is there ---

    def _read_library_file(self, within: str) -> None:
        path = f"{layout.LIBRARY_FOLDER}/{within}"
        if opened := self._open(path):
            data, text = opened
            try:
                said = files.parse_library_file(within, text)
            except NoteMistake as mistake:
                self._add_unreadable(path, mistake, data)
                return
            self._add(path, data, said)

    def _read_sources(self) -> None:
        """The sources of all design files, and which of these are stale."""
        designs = {path: one for path, one in self.read.items() if one.said.doc_type == layout.DESIGN}
        hashes = {source: self._read_source(source) for source in sorted({one.said.source for one in designs.values()})}
        for path, design in designs.items():
            hash_now = hashes[design.said.source]
            if design.said.source_hash and hash_now is not None and hash_now != design.said.source_hash:
                columns = {**design.note.columns, "doc_status": layout.STALE}
                self.read[path] = replace(design, note=replace(design.note, columns=columns))

    def _read_source(self, path: str) -> str | None:
        """The hash of the source as it is now; empty where it is gone, None where it may not be read."""
        if not layout.is_safe_source(path):
            self.result.skipped.append((path, "it is no source of the repository"))
            return None
        if reason := secret_scanning.reason_by_name(path):
            self._leave_out(path, reason)
            return None
        if not (self.root / path).exists():
            return ""
        opened = self._open(path)
        if opened is None:
            return None
        data, text = opened
        try:
            self._add(path, data, files.parse_source(path, text))
        except NoteMistake as mistake:
            self._leave_out(path, mistake.message)
        return files.source_sha256(data)

    def _open(self, path: str) -> tuple[bytes, str] | None:
        """Bytes and text of a file that may be stored. What may not, or cannot be read, is noted down."""
        try:
            if not path.isprintable():
                raise NoteMistake("Its name has characters that cannot be printed.")
            data = disk.read_note_bytes(self.root, path)
            text = files.decode_file(data)
            if data:
                readers.detect_type(path, data[: readers.DETECTION_BYTES])
        except (NoteMistake, UnreadableDocument) as mistake:
            self._leave_out(path, mistake.message)
            return None
        if reason := secret_scanning.reason_by_values(path, text):
            self._leave_out(path, reason)
            return None
        if not any(map(str.isalnum, text)):
            self.result.others += 1
            return None
        return data, text

    def _leave_out(self, path: str, reason: str) -> None:
        self.result.left_out.append((Note(path=path, sha256=""), reason))

    def _add(self, path: str, data: bytes, said: LibraryFile) -> None:
        problems = tuple(mistake.at(path) for mistake in said.mistakes)
        columns = {**said.columns, "is_public": self.source.is_public}
        note = Note(
            path=path, sha256=sha256_hex(data), title=said.title, body=said.text, columns=columns, problems=problems
        )
        self.read[path] = _ReadFile(note=note, data=data, said=said)

    def _add_unreadable(self, path: str, mistake: NoteMistake, data: bytes) -> None:
        note = unreadable_note(path, mistake, digest=sha256_hex(data))
        self.result.unreadable.append(note)
        self.result.problems += note.problems

    # --- What is to be done ---

    def _plan_changes(self) -> None:
        taken = hashes_of_other_documents(self.source, self.items)
        # Files that have a document go first, so that a copy never takes a document over.
        for path in sorted(self.read, key=lambda path: (self._document(path) is None, path)):
            one = self.read[path]
            self.result.problems += one.note.problems
            if twin := taken.get(one.note.sha256):
                self._leave_out(path, f"the same as {twin}")
                continue
            taken[one.note.sha256] = path
            self._plan_change(one, self._document(path))

    def _document(self, path: str) -> Document | None:
        item = self.items.get(path)
        return item.live_document if item else None

    def _plan_change(self, one: _ReadFile, document: Document | None) -> None:
        note = replace(one.note, columns=self._with_validity(one.note.columns, document))
        if document and document.is_public and not note.columns["is_public"]:
            self.result.to_unpublish.append(document)
        change = NoteChange(
            kind=change_kind(note, document, one.data),
            note=note,
            item=self.items.get(note.path),
            document=document,
            text=one.said.text,
            stored=one.data,
            source_type=one.said.source_type,
            searched=one.said.searched,
            file=RepositoryFile(path=note.path, commit=self.commit),
        )
        self.result.changes.append(change)
        self.result.unchanged += change.kind == "same"

    def _with_validity(self, columns: Mapping[str, Any], document: Document | None) -> dict[str, Any]:
        """What is deprecated or outdated is out of force since the first sync that saw it so, where no day is given."""
        if columns["superseded_on"] or columns["doc_status"].casefold() not in layout.RETIRED_STATUSES:
            return dict(columns)
        known = document.superseded_on if document else None
        return {**columns, "superseded_on": known or self.today}
