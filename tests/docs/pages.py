"""A page of docs/ as code: its blocks, by the heading they stand under."""

from __future__ import annotations

import re
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"
_PIECE = re.compile(r"^## (?P<heading>[^\n]+)$|^```(?P<language>\w+)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str) -> list[tuple[str, str, str]]:
    """Heading, language and code of each block, in their order."""
    heading, found = "", []
    for piece in _PIECE.finditer((DOCS / page).read_text()):
        heading = piece["heading"] or heading
        if piece["language"]:
            found.append((heading, piece["language"], piece["code"]))
    return found
