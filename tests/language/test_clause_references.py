from __future__ import annotations

import re

import pytest

from language.clause_references import clause_heading_pattern, referenced_clauses


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What does clause 4.2.1 say?", ("4.2.1",)),
        ("§ 4.2", ("4.2",)),
        ("§4.2 and §§ 5", ("4.2", "5")),
        ("Art. 5 or Article 6", ("5", "6")),
        ("See 26.5.2.", ("26.5.2",)),
        ("CLAUSES 7", ("7",)),
        ("3.5 mm thick, version 2.1", ()),
        ("table 5, step 3", ()),
        ("a subsection 4.2 of nothing", ()),
        ("12 articles", ()),
        ("clause 50%", ()),
    ],
)
def test_a_question_names_clauses(text: str, expected: tuple[str, ...]) -> None:
    assert referenced_clauses(text) == expected


@pytest.mark.parametrize(
    ("line", "is_heading"),
    [
        ("4.2 Cover", True),
        ("  4.2. Cover", True),
        ("### 4.2 Cover", True),
        ("Section 4.2: Cover", True),
        ("Article 5", True),
        ("§ 5 Cover", True),
        ("4.2.1 Beams", False),
        ("14.2 Cover", False),
        ("4.25 Cover", False),
        ("5. an item of a list", False),
        ("Section 5.1", False),
        ("as clause 4.2 says", False),
    ],
)
def test_a_heading_begins_with_the_number(line: str, is_heading: bool) -> None:
    assert bool(re.search(clause_heading_pattern(("4.2", "5")), line, re.IGNORECASE)) is is_heading
