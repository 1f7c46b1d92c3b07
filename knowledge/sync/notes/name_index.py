"""The names by which links refer to notes, and which notes have a title that may be shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from knowledge.sync.notes.links import strip_note_ending


@dataclass(frozen=True, kw_only=True)
class NamedNote:
    """`is_public`: anybody may know its title."""

    path: str
    title: str
    aliases: tuple[str, ...]
    is_public: bool


class NoteNameIndex:
    """A path goes before a file name, that before an alias, and that before a title; then the shortest path."""

    def __init__(self, notes: Iterable[NamedNote]) -> None:
        self._by_name: dict[str, NamedNote] = {}
        known = sorted(notes, key=lambda note: (note.path.count("/"), note.path))
        for names_of in (
            lambda note: [strip_note_ending(note.path)],
            lambda note: [strip_note_ending(PurePosixPath(note.path).name)],
            lambda note: note.aliases,
            lambda note: [note.title],
        ):
            for note in known:
                for name in names_of(note):
                    self._by_name.setdefault(_normalise_note_name(name), note)

    def title_of(self, target: str) -> str | None:
        """The title of the note that is meant, where anybody may know it."""
        note = self._by_name.get(_normalise_note_name(strip_note_ending(target.strip().lstrip("/"))))
        return note.title if note and note.is_public else None


def _normalise_note_name(name: str) -> str:
    return " ".join(name.split()).casefold()
