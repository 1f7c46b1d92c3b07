from __future__ import annotations

import pytest

from querying.negation import denies


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Travel is not covered.", True),
        ("Travel isn't covered.", True),
        ("Travel is excluded.", True),
        ("Travel is covered.", False),
        ("Cover shall be not less than 45 mm.", False),
        ("It must not exceed 20 mm.", False),
        ("Notes are kept.", False),
    ],
)
def test_a_denial_is_told_from_a_bound(text: str, expected: bool):
    assert denies(text) is expected
