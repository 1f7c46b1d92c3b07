"""The first files of a library, and what is found out about a project beforehand."""

from __future__ import annotations

import json
import re
from pathlib import Path

from lexibrarian.config import CHECKED, CONFIG
from lexibrarian.errors import LibraryError
from lexibrarian.index import INDEX
from lexibrarian.project import LIBRARY, Project
from lexibrarian.store import LOCKS, TEMPORARY_SUFFIX, read_text, write_text
from lexibrarian.sweep import STAMP

_DERIVED = f"{LOCKS}/\n{INDEX}*\n{CHECKED}\n{STAMP}\n*{TEMPORARY_SUFFIX}\n"
_IGNORED = ("**/.iwh", ".lexibrarian.log*")
_AGENTS = {"claude": ("CLAUDE.md", ".claude"), "cursor": (".cursor",), "codex": ("AGENTS.md",)}


def detect_name(root: Path) -> str:
    """The project's name from pyproject.toml, else package.json, else its directory."""
    pyproject = read_text(root / "pyproject.toml") or ""
    section = re.search(r"^\[project\]\s*$(.*?)(?=^\[|\Z)", pyproject, re.MULTILINE | re.DOTALL)
    named = re.search(r"^name\s*=\s*[\"']([^\"']+)[\"']", section[1], re.MULTILINE) if section else None
    if named:
        return named[1]
    try:
        name = json.loads(read_text(root / "package.json") or "{}").get("name")
    except (ValueError, AttributeError):
        name = None
    return name if isinstance(name, str) and name else root.resolve().name


def detect_agents(root: Path) -> list[str]:
    """The agent environments that have left their files in the project."""
    return [agent for agent, marks in _AGENTS.items() if any((root / mark).exists() for mark in marks)]


def create_library(root: Path, *, name: str, agents: list[str]) -> list[str]:
    """Write the first files of a library with default settings; returns their paths, relative to the root."""
    project = Project(root)
    if (project.library / CONFIG).exists():
        raise LibraryError(
            f"{root} is already initialised.", code="already_initialised", hint="Run `lexictl setup --update` instead."
        )
    written = []
    quoted = json.dumps(name, ensure_ascii=False)
    environment = f"[{', '.join(agents)}]"
    config = f"project_name: {quoted}\nscope_root: .\nagent_environment: {environment}\niwh:\n  enabled: true\n"
    files = {
        f"{LIBRARY}/{CONFIG}": config,
        f"{LIBRARY}/.gitignore": _DERIVED,
        f"{LIBRARY}/concepts/.gitkeep": "",
        f"{LIBRARY}/stack/.gitkeep": "",
        ".lexignore": "",
    }
    for path, text in files.items():
        if not (root / path).exists():
            write_text(root / path, text)
            written.append(path)
    if _ignore_more(root / ".gitignore"):
        written.append(".gitignore")
    return written


def _ignore_more(path: Path) -> bool:
    """Add what is missing to the project's ignore file, at its end."""
    text = read_text(path) or ""
    missing = [line for line in _IGNORED if line not in text.splitlines()]
    if not missing:
        return False
    gap = "" if not text or text.endswith("\n") else "\n"
    return write_text(path, text + gap + "".join(f"{line}\n" for line in missing))
