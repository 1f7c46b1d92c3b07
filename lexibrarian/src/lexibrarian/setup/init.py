"""The first files of a library, and what is found out about a project beforehand."""

from __future__ import annotations

import contextlib
import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from lexibrarian.archivist.providers import PRESETS
from lexibrarian.artefacts.markdown import yaml_quoted, yaml_text
from lexibrarian.config import CHECKED, CONFIG, Config, load_config
from lexibrarian.crawl import crawl
from lexibrarian.errors import LibraryError
from lexibrarian.index import INDEX
from lexibrarian.project import LIBRARY, Project
from lexibrarian.setup.rules import write_rules
from lexibrarian.start_here import START_HERE, refresh
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


def detect_sources(root: Path) -> list[str]:
    """The usual directories of sources that are there."""
    return [name for name in ("src", "lib", "app") if (root / name).is_dir()]


def detect_provider() -> str:
    """The first provider of models whose key is in the environment, `none` where there is no such key."""
    return next((name for name, preset in PRESETS.items() if os.environ.get(preset.api_key_env)), "none")


@dataclass(frozen=True)
class Choices:
    """What a new library is to be; `scopes` are directories, an empty list means the whole project."""

    name: str
    scopes: list[str] = field(default_factory=list)
    agents: list[str] = field(default_factory=list)
    provider: str = "none"
    ignored: list[str] = field(default_factory=list)
    budgets: dict[str, int] = field(default_factory=dict)
    signals: bool = True

    def as_config(self) -> str:
        """The text of `config.yaml`."""
        scope = yaml_text(self.scopes if len(self.scopes) > 1 else self.scopes[0]) if self.scopes else "."
        lines = [
            f"project_name: {yaml_quoted(self.name)}",
            f"scope_root: {scope}",
            f"agent_environment: [{', '.join(self.agents)}]",
            f"iwh:\n  enabled: {'true' if self.signals else 'false'}",
        ]
        if self.provider != "none":
            preset = PRESETS[self.provider]
            lines.append(f"llm:\n  provider: {self.provider}\n  model: {yaml_text(preset.model)}")
            lines += [f"  api_key_env: {preset.api_key_env}"] if preset.api_key_env else []
        if self.budgets:
            lines += ["token_budgets:", *(f"  {key}: {value}" for key, value in self.budgets.items())]
        return "\n".join(lines) + "\n"


def refuse_second(root: Path) -> None:
    """Refuse a directory that has a library."""
    if (root / LIBRARY / CONFIG).exists():
        raise LibraryError(
            f"{root} is already initialised.", code="already_initialised", hint="Run `lexictl setup --update` instead."
        )


def create_library(root: Path, choices: Choices) -> list[str]:
    """Write the first files of a library and the rules for its agents; returns their paths, relative to the root."""
    refuse_second(root)
    project = Project(root)
    files = {
        f"{LIBRARY}/{CONFIG}": choices.as_config(),
        f"{LIBRARY}/.gitignore": _DERIVED,
        f"{LIBRARY}/concepts/.gitkeep": "",
        f"{LIBRARY}/stack/.gitkeep": "",
        ".lexignore": "".join(f"{pattern}\n" for pattern in choices.ignored),
    }
    # What can be refused comes first.
    written = [each.path for each in write_rules(project, choices.agents) if each.state == "written"]
    for path, text in files.items():
        if not (root / path).exists():
            write_text(root / path, text)
            written.append(path)
    if _ignore_more(root / ".gitignore"):
        written.append(".gitignore")
    config = Config(project_name=choices.name, scope_root=choices.scopes or ".")
    if refresh(project, config, crawl(project, config)):
        written.append(f"{LIBRARY}/{START_HERE}")
    # Checked here, the settings keep no command waiting; what is wrong with the user's own is for that one to say.
    with contextlib.suppress(LibraryError):
        load_config(project)
    return sorted(written)


def _ignore_more(path: Path) -> bool:
    """Add what is missing to the project's ignore file, at its end."""
    text = read_text(path) or ""
    missing = [line for line in _IGNORED if line not in text.splitlines()]
    if not missing:
        return False
    gap = "" if not text or text.endswith("\n") else "\n"
    return write_text(path, text + gap + "".join(f"{line}\n" for line in missing))
