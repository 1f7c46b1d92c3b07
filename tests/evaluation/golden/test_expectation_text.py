from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from hypothesis import given
from hypothesis import strategies as st

from evaluation.golden import expectation_text


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("Cover handbook, p. 3", ["Cover handbook", 3]),
        ("Cover handbook, page 12", ["Cover handbook", 12]),
        ("Cover handbook,p3", ["Cover handbook", 3]),
        ("Cover handbook", ["Cover handbook", None]),
        ("Beams, slabs, and walls", ["Beams, slabs, and walls", None]),
        ("Beams, slabs, p. 4", ["Beams, slabs", 4]),
        (", p. 4", [", p. 4", None]),
    ],
)
def test_a_line_names_a_document_and_perhaps_a_page(line: str, place: list[object]):
    assert expectation_text.parse_places(f"\n  {line}  \n") == [place]


@given(st.text(max_size=300))
def test_any_text_is_read_or_refused_and_what_is_read_can_be_written(text: str):
    try:
        places = expectation_text.parse_places(text)
    except ValidationError:
        return
    assert expectation_text.parse_places(expectation_text.format_places(places)) == places


def test_facts_are_names_with_values():
    facts = expectation_text.parse_facts("exposure = severe\nspan = 4.5\nis_wet = true\nlist = [1]\nhuge = 1e999")
    assert facts == {"exposure": "severe", "span": 4.5, "is_wet": True, "list": "[1]", "huge": "1e999"}
    assert expectation_text.parse_facts(expectation_text.format_facts(facts)) == facts


@pytest.mark.parametrize("line", ["exposure", "= severe", "exposure ="])
def test_a_fact_without_name_or_value_is_refused_by_its_line(line: str):
    with pytest.raises(ValidationError, match="Line 2"):
        expectation_text.parse_facts(f"a = b\n{line}")


def test_a_phrase_that_is_too_long_is_refused_by_its_line():
    with pytest.raises(ValidationError, match="Line 2"):
        expectation_text.parse_phrases("45 mm\n" + "x" * 201)


def test_too_many_lines_are_refused():
    with pytest.raises(ValidationError, match="At most 50 lines"):
        expectation_text.parse_phrases("x\n" * 51)


def test_documents_and_pages_that_are_not_there_are_named():
    titles = {"Cover handbook": 3, "Web page": 0}
    places = [["Cover handbook", 3], ["Cover handbook", 4], ["Web page", 1], ["Other", None]]
    assert expectation_text.place_errors(places, titles=titles) == [
        "Line 2: “Cover handbook” has 3 pages.",
        "Line 3: “Web page” has no pages.",
        "Line 4: the plugin has no document called “Other”.",
    ]
