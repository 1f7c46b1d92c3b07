"""Every module of ours, for tests that see to it that none goes around a choke point."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Whatever is a package here, so that an app that is added later is watched as well.
APPS = sorted(path.parent.name for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests")


def modules() -> Iterator[tuple[Path, ast.Module]]:
    """Path and syntax tree of each."""
    for app in APPS:
        for path in (ROOT / app).rglob("*.py"):
            yield path, ast.parse(path.read_text(encoding="utf-8"))
