"""Optimistic locks: marks of the values that somebody was shown, sent back with their input, say what changed since."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any


def mark_values(values: Mapping[str, Any]) -> str:
    """A mark of each value under its name: `title:5f2a90c1b3d4 is_public:0b4e…`. Names have no spaces."""
    return " ".join(f"{name}:{_mark(value)}" for name, value in values.items())


def changed_since(seen: str, values: Mapping[str, Any]) -> list[str]:
    """The names of the values that are others than those that were marked. A name without a mark is not among them."""
    marks = dict(part.partition(":")[::2] for part in seen.split())
    return [name for name, value in values.items() if name in marks and marks[name] != _mark(value)]


def _mark(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, default=str, sort_keys=True).encode()).hexdigest()[:12]
