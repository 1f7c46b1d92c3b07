"""One walk over the project: what is there, without ignored entries; links and nested repositories are not entered."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import attrgetter

from lexibrarian.config import Config
from lexibrarian.ignoring import Ignoring, Levels
from lexibrarian.project import LIBRARY, Project, within

LOG = ".lexibrarian.log"


@dataclass
class Directory:
    """A directory that is in view: the names of its files, links included, and of its directories, both sorted."""

    path: str
    files: list[str] = field(default_factory=list)
    directories: list[str] = field(default_factory=list)
    links: set[str] = field(default_factory=set)
    own_repositories: set[str] = field(default_factory=set)

    def join(self, name: str) -> str:
        """The path of an entry."""
        return f"{self.path}/{name}" if self.path else name


@dataclass
class Crawl:
    """What one walk found: the directories that hold something, parents first."""

    directories: dict[str, Directory]
    scopes: tuple[str, ...]

    def files(self) -> Iterator[str]:
        """Every regular file in view, sorted by directory."""
        for directory in self.directories.values():
            yield from (directory.join(name) for name in directory.files if name not in directory.links)

    def sources(self) -> list[str]:
        """The regular files inside the scope, sorted."""
        return sorted(self.files() if "" in self.scopes else filter(self.in_scope, self.files()))

    def in_scope(self, path: str) -> bool:
        """Whether a path lies in one of the scope roots."""
        return any(within(path, scope) for scope in self.scopes)


def crawl(
    project: Project, config: Config, *, below: str = "", deep: bool = True, ignoring: Ignoring | None = None
) -> Crawl:
    """Walk the project, or the part of it below a directory; with `deep` off, only that directory is taken in.

    Who walks several times passes what is ignored along.
    """
    if {".git", LIBRARY} & set(below.split("/")):
        return Crawl({}, config.scopes)
    ignoring = ignoring or Ignoring(project.root, config.ignore.additional_patterns)
    found: dict[str, Directory] = {}
    levels = None
    # Ignore files above the part that is walked hold for it, and a directory above it may be ignored.
    for above in _down_to(below):
        if above and levels is not None and ignoring.ignores(above, levels, directory=True):
            return Crawl({}, config.scopes)
        levels = ignoring.enter(above, levels)
    _Walk(project, ignoring, found).into(below, levels or (), deep=deep)
    return Crawl({path: found[path] for path in sorted(found)}, config.scopes)


def _down_to(directory: str) -> list[str]:
    parts = directory.split("/") if directory else []
    return ["/".join(parts[:depth]) for depth in range(len(parts) + 1)]


@dataclass(frozen=True)
class _Walk:
    project: Project
    ignoring: Ignoring
    found: dict[str, Directory]

    def into(self, path: str, levels: Levels, *, deep: bool = True) -> None:
        """Add the directory and those below it, as far as they hold anything."""
        directory = Directory(path)
        inner = []
        for entry in self._entries(path):
            where = directory.join(entry.name)
            is_directory = entry.is_dir(follow_symlinks=False)
            if self.ignoring.ignores(where, levels, directory=is_directory):
                continue
            if is_directory:
                inner.append(entry.name)
            elif entry.is_symlink():
                directory.files.append(entry.name)
                directory.links.add(entry.name)
            elif entry.is_file(follow_symlinks=False):
                directory.files.append(entry.name)
        for name in inner:
            self._enter(directory, name, levels, deep=deep)
        if directory.files or directory.directories or not path:
            self.found[path] = directory

    def _entries(self, path: str) -> list[os.DirEntry[str]]:
        try:
            entries = sorted(os.scandir(self.project.root / path), key=attrgetter("name"))
        except OSError:
            return []
        return [entry for entry in entries if entry.name not in (".git", LIBRARY) and not entry.name.startswith(LOG)]

    def _enter(self, directory: Directory, name: str, levels: Levels, *, deep: bool) -> None:
        where = directory.join(name)
        if os.path.exists(f"{self.project.location}/{where}/.git"):  # noqa: PTH110
            directory.own_repositories.add(name)
        elif deep:
            self.into(where, self.ignoring.enter(where, levels))
            if where not in self.found:
                return
        elif not self._holds(where, self.ignoring.enter(where, levels)):
            return
        directory.directories.append(name)

    def _holds(self, path: str, levels: Levels) -> bool:
        """Whether a crawl would find anything in a directory."""
        inner = []
        for entry in self._entries(path):
            where = f"{path}/{entry.name}"
            is_directory = entry.is_dir(follow_symlinks=False)
            if self.ignoring.ignores(where, levels, directory=is_directory):
                continue
            if not is_directory:
                return True
            inner.append(where)
        return any(self._holds(each, self.ignoring.enter(each, levels)) for each in inner)
