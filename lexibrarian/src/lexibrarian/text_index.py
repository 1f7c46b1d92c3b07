"""The words of the library and of its sources, in SQLite: derived, made and renewed when a question is asked."""

from __future__ import annotations

import contextlib
import math
import os
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lexibrarian.archivist.redact import has_secret_name, redact
from lexibrarian.config import Config
from lexibrarian.crawl import crawl
from lexibrarian.index import INDEX, is_storable, read_index
from lexibrarian.passages import split_code, split_text
from lexibrarian.project import LIBRARY, Project, suffix_of
from lexibrarian.sources import read_source
from lexibrarian.stemming import terms
from lexibrarian.store import LOCKS, read_text

_TEXTS = (".md", ".rst", ".txt")
# Raised when files are cut, words are read or secrets are taken out differently.
_VERSION = 4
_BATCH = 200
_SCHEMA = f"""
DROP TABLE IF EXISTS passages;
DROP TABLE IF EXISTS passage_places;
DROP TABLE IF EXISTS passage_files;
DROP TABLE IF EXISTS passage_version;
CREATE TABLE passage_version AS SELECT {_VERSION} AS version;
CREATE TABLE passage_files (path TEXT PRIMARY KEY, stamp TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE passage_places (
    id INTEGER PRIMARY KEY, path TEXT NOT NULL, head TEXT NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL
);
CREATE INDEX passage_paths ON passage_places (path);
CREATE VIRTUAL TABLE passages USING fts5(head, body, tokenize = 'ascii', detail = 'column');
"""


@dataclass(frozen=True)
class Hit:
    """A passage that was found: lines `first` to `last` of a file, under some headings."""

    path: str
    head: str
    first: int
    last: int


def is_text(path: str) -> bool:
    """Whether a file is read as a text with headings."""
    return suffix_of(path).lower() in _TEXTS or path.endswith(".aindex")


class TextIndex:
    """Finds passages; made by `open_text_index`."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab(main, passages, row)")

    def weights(self, words: Iterable[str]) -> dict[str, float]:
        """How much each word tells: the logarithm of how rare the passages are that hold it."""
        (count,) = self.connection.execute("SELECT count(*) FROM passage_places").fetchone()
        found = {}
        for word in words:
            row = self.connection.execute("SELECT doc FROM temp.words WHERE term = ?", (word,)).fetchone()
            held = row[0] if row else 0
            found[word] = math.log(1 + (count - held + 0.5) / (held + 0.5)) if count else 1.0
        return found

    def holds(self, word: str) -> bool:
        """Whether any passage has a word."""
        return self.connection.execute("SELECT 1 FROM temp.words WHERE term = ?", (word,)).fetchone() is not None

    def beginning_with(self, letter: str, shortest: int, longest: int) -> list[tuple[str, int]]:
        """The words that begin with a letter and have between two lengths, each with the number of its passages."""
        return self.connection.execute(
            "SELECT term, doc FROM temp.words WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?",
            (letter, f"{letter}\uffff", shortest, longest),
        ).fetchall()

    def find(self, words: Iterable[str], limit: int) -> list[Hit]:
        """The passages that hold most of some words, by BM25, the best first."""
        query = " OR ".join(f'"{word}"' for word in words)
        rows = self.connection.execute(
            "SELECT path, passage_places.head, first, last FROM passages JOIN passage_places ON id = passages.rowid"
            " WHERE passages MATCH ? ORDER BY bm25(passages, 1.5, 1.0) LIMIT ?",
            (query, limit),
        )
        return [Hit(*row) for row in rows]

    def stamp(self, path: str) -> str:
        """What a file was known by when it was read: its hash, or its time and size."""
        (stamp,) = self.connection.execute("SELECT stamp FROM passage_files WHERE path = ?", (path,)).fetchone()
        return str(stamp)

    def renew(self, project: Project, config: Config, path: str) -> None:
        """Read one file again that is not as it was."""
        with self.connection:
            _forget(self.connection, [path])
            _add(self.connection, project, config, path, "changed since")


@contextlib.contextmanager
def open_text_index(project: Project, config: Config) -> Iterator[TextIndex]:
    """The index, brought up to the files; in memory where the library cannot be written."""
    wanted = {**_library_files(project), **_source_files(project, config)}
    with contextlib.closing(_connected(project.library / INDEX)) as connection:
        try:
            _renew(connection, project, config, wanted)
        except sqlite3.OperationalError:
            with contextlib.closing(_made(sqlite3.connect(":memory:"))) as other:
                _renew(other, project, config, wanted)
                yield TextIndex(other)
                return
        yield TextIndex(connection)


def _connected(path: Path) -> sqlite3.Connection:
    try:
        return _made(sqlite3.connect(path, timeout=30))
    except sqlite3.OperationalError:
        return _made(sqlite3.connect(":memory:"))
    except sqlite3.DatabaseError:
        # What is derived and damaged is made anew.
        path.unlink(missing_ok=True)
        return _made(sqlite3.connect(path, timeout=30))


def _made(connection: sqlite3.Connection) -> sqlite3.Connection:
    """The connection with the tables of this version; it is closed where that fails."""
    try:
        with contextlib.suppress(sqlite3.OperationalError):
            if connection.execute("SELECT version FROM passage_version").fetchone() == (_VERSION,):
                return connection
        connection.executescript(_SCHEMA)
    except BaseException:
        connection.close()
        raise
    return connection


def _library_files(project: Project) -> dict[str, str]:
    """The texts of the library with their times and sizes."""
    found = {}
    waiting = [project.library]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if entry.name != LOCKS:
                        waiting.append(Path(entry.path))
                elif entry.name.endswith((".md", ".aindex")) and entry.is_file(follow_symlinks=False):
                    path = os.path.relpath(entry.path, project.root).replace(os.sep, "/")
                    if is_storable(path):
                        found[path] = _stamp(entry.stat())
    return found


def _stamp(stat: os.stat_result) -> str:
    return f"{stat.st_mtime_ns}:{stat.st_size}"


def _source_files(project: Project, config: Config) -> dict[str, str]:
    """The sources with their hashes, as the last update read them; before the first one with times and sizes."""
    known = {path: each.hash for path, each in read_index(project).items() if each.hash}
    if not known:
        for path in crawl(project, config).sources():
            known[path] = _stamp((project.root / path).lstat())
    return {path: stamp for path, stamp in known.items() if is_storable(path) and not has_secret_name(path)}


def _renew(connection: sqlite3.Connection, project: Project, config: Config, wanted: dict[str, str]) -> None:
    there = dict(connection.execute("SELECT path, stamp FROM passage_files"))
    if there == wanted:
        return
    with connection:
        _forget(connection, [path for path in there if path not in wanted])
    missing = [path for path, stamp in wanted.items() if there.get(path) != stamp]
    # An update that runs meanwhile waits for one batch, and not for all of them.
    for start in range(0, len(missing), _BATCH):
        with connection:
            for path in missing[start : start + _BATCH]:
                _forget(connection, [path])
                _add(connection, project, config, path, wanted[path])


def _forget(connection: sqlite3.Connection, paths: list[str]) -> None:
    for path in paths:
        rows = connection.execute("SELECT id FROM passage_places WHERE path = ?", (path,)).fetchall()
        connection.executemany("DELETE FROM passages WHERE rowid = ?", rows)
        connection.execute("DELETE FROM passage_places WHERE path = ?", (path,))
        connection.execute("DELETE FROM passage_files WHERE path = ?", (path,))


def _add(connection: sqlite3.Connection, project: Project, config: Config, path: str, stamp: str) -> None:
    connection.execute("INSERT INTO passage_files VALUES (?, ?)", (path, stamp))
    text = text_of(project, config, path)
    if text is None:
        return
    lines = text.split("\n")
    library = path.startswith(f"{LIBRARY}/")
    passages = split_text(lines, library=library) if is_text(path) else split_code(lines)
    named = " ".join(terms(path.removeprefix(f"{LIBRARY}/").removesuffix(".md")))
    for each in passages:
        body = " ".join(terms("\n".join(lines[each.start - 1 : each.end])))
        if not body:
            continue
        cursor = connection.execute(
            "INSERT INTO passage_places (path, head, first, last) VALUES (?, ?, ?, ?)",
            (path, each.head, each.start, each.end),
        )
        head = f"{named} {' '.join(terms(each.head))}"
        connection.execute("INSERT INTO passages (rowid, head, body) VALUES (?, ?, ?)", (cursor.lastrowid, head, body))


def text_of(project: Project, config: Config, path: str) -> str | None:
    """The text of a file with its secrets taken out; `None` where it is gone or no text."""
    if path.startswith(f"{LIBRARY}/"):
        text = read_text(project.root / path)
        if text is None:
            return None
        readable = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        return redact(readable.replace("\r\n", "\n"))
    source = read_source(project, config, path)
    return None if isinstance(source, str) else redact(source.text)
