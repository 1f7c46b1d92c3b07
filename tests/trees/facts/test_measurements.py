"""Which number belongs to which of several fields that measure the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trees.growing import action, question, tree
from trees.definition.nodes import Tree
from trees.definition.parser import parse_tree
from trees.facts.extraction import extract_facts


def bars_tree(other: str = "least_dimension") -> Tree:
    fields = {"bar_diameter": {"type": "number", "unit": "mm"}, other: {"type": "number", "unit": "mm"}}
    member = question("member", {"slab": "a", "column": "a"}, extractFrom="member")
    return parse_tree(tree(member, action("a"), fields=fields))


def numbers(asked: Tree, text: str) -> dict[str, object]:
    return {name: one.value for name, one in extract_facts(asked, question=text).items() if name != "member"}


@pytest.mark.parametrize(
    "text",
    [
        "slab indoors with 10 mm bars",
        "a slab with bars of 10 mm",
        "bars 10 mm",
        "Which cover for 10 mm bars?",
        "10 mm bars at 200 mm spacing",
        "200 mm column with 10 mm bars",
        "10 mm bars, indoors",
        "200 mm bar spacing with 10 mm bars",
    ],
)
def test_a_word_that_only_one_field_has_names_its_number(text: str):
    assert numbers(bars_tree(), text) == {"bar_diameter": 10}


@pytest.mark.parametrize(
    "text",
    [
        "bars at 200 mm spacing",
        "bars of 200 mm spacing",
        "bars at 200 mm",
        "200 mm bar spacing",
        "bars 200 mm apart",
        "bars 200 mm c/c",
        "bars every 200 mm",
        "200 mm long bars",
        "cover of 40 mm bars",
        "a cover of 40 mm, bars",
        "6 m bars",
        "12 and 16 mm bars",
        "12 mm and 16 mm bars",
        "12/16 mm bars",
        "10 mm bars or 12 mm bars",
        "10 mm bars or 12 mm",
        "10 mm, 12 mm bars",
        "10 mm bars instead of 12 mm bars",
        "at least 10 mm bars",
        "no 10 mm bars",
        "the bars have a diameter, and the slab is 200 mm",
        "200 mm column",
        "a column with bars. It is 200 mm wide",
    ],
)
def test_a_number_of_another_thing_is_left_to_be_asked(text: str):
    assert numbers(bars_tree(), text) == {}


def test_an_option_of_another_field_names_no_number():
    assert numbers(bars_tree("column_width"), "a 200 mm column") == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12 mm bars, the wall is about 200 mm", {"bar_diameter": 12, "wall_width": 200}),
        ("a wall of 200 mm with 12 mm bars", {"bar_diameter": 12, "wall_width": 200}),
        ("the bar diameter is 12 mm; a 200 mm wall", {"bar_diameter": 12, "wall_width": 200}),
        ("12 mm bars at 200 mm in a wall", {"bar_diameter": 12}),
        ("12 mm bars, a wall at 200 mm", {"bar_diameter": 12}),
        ("12 mm bars, wall bar spacing is 200 mm", {"bar_diameter": 12}),
        ("12 mm bars, the wall is 200 mm high", {"bar_diameter": 12}),
        ("12 mm bars at 200 mm", {"bar_diameter": 12}),
        ("12 mm bars, the wall is 200 mm to 250 mm", {"bar_diameter": 12}),
    ],
)
def test_the_number_that_is_left_belongs_to_a_field_that_the_text_names(text: str, expected: dict[str, object]):
    assert numbers(bars_tree("wall_width"), text) == expected


NEAR = ["bars", "bar", "of", "at", "200 mm", "spacing", "every", "apart", "long", "in", "the", "slab", "column"]


@given(st.lists(st.sampled_from(NEAR), max_size=8))
def test_a_spacing_is_never_a_diameter(words: list[str]):
    text = " ".join(["bars at", *words, "200 mm", "spacing"])
    assert "least_dimension" not in numbers(bars_tree(), text)
    assert numbers(bars_tree(), "bars at 200 mm spacing") == {}


@given(st.sampled_from(["spacing", "long", "apart", "high", "cover", "lap", "centres", "thick"]))
def test_a_word_that_says_what_the_number_is_keeps_it_from_the_bars(word: str):
    for text in (f"bars 200 mm {word}", f"200 mm {word} bars", f"200 mm bar {word}", f"bars with {word} of 200 mm"):
        assert numbers(bars_tree(), text) == {}
