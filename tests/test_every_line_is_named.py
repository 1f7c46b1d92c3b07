"""Each line of a specification that is read here is named by a test: `test_pk_001_…` is about PK-001."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.shared_data import ROOT

TESTS = Path(__file__).parent
PLACES = (TESTS, TESTS.parent / "lexibrarian" / "tests", TESTS.parent / "sdk" / "tests")
_TEST = re.compile(r"^ *(?:async )?def test_(\w+)", re.MULTILINE)
_NUMBERS = re.compile(r"(?:^|_)([a-z]{2})((?:_\d{2,3}(?!\d))+)")
_RANGE = re.compile(r"(?:^|_)([a-z]{2})_(\d{2,3})_to_(\d{2,3})(?!\d)")
_LINE = re.compile(r"^- ([A-Z]{2}-\d{2,3}) (MUST|CONTRADICTS|OPEN)\b", re.MULTILINE)


def _lines(kind: str, numbers: str) -> set[str]:
    return {f"{kind}-{number}" for number in numbers.split()}


# Lines that no test names yet. Whoever writes one, or names the one that is there, takes its line off, so that these
# only become fewer.
NOT_YET = {
    "pkm-chat": set[str](),
    "jurislm": set[str](),
    # Agents are told to look a file up before they edit it; no hook makes them.
    "lexibrarian": {"LB-120"},
    # 062: no answer is supplemented from elsewhere: the earlier of the two wordings holds. 105: the layout of
    # another framework's repository.
    "lexic": _lines("LX", "062 105"),
    # 01: there is no webhook of another sign-in service. 14: a plan of work.
    "sme-plug": _lines("SP", "01 14"),
}


def named() -> set[str]:
    """Every line that a test has in its name: `test_pk_018_pk_020_…`, `test_lx_024_025_…`, `test_lx_040_to_048_…`."""
    paths = [path for place in PLACES for path in place.rglob("test_*.py")]
    names = [name for path in paths for name in _TEST.findall(path.read_text())]
    single = {
        f"{kind.upper()}-{number}"
        for name in names
        for kind, numbers in _NUMBERS.findall(name)
        for number in re.findall(r"\d{2,3}", numbers)
    }
    ranges = {
        f"{kind.upper()}-{number:0{len(first)}}"
        for name in names
        for kind, first, last in _RANGE.findall(name)
        for number in range(int(first), int(last) + 1)
    }
    return single | ranges


@pytest.mark.parametrize("specification", NOT_YET)
def test_every_line_is_named_by_a_test(specification: str) -> None:
    path = ROOT.parent / "requirements" / f"{specification}.md"
    if not path.is_file():
        pytest.skip("the specification is not on this machine (set LEXIC_SHARED_DATA)")
    lines = _LINE.findall(path.read_text())
    assert len(lines) >= 15
    # What is left open, or contradicts itself, was decided: a test says how.
    missing = {number for number, _ in lines} - named()
    assert missing - NOT_YET[specification] == set(), "lines without a test"
    assert NOT_YET[specification] - missing == set(), "lines that have one: take them off the list"


def test_names_are_read() -> None:
    assert {"LX-024", "LX-025", "LX-026", "PK-034", "LB-042"} <= named()
