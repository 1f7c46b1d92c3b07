from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from querying.quantities import numbers, unsupported_numbers


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("45mm", {"45": {"mm"}}),
        ("45 mm", {"45": {"mm"}}),
        ("clause 26.4.2 says 1,500 kg", {"26.4.2": {""}, "1500": {"kg"}}),
        ("30 beams and 30.0 m", {"30": {"", "m"}}),
        ("no number", {}),
        ("M30 grade", {}),  # a designation, not a quantity
    ],
)
def test_numbers_are_read_with_the_unit_that_stands_by_them(text: str, expected: dict[str, set[str]]):
    assert numbers(text) == expected


@pytest.mark.parametrize(
    ("claim", "source", "lacking"),
    [
        ("It is 45 mm.", "45mm of cover", set()),
        ("It is 54 mm.", "45 mm of cover", {"54"}),
        ("It is 45 %.", "45 mm of cover", {"45"}),
        ("It is 45 mm.", "Nominal cover (mm): 45", set()),
        ("It costs 1,500.", "1500 in all", set()),
    ],
)
def test_a_number_must_occur_in_the_source_with_its_unit(claim: str, source: str, lacking: set[str]):
    assert unsupported_numbers(claim, source) == lacking


@given(st.text(max_size=300))
def test_every_text_bears_out_its_own_numbers(text: str):
    assert unsupported_numbers(text, text) == set()
