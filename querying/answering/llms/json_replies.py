"""JSON as language models write it: alone, behind a fence, or with words around it."""

from __future__ import annotations

import json
from typing import Any

# Nothing that is asked for as JSON is nearly as long.
_MAX_CHARACTERS = 50_000


def find_json_object(text: Any) -> dict[str, Any] | None:
    """The object that begins at the first brace of the text; None where there is none that can be read."""
    if not isinstance(text, str) or len(text) > _MAX_CHARACTERS:
        return None
    start = text.find("{")
    if start < 0:
        return None
    try:
        found, _ = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
