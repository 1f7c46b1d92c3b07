"""The README of the SDK as code: its blocks, by the heading they stand under."""

from __future__ import annotations

import re
from pathlib import Path

SDK = Path(__file__).resolve().parents[2] / "sdk"

_PIECE = re.compile(r"^## (?P<heading>[^\n]+)$|^```(?P<language>\w+)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str) -> list[tuple[str, str]]:
    """Heading and code of each block in this language, in their order."""
    heading, found = "", []
    for piece in _PIECE.finditer((SDK / "README.md").read_text()):
        heading = piece["heading"] or heading
        if piece["language"] == language:
            found.append((heading, piece["code"]))
    return found


def quickstart() -> str:
    return next(code for heading, code in blocks("python") if heading == "Quickstart")
