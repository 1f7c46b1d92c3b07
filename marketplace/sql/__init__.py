"""SQL that is too long for a Python string, one statement a file."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def sql_statement(name: str) -> str:
    """The text of `marketplace/sql/NAME.sql`, read once."""
    return (Path(__file__).parent / f"{name}.sql").read_text(encoding="utf-8")
