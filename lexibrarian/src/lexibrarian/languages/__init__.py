"""What the program reads out of code: public signatures, imports and the first docstring, one module a language."""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import Protocol

from lexibrarian.languages.outline import Outline
from lexibrarian.languages.project_files import ProjectFiles
from lexibrarian.project import suffix_of

_MODULES = {
    ".py": "python",
    ".pyi": "python",
    ".js": "javascript",
    ".jsx": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
    ".go": "go",
    ".rs": "rust",
    ".java": "java",
}

# The names of kinds of files that have no grammar here.
_NAMES = {
    ".md": "Markdown",
    ".rst": "reStructuredText",
    ".txt": "Text",
    ".yml": "YAML",
    ".yaml": "YAML",
    ".toml": "TOML",
    ".json": "JSON",
    ".html": "HTML",
    ".css": "CSS",
    ".sh": "Shell",
    ".sql": "SQL",
    ".xml": "XML",
    ".svg": "SVG",
    ".csv": "CSV",
    ".ini": "INI",
    ".cfg": "INI",
    ".po": "Gettext",
    ".tf": "Terraform",
    ".proto": "Protocol Buffers",
    ".c": "C",
    ".h": "C",
    ".cpp": "C++",
    ".cs": "C#",
    ".rb": "Ruby",
    ".php": "PHP",
    ".kt": "Kotlin",
    ".swift": "Swift",
}
_TITLES = {"python": "Python", "javascript": "JavaScript", "typescript": "TypeScript", "tsx": "TypeScript"}
_TITLES |= {"go": "Go", "rust": "Rust", "java": "Java"}


class Language(Protocol):
    """A module of this package."""

    def outline(self, code: bytes, *, tsx: bool = ...) -> Outline:
        """What a file says about itself."""

    def resolve(self, imported: str, importer: str, files: ProjectFiles) -> list[str]:
        """The project files that one import of a file stands for."""


def kind_of(path: str) -> str:
    """The grammar for a file, by its name; `""` where there is none."""
    return _MODULES.get(suffix_of(path).lower(), "")


def title_of(path: str) -> str:
    """What people call the language of a file: `Python`, or its ending, or `Text`."""
    suffix = suffix_of(path).lower()
    return _TITLES.get(_MODULES.get(suffix, "")) or _NAMES.get(suffix) or suffix.lstrip(".").upper() or "Text"


def outline_of(path: str, text: str) -> Outline | None:
    """What a file of code says about itself; `None` for other files."""
    kind = kind_of(path)
    if not kind:
        return None
    return _module(kind).outline(text.encode("utf-8", "surrogateescape"), tsx=kind == "tsx")


def dependencies_of(path: str, imports: tuple[str, ...], files: ProjectFiles) -> tuple[str, ...]:
    """The project files that a file imports, sorted, itself left out."""
    kind = kind_of(path)
    if not kind or not imports:
        return ()
    module = _module(kind)
    found = {target for imported in imports for target in module.resolve(imported, path, files)}
    return tuple(sorted(found - {path}))


@lru_cache
def _module(kind: str) -> Language:
    name = "javascript" if kind == "tsx" else kind
    module: Language = importlib.import_module(f"lexibrarian.languages.{name}")
    return module
