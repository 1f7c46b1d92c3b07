"""Every module of ours, for tests that see to it that none goes around a choke point."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Whatever is a package here, so that an app that is added later is watched as well.
APPS = sorted(path.parent.name for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests")


def paths() -> Iterator[Path]:
    """Where each of them is."""
    for app in APPS:
        yield from (ROOT / app).rglob("*.py")


def modules(*words: str) -> Iterator[tuple[Path, ast.Module]]:
    """Path and syntax tree of each; with words, of those alone whose text has one of them, as parsing takes long."""
    for path in paths():
        text = path.read_text(encoding="utf-8")
        if not words or any(word in text for word in words):
            yield path, ast.parse(text)
