"""SQL that is too long for a Python string, one file for each part of the schema."""

from __future__ import annotations

from pathlib import Path


def statements(name: str) -> str:
    """The text of `audit/sql/NAME.sql`."""
    return (Path(__file__).parent / f"{name}.sql").read_text(encoding="utf-8")
