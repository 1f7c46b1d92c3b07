"""Questions as a file for a spreadsheet, which must not take any of them for a formula."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from io import StringIO
from typing import Any

from lexic.spreadsheet_cells import escape_formula
from querying.models import Query
from querying.query_log.key_names import key_label

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
