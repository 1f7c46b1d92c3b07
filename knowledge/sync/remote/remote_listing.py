"""The content of a remote source at one moment: what was fetched, what is unchanged, and what could not be read."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from knowledge.sync.notes.note_problems import NoteProblem

# What one sync fetches; the rest is fetched by the next one.
MAX_FETCHED_BYTES = 500 * 1024 * 1024


class SpoolFull(Exception):
    """One sync has fetched as much as it may."""


@dataclass(frozen=True, kw_only=True)
class RemoteFile:
    """A file that was fetched. `path` is what the manifest calls it, `url` where people open it, or empty; `version`
    is kept in the manifest."""

    path: str
    file_name: str
    content: Path
    sha256: str
    url: str = ""
    title: str = ""
    version: Mapping[str, Any] = field(default_factory=dict)


@dataclass(kw_only=True)
class RemoteListing:
    """`same` are known paths that have not changed, as their server says, and `gone` those that it says are gone. With
    `is_whole` every known path that the listing does not name is gone too. `kept` are known paths that could not be
    read now, each with the reason; `partly` says why not all was seen."""

    files: list[RemoteFile] = field(default_factory=list)
    same: set[str] = field(default_factory=set)
    gone: set[str] = field(default_factory=set)
    kept: dict[str, str] = field(default_factory=dict)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    problems: list[NoteProblem] = field(default_factory=list)
    is_whole: bool = True
    partly: str = ""
    commit: str = ""
    state: dict[str, Any] = field(default_factory=dict)

    def end_early(self, reason: str) -> None:
        """Not all was seen: what is not here may be there all the same."""
        self.is_whole, self.partly = False, self.partly or reason

    def add_problem(self, path: str, message: str) -> None:
        self.problems.append(NoteProblem(path=path[:500], line=None, message=message))


class Spool:
    """Fetched bytes on this machine's disk, until the sync ends."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._count, self._left = folder, 0, MAX_FETCHED_BYTES

    def keep(self, content: bytes) -> tuple[Path, str]:
        """Where the bytes are, and their SHA-256. Raises `SpoolFull`."""
        if len(content) > self._left:
            raise SpoolFull
        self._left -= len(content)
        self._count += 1
        path = self._folder / str(self._count)
        path.write_bytes(content)
        return path, hashlib.sha256(content).hexdigest()


@contextmanager
def new_spool() -> Iterator[Spool]:
    with tempfile.TemporaryDirectory(prefix="lexic-sync-") as folder:
        yield Spool(Path(folder))
