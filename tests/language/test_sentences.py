from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.sentences import sentence_spans

FRAGMENTS = [
    "The end. ",
    "No. 5",
    "e.g. ",
    "\n",
    "\n\n",
    "\r\n",
    "A | B | C\n",
    "26.4.2 Cover",
    "- item",
    "(a) ",
    "3.5 m",
    "?",
]
PAGE_TEXT = st.one_of(st.text(max_size=300), st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join))


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


@given(PAGE_TEXT)
def test_spans_are_trimmed_ordered_and_hold_every_visible_character(text: str) -> None:
    spans = sentence_spans(text)
    assert all(text[start:end] == text[start:end].strip() != "" for start, end in spans)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(spans))
    assert "".join("".join(text[start:end] for start, end in spans).split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \n\t ", []),
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("The cover\nis 45 mm. It\nholds.", ["The cover\nis 45 mm.", "It\nholds."]),
        ("It is 3.5 m. Then 4.", ["It is 3.5 m.", "Then 4."]),
        ("See e.g. Walls, i.e. Dr. Smith's. Done.", ["See e.g. Walls, i.e. Dr. Smith's.", "Done."]),
        (
            "See Fig. 3, No. 5 and cl. (b). He said no. Then.",
            ["See Fig. 3, No. 5 and cl. (b).", "He said no.", "Then."],
        ),
        ("Acme Inc. Agreement binds Acme Inc. The rest.", ["Acme Inc. Agreement binds Acme Inc.", "The rest."]),
        ("J. Smith et al. found it in the U.S. The law.", ["J. Smith et al. found it in the U.S.", "The law."]),
        ("Sold by Robert P. McCulloch. See p. 5.", ["Sold by Robert P. McCulloch.", "See p. 5."]),
        ("It was made c. 1733 under 6 Geo II. c. 13. Then.", ["It was made c. 1733 under 6 Geo II. c. 13.", "Then."]),
        ('He said "stop." She did.', ['He said "stop."', "She did."]),
        ("東京です。大阪です。", ["東京です。", "大阪です。"]),
        ("Section 4. Payment. The Buyer pays.", ["Section 4. Payment.", "The Buyer pays."]),
    ],
)
def test_a_stop_ends_a_sentence_only_where_one_ends(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


def test_a_blank_line_ends_a_sentence_that_has_no_stop() -> None:
    assert sentences("first part\n\nsecond part\r\n\r\nthird") == ["first part", "second part", "third"]


def test_a_table_row_is_a_sentence_of_its_own() -> None:
    text = "The table follows.\nClass | Cover\nXC1 | 25 mm\nIt ends."
    assert sentences(text) == ["The table follows.", "Class | Cover", "XC1 | 25 mm", "It ends."]


def test_list_items_and_numbered_clauses_begin_anew() -> None:
    text = "It covers:\n- walls\n- slabs that are\nthin\n(a) beams\n26.4.2 The cover shall be 45 mm\n26.4.3 The rest"
    assert sentences(text) == [
        "It covers:",
        "- walls",
        "- slabs that are\nthin",
        "(a) beams",
        "26.4.2 The cover shall be 45 mm",
        "26.4.3 The rest",
    ]


def test_a_clause_number_at_a_line_start_does_not_cut_the_sentence_it_is_named_in() -> None:
    assert sentences("The cover is as given in\n26.4.2 of the standard.") == [
        "The cover is as given in\n26.4.2 of the standard."
    ]


def test_headings_on_their_own_line_are_sentences() -> None:
    text = "# Cover\nIt is thick.\nScope of Work\nThe work covers\nwalls.\nGENERAL REQUIREMENTS\nAll parts last."
    assert sentences(text) == [
        "# Cover",
        "It is thick.",
        "Scope of Work",
        "The work covers\nwalls.",
        "GENERAL REQUIREMENTS",
        "All parts last.",
    ]


def test_a_line_that_ends_long_before_the_margin_did_not_wrap() -> None:
    text = "- Horseback riding\nThese lessons provide employees with the opportunity to try something new\neach week."
    assert sentences(text) == text.split("\n", 1)


def test_the_number_of_a_step_after_a_colon_ends_no_sentence():
    text = "To add bandwidth: 1. Open the console. 2. Select the catalogue."
    assert [text[start:end] for start, end in sentence_spans(text)] == [
        "To add bandwidth: 1. Open the console.",
        "2. Select the catalogue.",
    ]


def test_a_line_below_an_item_that_leads_in_to_the_next_list_is_no_part_of_it() -> None:
    text = "Allowed:\n- dogs on a lead\nForbidden on board:\n- glass"
    assert sentences(text) == text.splitlines()
    numbered = text.replace("- ", "1. ")
    assert sentences(numbered) == numbered.splitlines()


@pytest.mark.parametrize(
    "item",
    [
        "- what you bring to the boat\nfor example:",
        "- what you bring to\n  Mill Lane, that is:",
        "- glass bottles and what is made of\nGlass",
        "2. Whatever the keeper of the boat and of its landing stage needs for the work of the\nMembers, that is:",
    ],
)
def test_a_line_that_goes_on_from_an_item_is_a_part_of_it(item: str) -> None:
    assert sentences(f"Bring:\n{item}\n- dogs") == ["Bring:", item, "- dogs"]
