"""Signals that agents leave in directories for whoever comes next: left, read and removed, listed."""

from __future__ import annotations

import os

from lexibrarian.artefacts.iwh import Signal, new_signal, read_signal
from lexibrarian.directories import now
from lexibrarian.errors import LibraryError
from lexibrarian.project import Project
from lexibrarian.stack import author_name
from lexibrarian.store import LOCKS, read_text, remove_file, write_text


def leave_signal(project: Project, directory: str, scope: str, text: str) -> Signal:
    """Write the signal of a directory; it takes the place of one that lies there."""
    if not text.strip():
        raise LibraryError("A signal needs a text.", code="empty_signal", hint="Say with --body what is unfinished.")
    written = new_signal(author_name(), now(), scope, text)
    write_text(project.iwh_path(directory), written)
    return read_signal(written)


def take_signal(project: Project, directory: str, *, peek: bool = False) -> Signal | None:
    """The signal of a directory, which is then removed unless one only peeks; a damaged one is removed too."""
    path = project.iwh_path(directory)
    text = read_text(path)
    if text is None:
        return None
    if not peek:
        remove_file(path)
    return read_signal(text)


def all_signals(project: Project) -> dict[str, Signal]:
    """The signals that lie in the library, by their directory, sorted; the root is `""`."""
    found = {}
    for place, inner, names in os.walk(project.library):
        inner[:] = [name for name in inner if name != LOCKS]
        if ".iwh" in names:
            where = os.path.relpath(place, project.library).replace(os.sep, "/")
            directory = "" if where == "." else where
            found[directory] = read_signal(read_text(project.iwh_path(directory)) or "")
    return dict(sorted(found.items()))
