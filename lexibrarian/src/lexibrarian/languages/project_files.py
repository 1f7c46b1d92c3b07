"""The files of a project as imports see them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

from lexibrarian.project import ancestors_of

_PYTHON_ENDINGS = ("/__init__.py", ".py", ".pyi", "/__init__.pyi")


class ProjectFiles:
    """The paths of a project, and where a path that is only partly known may lie."""

    def __init__(self, paths: Iterable[str], root: Path) -> None:
        self.paths = frozenset(paths)
        self.root = root
        self._python_roots: dict[str, list[str]] = {}
        self._python_files: dict[str, str | None] = {}

    def __contains__(self, path: str) -> bool:
        return path in self.paths

    def named(self, name: str) -> list[str]:
        """The paths that end in a file name, sorted."""
        return self._by_name.get(name, [])

    def inside(self, directory: str) -> list[str]:
        """The paths in a directory, sorted."""
        return self._by_directory.get(directory, [])

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self.paths):
            found[path.rpartition("/")[2]].append(path)
        return found

    @cached_property
    def _by_directory(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = defaultdict(list)
        for path in sorted(self.paths):
            found[path.rpartition("/")[0]].append(path)
        return found

    def python_file(self, module: str) -> str | None:
        """The file of a Python module whose path is given without its ending; a package comes before a module."""
        if module not in self._python_files:
            options = [module + ending for ending in _PYTHON_ENDINGS]
            self._python_files[module] = next((option for option in options if option in self), None)
        return self._python_files[module]

    def python_roots(self, directory: str) -> list[str]:
        """The directories that imports of Python files in a directory may start from, as prefixes, closest first."""
        found = self._python_roots.get(directory)
        if found is None:
            above = [f"{each}/" if each else "" for each in ancestors_of(directory)]
            # A package's own directory is no import root, but a script's is.
            above = [root for root in above if f"{root}__init__.py" not in self]
            found = self._python_roots[directory] = [*dict.fromkeys([*above, *(f"{root}src/" for root in above)])]
        return found

    def ending_in(self, suffix: str, near: str = "") -> str | None:
        """The path that is `suffix` or ends in it; of several the one closest to `near`, then the shortest."""
        if suffix in self:
            return suffix
        candidates = [path for path in self.named(suffix.rpartition("/")[2]) if path.endswith(f"/{suffix}")]
        return min(candidates, key=lambda path: (-_shared(path, near), len(path), path), default=None)

    @cached_property
    def go_modules(self) -> dict[str, str]:
        """The directory of each Go module by the module's name, read from the `go.mod` files."""
        found = {}
        for path in self.named("go.mod"):
            for line in (self.root / path).read_text("utf-8", "replace").splitlines():
                if line.startswith("module "):
                    found[line.split()[1].strip('"')] = path.rpartition("/")[0]
        return found


def _shared(one: str, other: str) -> int:
    """How many leading directories two paths have in common."""
    count = 0
    for a, b in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if a != b:
            break
        count += 1
    return count


def joined(directory: str, relative: str) -> str | None:
    """A relative path taken from a directory; `None` when it leaves the project."""
    parts = directory.split("/") if directory else []
    for part in relative.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
