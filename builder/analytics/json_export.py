"""Questions as a file for programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from builder.analytics.csv_export import COLUMNS
from querying.models import Query
from querying.query_log.key_names import key_label


def write_json(rows: Iterable[Query], *, days: tuple[date, date], names: Mapping[Any, str]) -> str:
    """The days, and each question with its figures, the milliseconds of its steps, and what its answer cites."""
    questions = [
        {
            **{name: getattr(row, name) for name in COLUMNS},
            "timings": row.timings,
            "citations": row.citations,
            "asked_by": key_label(row.api_key_id, names),
        }
        for row in rows
    ]
    first, last = days
    file = {"from": first.isoformat(), "to": last.isoformat(), "questions": questions}
    return json.dumps(file, ensure_ascii=False, default=_plain, indent=1)


def _plain(value: Any) -> Any:
    """Moments as text, costs as numbers."""
    return float(value) if isinstance(value, Decimal) else value.isoformat(timespec="seconds")
