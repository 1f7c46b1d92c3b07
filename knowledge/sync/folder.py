"""The notes in a folder. Nothing outside of it is ever read: no symbolic link is followed, not even by a race."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from knowledge.sync.notes.links import is_note
from knowledge.sync.notes.note_problems import NoteMistake
from knowledge.sync.notes.parse_note import MAX_NOTE_BYTES
from lexic.errors import Conflict, NotFound

MAX_NOTES = 50_000
MAX_NAME_LENGTH = 250
_OPEN_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class SourceNotFound(NotFound):
    """There is no such folder or file, or this account may not read it."""

    code = "no_source"
    hint = "Nothing was changed. Check the path."


class TooManyNotes(Conflict):
    """The folder holds more than 50,000 notes."""

    code = "too_many_notes"
    hint = "Sync its folders one by one, into knowledge bases of their own."


@dataclass(frozen=True, kw_only=True)
class FolderListing:
    """Paths within the folder, sorted. `skipped`: what was left out, and why. `others`: how many files are no notes."""

    notes: tuple[str, ...]
    skipped: tuple[tuple[str, str], ...]
    others: int


def list_folder(
    folder: Path, *, is_wanted: Callable[[str], bool] = is_note, shows_hidden: bool = False
) -> FolderListing:
    """The notes in the folder, or other files that are wanted by their paths, and what is left out.

    Raises `SourceNotFound` when a part of it cannot be read, as notes that cannot be seen must not be taken for deleted
    ones; and `TooManyNotes`.
    """
    notes: list[str] = []
    skipped: list[tuple[str, str]] = []
    others = 0
    for path, reason in _walk_files(folder, shows_hidden):
        if reason:
            skipped.append((path, reason))
        elif is_wanted(path):
            notes.append(path)
        else:
            others += 1
        if len(notes) > MAX_NOTES:
            raise TooManyNotes
    return FolderListing(notes=tuple(sorted(notes)), skipped=tuple(sorted(skipped)), others=others)


def _walk_files(folder: Path, shows_hidden: bool) -> Iterator[tuple[str, str]]:
    for path, folders, names, descriptor in os.fwalk(folder, onerror=_raise_not_found, follow_symlinks=False):
        within = Path(path).relative_to(folder)
        for name in sorted(folders):
            if reason := _skip_reason(name, _file_mode(name, descriptor), shows_hidden):
                folders.remove(name)
                yield _printable_path(within / name), reason
        for name in sorted(names):
            yield _printable_path(within / name), _skip_reason(name, _file_mode(name, descriptor), shows_hidden)


def _printable_path(path: Path) -> str:
    return path.as_posix().encode(errors="replace").decode()


def _raise_not_found(error: OSError) -> None:
    raise SourceNotFound(f"{error.filename}: {error.strerror}.")


def _file_mode(name: str, descriptor: int) -> int:
    try:
        return os.stat(name, dir_fd=descriptor, follow_symlinks=False).st_mode
    except OSError:
        return 0  # gone since it was listed


def _skip_reason(name: str, mode: int, shows_hidden: bool) -> str:
    if name.startswith(".") and not shows_hidden:
        return "hidden"
    if stat.S_ISLNK(mode):
        return "a symbolic link"
    try:
        name.encode()
    except UnicodeEncodeError:
        return "its name is not written in UTF-8"
    if len(name) > MAX_NAME_LENGTH:
        return "its name is too long"
    return "" if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else "not a file"


def read_note_bytes(folder: Path, path: str) -> bytes:
    """The bytes of a note or another file, at most one more than allowed. Raises `NoteMistake` when it is gone, or no
    plain file."""
    try:
        descriptor = _open_note(folder, path)
        with os.fdopen(descriptor, "rb") as stream:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise NoteMistake("This is not a file.")
            return stream.read(MAX_NOTE_BYTES + 1)
    except OSError as error:
        is_link = error.errno == errno.ELOOP
        reason = "This is a symbolic link." if is_link else f"The file cannot be opened: {error.strerror}."
        raise NoteMistake(reason) from None


def _open_note(folder: Path, path: str) -> int:
    """Opens each folder on the way from the one above it, so that no part of the path can become a link meanwhile."""
    *parents, name = Path(path).parts
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        for parent in parents:
            inner = os.open(parent, _OPEN_FLAGS | os.O_DIRECTORY, dir_fd=descriptor)
            os.close(descriptor)
            descriptor = inner
        return os.open(name, _OPEN_FLAGS, dir_fd=descriptor)
    finally:
        os.close(descriptor)
