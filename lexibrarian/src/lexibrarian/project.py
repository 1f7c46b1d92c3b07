"""The project: its root, and where each source and directory has its place in the library."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lexibrarian.errors import LibraryError
from lexibrarian.safe_text import is_nameable

LIBRARY = ".lexibrary"
# File systems refuse longer names, and the mirror adds ".md".
_LONGEST_NAME = 255
_SHORT_NAME = 60


@dataclass(frozen=True)
class Project:
    """A directory that holds a `.lexibrary/`. Paths inside are relative to it, with `/`; the root is `""`."""

    root: Path

    @cached_property
    def location(self) -> str:
        """The root as a text."""
        return str(self.root)

    @cached_property
    def library(self) -> Path:
        """The directory that holds the library."""
        return self.root / LIBRARY

    def relative(self, path: str | Path, *, base: Path | None = None) -> str:
        """`path`, taken from `base` (default: the working directory), relative to the root; refuses one outside."""
        if "\0" in str(path):
            raise LibraryError(
                "No path holds a NUL character.", code="invalid_path", hint="Name a file of the project."
            )
        full = Path(os.path.normpath((base or Path.cwd()) / path))
        for root in (self.root, self.root.resolve()):
            if full == root:
                return ""
            if root in full.parents:
                return full.relative_to(root).as_posix()
        resolved = full.parent.resolve() / full.name
        if self.root.resolve() in resolved.parents:
            return resolved.relative_to(self.root.resolve()).as_posix()
        raise LibraryError(
            f"{path} is outside the project root.", code="outside_root", hint=f"The project root is {self.root}."
        )

    def existing_directory(self, path: str) -> str:
        """A directory, taken from the working directory, relative to the root; refuses what is none."""
        where = self.relative(path)
        if not (self.root / where).is_dir():
            raise LibraryError(
                f"Directory not found: {path}.", code="not_found", hint="Name a directory of the project."
            )
        return where

    def design_path(self, source: str) -> Path:
        """Where the design file of a source lies: `src/a.py` → `.lexibrary/src/a.py.md`."""
        return Path(self.design_file(source))

    def design_file(self, source: str) -> str:
        """The same as a text, which costs less where there are many."""
        return f"{self.location}/{LIBRARY}/{source}.md"

    def directory_path(self, directory: str) -> Path:
        """The mirror of a directory."""
        return self.library / directory if directory else self.library

    def aindex_path(self, directory: str) -> Path:
        """Where the index of a directory lies."""
        return self.directory_path(directory) / ".aindex"

    def iwh_path(self, directory: str) -> Path:
        """Where the signal of a directory lies."""
        return self.directory_path(directory) / ".iwh"

    def can_mirror(self, source: str) -> bool:
        """Whether a design file of this source has a name that file systems and footers take and that is free."""
        name = source.rpartition("/")[2]
        # Most names are so short that no encoding makes them too long.
        fits = len(name) <= _SHORT_NAME or len(os.fsencode(f"{name}.md")) <= _LONGEST_NAME
        return fits and is_nameable(source) and source not in ("START_HERE", "README")


def find_root(start: Path | None = None) -> Project:
    """The project around `start` (default: the working directory), found by walking up to a `.lexibrary/`."""
    here = (start or Path.cwd()).absolute()
    for directory in (here, *here.parents):
        if (directory / LIBRARY).is_dir():
            return Project(directory)
    raise LibraryError(
        f"No {LIBRARY}/ in this directory or above it.",
        code="no_library",
        hint="Run `lexictl init` in the project root.",
    )


def suffix_of(path: str) -> str:
    """The ending of a path's name, with its dot; `""` where there is none."""
    name = path.rpartition("/")[2]
    at = name.rfind(".")
    return name[at:] if 0 < at < len(name) - 1 else ""


def parent_of(path: str) -> str:
    """The directory of a path, `""` for the root."""
    return path.rpartition("/")[0]


def ancestors_of(directory: str) -> list[str]:
    """The directory and all above it, closest first, the root last."""
    found = [directory]
    while directory:
        directory = parent_of(directory)
        found.append(directory)
    return found


def within(path: str, directory: str) -> bool:
    """Whether a path is a directory or lies inside it; everything lies inside the root."""
    return not directory or path == directory or path.startswith(f"{directory}/")
