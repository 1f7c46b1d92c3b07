"""The files of a project, asked of the index one by one, so that an update of one file does not read them all."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lexibrarian.index import is_storable
from lexibrarian.languages.project_files import ProjectFiles
from lexibrarian.matching_tests import stem_of, tested_name

if TYPE_CHECKING:
    from sqlite3 import Connection


class IndexedFiles(ProjectFiles):
    """The files that an index holds, as imports see them, asked one by one; some may have come or gone since."""

    def __init__(self, connection: Connection, came: set[str], went: set[str], root: Path) -> None:
        super().__init__(came, root)
        self.connection = connection
        self.went = went

    def __contains__(self, path: str) -> bool:
        return path in self.paths or (path not in self.went and self.holds(path))

    def named(self, name: str) -> list[str]:
        """The paths that end in a file name, sorted."""
        return self._with("name = ?", name, super().named(name))

    def inside(self, directory: str) -> list[str]:
        """The paths in a directory, sorted."""
        return self._with("directory = ?", directory, super().inside(directory))

    def about(self, stem: str) -> list[str]:
        """The files whose names begin with a stem, and the tests of such files."""
        own = [path for path in self.paths if stem in (stem_of(path), tested_name(path))]
        return self._with("stem = ? OR tested = ?", stem, own)

    def holds(self, path: str) -> bool:
        """Whether the index itself holds a path."""
        return bool(self._paths("path = ?", path))

    def is_empty(self) -> bool:
        """Whether the index holds no file."""
        return self.connection.execute("SELECT 1 FROM files LIMIT 1").fetchone() is None

    def _with(self, condition: str, value: str, own: list[str]) -> list[str]:
        return sorted({*own, *self._paths(condition, value)} - self.went)

    def _paths(self, condition: str, value: str) -> list[str]:
        if not is_storable(value):
            return []
        values = (value,) * condition.count("?")
        return [row[0] for row in self.connection.execute(f"SELECT path FROM files WHERE {condition}", values)]  # noqa: S608


def all_files(connection: Connection) -> set[str]:
    """The paths of all files that the index holds."""
    return {row[0] for row in connection.execute("SELECT path FROM files")}
