"""What was read out of the sources, in SQLite: derived, beside the library, and free to vanish at any time."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lexibrarian.project import Project

if TYPE_CHECKING:
    from sqlite3 import Connection

INDEX = "index.db"
_SCHEMA = """
PRAGMA user_version = {version};
CREATE TABLE sources (path TEXT PRIMARY KEY, hash TEXT NOT NULL, imports TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE dependencies (source TEXT NOT NULL, target TEXT NOT NULL, PRIMARY KEY (source, target)) WITHOUT ROWID;
CREATE INDEX dependents ON dependencies (target);
"""
# Raised when the tables change, or when imports are read differently.
VERSION = 1


@dataclass(frozen=True)
class Known:
    """A source as it was read last."""

    hash: str
    imports: tuple[str, ...]
    dependencies: tuple[str, ...] = ()


def read_index(project: Project) -> dict[str, Known]:
    """What is known of each source; empty where there is no index, or one that cannot be read."""
    path = project.library / INDEX
    if not path.is_file():
        return {}
    import sqlite3

    try:
        with contextlib.closing(sqlite3.connect(f"file:{_quoted(path)}?mode=ro", uri=True)) as connection:
            if _version(connection) != VERSION:
                return {}
            targets: dict[str, list[str]] = {}
            for source, target in connection.execute("SELECT source, target FROM dependencies ORDER BY source, target"):
                targets.setdefault(source, []).append(target)
            rows = connection.execute("SELECT path, hash, imports FROM sources").fetchall()
    except (sqlite3.Error, ValueError):
        return {}
    return {
        path: Known(hash_, tuple(json.loads(imports)), tuple(targets.get(path, ()))) for path, hash_, imports in rows
    }


def write_index(project: Project, changed: dict[str, Known], gone: Iterable[str]) -> None:
    """Store what changed, and forget what is gone. A damaged or outdated index is made anew by the next full update."""
    import sqlite3

    path = project.library / INDEX
    try:
        with _open(path) as connection:
            everything = [*changed, *gone]
            connection.executemany("DELETE FROM dependencies WHERE source = ?", [(each,) for each in everything])
            connection.executemany("DELETE FROM sources WHERE path = ?", [(each,) for each in everything])
            rows = [(path, known.hash, json.dumps(known.imports)) for path, known in changed.items()]
            connection.executemany("INSERT INTO sources VALUES (?, ?, ?)", rows)
            pairs = [(path, target) for path, known in changed.items() for target in known.dependencies]
            connection.executemany("INSERT INTO dependencies VALUES (?, ?)", pairs)
    except sqlite3.DatabaseError:
        path.unlink(missing_ok=True)


def dependents_of(project: Project, source: str) -> list[str] | None:
    """The sources that import one, sorted; `None` where there is no index to ask."""
    path = project.library / INDEX
    if not path.is_file():
        return None
    import sqlite3

    try:
        with contextlib.closing(sqlite3.connect(f"file:{_quoted(path)}?mode=ro", uri=True)) as connection:
            if _version(connection) != VERSION:
                return None
            found = connection.execute("SELECT source FROM dependencies WHERE target = ? ORDER BY source", (source,))
            return [row[0] for row in found]
    except sqlite3.Error:
        return None


def _quoted(path: Path) -> str:
    from urllib.parse import quote

    return quote(str(path))


def _version(connection: Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


@contextlib.contextmanager
def _open(path: Path) -> Iterator[Connection]:
    import sqlite3

    with contextlib.closing(sqlite3.connect(path, timeout=30)) as connection:
        if _version(connection) != VERSION:
            for table in ("sources", "dependencies"):
                connection.execute(f"DROP TABLE IF EXISTS {table}")
            connection.executescript(_SCHEMA.format(version=VERSION))
        with connection:
            yield connection
