"""docs/architecture.md and CONTRIBUTING.md name modules; each of them must exist."""

from __future__ import annotations

import re

import pytest
from django.conf import settings

# A path may be given from the package that its section is about.
BASES = ("", "querying", "knowledge", "marketplace", "agents", "contracts")


def named_paths(document: str) -> list[str]:
    text = (settings.BASE_DIR / document).read_text(encoding="utf-8")
    return sorted(set(re.findall(r"`((?:[\w-]+/)+(?:[\w-]+\.(?:py|js|md|sql|css))?|[\w]+\.py)`", text)))


@pytest.mark.parametrize("path", named_paths("docs/architecture.md"))
def test_architecture_names_what_exists(path: str) -> None:
    assert any((settings.BASE_DIR / base / path).exists() for base in BASES), path


@pytest.mark.parametrize("path", [path for path in named_paths("CONTRIBUTING.md") if path != "utils.py"])
def test_contributing_names_what_exists(path: str) -> None:
    assert any((settings.BASE_DIR / base / path).exists() for base in BASES), path
