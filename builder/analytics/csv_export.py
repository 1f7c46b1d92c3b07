"""Questions as a file for a spreadsheet, which must not take any of them for a formula."""

from __future__ import annotations

import csv
import unicodedata
from collections.abc import Iterable, Mapping
from io import StringIO
from typing import Any

from querying.audit.key_names import key_label
from querying.models import Query

# A spreadsheet computes a cell that begins with one of these.
_FORMULA_SIGNS = ("=", "+", "-", "@", "\u2212")
MAX_ROWS = 20_000
COLUMNS = [
    "created_at",
    "release_name",
    "outcome",
    "reason",
    "confidence",
    "question",
    "answer",
    "latency_ms",
    "prompt_tokens",
    "completion_tokens",
    "cost",
    "llm",
    "embedder",
]


def escape_formula(value: Any) -> str:
    """The value as a cell that is text: a formula gets an apostrophe in front, as people write it themselves.

    Spreadsheets also take the wide and small forms of the signs (＝, ﹢), and pass over what is not seen before them.
    """
    text = "" if value is None else str(value)
    first = next((character for character in text if unicodedata.category(character)[0] not in "ZC"), "")
    is_formula = text.startswith(("\t", "\r")) or unicodedata.normalize("NFKC", first).startswith(_FORMULA_SIGNS)
    return f"'{text}" if is_formula else text


def write_csv(rows: Iterable[Query], *, steps: Iterable[str], names: Mapping[Any, str]) -> str:
    """The rows with a head, each with the time of every step and the name of the key that asked."""
    steps = list(steps)
    out = StringIO()
    writer = csv.writer(out)
    writer.writerow([*COLUMNS, *(f"{step}_ms" for step in steps), "asked_by"])
    for row in rows:
        times = [row.timings.get(step) for step in steps]
        who = key_label(row.api_key_id, names)
        asked_at = row.created_at.isoformat(timespec="seconds")
        others = [getattr(row, name) for name in COLUMNS if name != "created_at"]
        writer.writerow([escape_formula(value) for value in [asked_at, *others, *times, who]])
    return out.getvalue()
