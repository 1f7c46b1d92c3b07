"""SQL that is too long for a Python string: the files `APP/sql/NAME.sql`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]


@cache
def read_sql(app: str, name: str) -> str:
    """The text of `APP/sql/NAME.sql`, read once."""
    return (_ROOT / app / "sql" / f"{name}.sql").read_text(encoding="utf-8")
