"""What docs/security.md says of holes of other systems: a test carries each number, or is named there."""

from __future__ import annotations

import re

from tests.lexic.running import ROOT

TEXT = (ROOT / "docs/security.md").read_text()
_RANGE = re.compile(r"\| ([A-Z])1–\1(\d+) \|")
_NAMED = re.compile(r"((?:[A-Z]\d+, )*[A-Z]\d+): `(tests/[\w/]+\.py)`")


def numbers() -> set[str]:
    return {f"{kind}{number}" for kind, last in _RANGE.findall(TEXT) for number in range(1, int(last) + 1)}


def carried() -> set[str]:
    """The numbers that names of tests carry."""
    names = [
        name for path in (ROOT / "tests").rglob("test_*.py") for name in re.findall(r"def test_(\w+)", path.read_text())
    ]
    return {found.upper() for name in names for found in re.findall(r"(?:^|_)([siaxfl]\d{1,2})(?=_)", name)}


def test_every_number_is_tried_by_a_test() -> None:
    named = {number for several, _ in _NAMED.findall(TEXT) for number in several.split(", ")}
    assert len(numbers()) == 43
    assert numbers() - carried() == named


def test_the_tests_that_are_named_are_there() -> None:
    paths = [path for _, path in _NAMED.findall(TEXT)]
    assert len(paths) >= 9
    assert [path for path in paths if not (ROOT / path).is_file()] == []
