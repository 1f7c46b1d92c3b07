"""What was read out of sources and design files, in SQLite: derived, beside the library, free to vanish at any time."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lexibrarian.project import Project, parent_of

if TYPE_CHECKING:
    from sqlite3 import Connection

INDEX = "index.db"
_SCHEMA = """
PRAGMA user_version = {version};
CREATE TABLE sources (
    path TEXT PRIMARY KEY, hash TEXT, imports TEXT, dependencies TEXT, tests TEXT, source_state TEXT,
    design_state TEXT, summary TEXT, listed TEXT, lines INTEGER
) WITHOUT ROWID;
CREATE TABLE dependencies (source TEXT NOT NULL, target TEXT NOT NULL, PRIMARY KEY (source, target)) WITHOUT ROWID;
CREATE INDEX dependents ON dependencies (target);
CREATE TABLE files (path TEXT PRIMARY KEY, name TEXT, directory TEXT, stem TEXT, tested TEXT) WITHOUT ROWID;
CREATE INDEX file_names ON files (name);
CREATE INDEX file_directories ON files (directory);
CREATE INDEX file_stems ON files (stem);
CREATE INDEX file_tests ON files (tested) WHERE tested <> '';
CREATE TABLE digests (of_files TEXT, of_config TEXT);
"""
_TABLES = ("sources", "dependencies", "files", "digests")
# Raised when the tables change, or when sources or design files are read differently.
VERSION = 2
_MOST_PATHS = 500


class FileRecord(NamedTuple):
    """A file as it was read last. Lists and the summary of its design file are JSON, read where they are needed.

    `source_state` and `design_state` tell whether the two are still the same, `""` that nobody can know. A file
    without a design file has `listed`, why it is only listed, or its number of `lines`.
    """

    path: str
    hash: str = ""
    imports: str = "[]"
    dependencies: str = "[]"
    tests: str = "[]"
    source_state: str = ""
    design_state: str = ""
    summary: str = ""
    listed: str = ""
    lines: int = 0


def as_json(items: Sequence[str]) -> str:
    """A list of texts as `FileRecord` holds it."""
    if not items:
        return "[]"
    text = '", "'.join(items)
    needs_no_escape = text.isascii() and text.isprintable() and "\\" not in text
    return f'["{text}"]' if needs_no_escape and text.count('"') == 2 * len(items) - 2 else json.dumps(items)


class Digests(NamedTuple):
    """What tells that no file came or went, and that the settings mean what they meant."""

    of_files: str = ""
    of_config: str = ""


def read_index(project: Project, paths: Iterable[str] | None = None) -> dict[str, FileRecord]:
    """What is known of each file, or of some; empty where there is no index, or one that cannot be read."""
    with reading(project) as connection:
        if connection is None:
            return {}
        if paths is None:
            rows = connection.execute("SELECT * FROM sources").fetchall()
        else:
            wanted = [path for path in paths if is_storable(path)]
            rows = []
            for at in range(0, len(wanted), _MOST_PATHS):
                some = wanted[at : at + _MOST_PATHS]
                marks = ", ".join("?" * len(some))
                rows += connection.execute(f"SELECT * FROM sources WHERE path IN ({marks})", some)  # noqa: S608
        return {row[0]: FileRecord._make(row) for row in rows}


def read_digests(project: Project) -> Digests:
    """The digests at the last update of everything; that of the files is `""` where some came or went since."""
    with reading(project) as connection:
        row = connection.execute("SELECT of_files, of_config FROM digests").fetchone() if connection else None
        return Digests(*row) if row else Digests()


def dependents_of(project: Project, source: str) -> list[str] | None:
    """The sources that import one, sorted; `None` where there is no index to ask."""
    with reading(project) as connection:
        if connection is None or not is_storable(source):
            return None
        found = connection.execute("SELECT source FROM dependencies WHERE target = ? ORDER BY source", (source,))
        return [row[0] for row in found]


def write_index(
    project: Project,
    changed: Iterable[FileRecord],
    gone: Iterable[str],
    *,
    came: Iterable[str] = (),
    went: Iterable[str] = (),
    digests: Digests,
) -> None:
    """Store what changed, forget what is gone, and say which files came and went, and what the digests are now.

    A damaged or outdated index is made anew by the next update of everything.
    """
    import sqlite3

    path = project.library / INDEX
    rows = [known for known in changed if is_storable(known.path)]
    forgotten = [(each,) for each in gone if is_storable(each)]
    files = [(each, *_names_of(each)) for each in came if is_storable(each)]
    try:
        with _writing(path) as connection:
            connection.executemany(
                "DELETE FROM dependencies WHERE source = ?", [*((row.path,) for row in rows), *forgotten]
            )
            connection.executemany("DELETE FROM sources WHERE path = ?", forgotten)
            connection.executemany("INSERT OR REPLACE INTO sources VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
            pairs = [(row.path, target) for row in rows for target in json.loads(row.dependencies)]
            pairs = [pair for pair in pairs if is_storable(pair[1])]
            connection.executemany("INSERT INTO dependencies VALUES (?, ?)", pairs)
            connection.executemany("DELETE FROM files WHERE path = ?", [(each,) for each in went if is_storable(each)])
            connection.executemany("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)", files)
            connection.execute("DELETE FROM digests")
            connection.execute("INSERT INTO digests VALUES (?, ?)", digests)
    except sqlite3.DatabaseError:
        path.unlink(missing_ok=True)


def _names_of(path: str) -> tuple[str, str, str, str]:
    from lexibrarian.matching_tests import stem_of, tested_name

    return path.rpartition("/")[2], parent_of(path), stem_of(path), tested_name(path)


def is_storable(path: str) -> bool:
    """Whether SQLite takes a path; names that are not UTF-8 are read anew each time."""
    return path.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in path)


@contextlib.contextmanager
def reading(project: Project) -> Iterator[Connection | None]:
    """The index, to be asked; `None` where there is none, or one that cannot be read."""
    path = project.library / INDEX
    if not path.is_file():
        yield None
        return
    import sqlite3

    try:
        connection = sqlite3.connect(path)
    except sqlite3.Error:
        yield None
        return
    with contextlib.closing(connection):
        yield connection if _is_sound(connection) else None


def _is_sound(connection: Connection) -> bool:
    import sqlite3

    try:
        if _version(connection) != VERSION:
            return False
        for table in _TABLES:
            connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone()  # noqa: S608
    except (sqlite3.Error, ValueError):
        return False
    return True


def _version(connection: Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


@contextlib.contextmanager
def _writing(path: Path) -> Iterator[Connection]:
    import sqlite3

    with contextlib.closing(sqlite3.connect(path, timeout=30)) as connection:
        if _version(connection) != VERSION:
            for table in _TABLES:
                connection.execute(f"DROP TABLE IF EXISTS {table}")
            connection.executescript(_SCHEMA.format(version=VERSION))
        with connection:
            yield connection
