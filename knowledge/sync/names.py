"""What notes may be called by in a link, and which of them have a title that may be shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath

from knowledge.sync.links import without_ending


@dataclass(frozen=True, kw_only=True)
class Named:
    """`is_open`: anybody may know its title."""

    path: str
    title: str
    aliases: tuple[str, ...]
    is_open: bool


class Names:
    """A path goes before a file name, that before an alias, and that before a title; then the shortest path."""

    def __init__(self, notes: Iterable[Named]) -> None:
        self._by_name: dict[str, Named] = {}
        known = sorted(notes, key=lambda note: (note.path.count("/"), note.path))
        for names_of in (_path, _file_name, _aliases, _title):
            for note in known:
                for name in names_of(note):
                    self._by_name.setdefault(_plain(name), note)

    def title_of(self, target: str) -> str | None:
        """The title of the note that is meant, where anybody may know it."""
        note = self._by_name.get(_plain(without_ending(target.strip().lstrip("/"))))
        return note.title if note and note.is_open else None


def _path(note: Named) -> tuple[str, ...]:
    return (without_ending(note.path),)


def _file_name(note: Named) -> tuple[str, ...]:
    return (without_ending(PurePosixPath(note.path).name),)


def _aliases(note: Named) -> tuple[str, ...]:
    return note.aliases


def _title(note: Named) -> tuple[str, ...]:
    return (note.title,)


def _plain(name: str) -> str:
    return " ".join(name.split()).casefold()
