"""docs/scaling.md names programs and settings that there are, and its arithmetic follows from its constants."""

from __future__ import annotations

import re

import pytest

from tests.docs.pages import DOCS

TEXT = (DOCS / "scaling.md").read_text()
MILLION = 1_000_000


def test_the_benchmarks_and_settings_that_it_names_are_there() -> None:
    programs = set(re.findall(r"`(?:benchmarks)?\.([a-z]+)`", TEXT)) | set(re.findall(r"-m benchmarks\.([a-z]+)", TEXT))
    assert len(programs) > 4
    assert [name for name in programs if not (DOCS.parent / "benchmarks" / f"{name}.py").is_file()] == []
    settings = set(re.findall(r"`((?:LEXIC|DATABASE)_[A-Z0-9_]+)`", TEXT))
    example = (DOCS.parent / ".env.example").read_text()
    assert [name for name in settings if f"# {name}=" not in example] == []


@pytest.mark.parametrize(
    ("row", "of_a_chunk", "unit"),
    [
        # Half of the chunks have an index of their own.
        ("tables and indexes", (8.4e3 + 10.7e3) / 2, "bytes"),
        ("in memory if every base is asked", (4.3e3 + 6.6e3) / 2, "bytes"),
        ("in memory if a tenth is asked in an hour", (4.3e3 + 6.6e3) / 2 / 10, "bytes"),
        ("processor days to read, cut and embed", 0.079 / 86_400, "days"),
        ("log while it is read, as measured", 83e3, "bytes"),
        ("files, at 50 kB a page of two chunks", 50e3 / 2, "bytes"),
    ],
)
def test_the_rows_follow_from_the_constants(row: str, of_a_chunk: float, unit: str) -> None:
    found = re.search(rf"^\| {re.escape(row)} \| (.*) \|$", TEXT, re.MULTILINE)
    assert found
    for cell, chunks in zip(found[1].split(" | "), (10, 100, 1000), strict=True):
        assert in_units(cell, unit) == pytest.approx(of_a_chunk * chunks * MILLION, rel=0.05)


def in_units(cell: str, unit: str) -> float:
    number, _, of = cell.partition(" ")
    return float(number) * {"days": {"": 1.0}, "bytes": {"GB": 1e9, "TB": 1e12}}[unit][of]
