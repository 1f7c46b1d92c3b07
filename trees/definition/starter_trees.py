"""Trees to begin with, ready to be changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def _read_tree(name: str) -> dict[str, Any]:
    tree: dict[str, Any] = json.loads((Path(__file__).parent / name).read_text(encoding="utf-8"))
    return tree


# One question and its two ends: enough to see how a tree works, and to put one's own words in.
MINIMAL_TREE = _read_tree("minimal_tree.json")
# One node of each kind.
EXAMPLE_TREE = _read_tree("example_tree.json")
