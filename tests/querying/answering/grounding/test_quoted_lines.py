from __future__ import annotations

import pytest

from language.sentences import sentence_spans
from querying.answering.grounding import quoted_lines
from querying.answering.grounding.quoted_lines import listed_item_spans, quoted_lines_span

PAGE = """Do not use vinegar.

1. Take the filter out. Keep it
   wet.
2. Fill the tank.
3. Never stop halfway.

Call us if it fails."""


def quoted(claim: str) -> str | None:
    span = quoted_lines_span(claim, sentence_spans(PAGE), PAGE)
    return PAGE[slice(*span)] if span else None


def test_lines_that_stand_on_the_page_one_after_another_are_found():
    claim = "Do not use vinegar.\n1. Take the filter out. Keep it wet.\n2. Fill the tank.\n3. Never stop halfway"
    assert quoted(claim) == PAGE.partition("\n\nCall")[0]


def test_a_list_that_leaves_an_item_out_is_not_on_the_page():
    assert quoted("1. Take the filter out. Keep it wet.\n3. Never stop halfway.") is None


def test_an_item_that_is_cut_short_is_not_on_the_page():
    assert quoted("1. Take the filter out. Keep it\n2. Fill the tank.") is None
    assert quoted("2. Fill the tank.\n3. Never stop") is None


def test_other_words_or_figures_are_not_on_the_page():
    assert quoted("2. Empty the tank.\n3. Never stop halfway.") is None


def test_a_list_that_stands_twice_is_found_where_it_is_whole():
    page = "1. Fill the tank.\n2. Press start and\nwait.\n\n1. Fill the tank.\n2. Press start and"
    claim = "1. Fill the tank.\n2. Press start and"
    span = quoted_lines_span(claim, sentence_spans(page), page)
    assert span
    assert page[slice(*span)] == claim
    assert span[1] == len(page)


def test_nothing_but_stops_is_no_quotation():
    assert quoted_lines_span("...", sentence_spans("Wait.\n\n..."), "Wait.\n\n...") is None


def test_each_line_is_read_once_however_often_it_is_repeated(monkeypatch: pytest.MonkeyPatch):
    page = "Press the key.\n" * 400
    read = []
    monkeypatch.setattr(quoted_lines, "_bare", lambda text: read.append(text) or " ".join(text.split()).casefold())
    assert quoted_lines_span("Press the key.\n" * 200 + "Stop", sentence_spans(page), page) is None
    assert len(read) == 401


NESTED = """You may bring:

- dogs that are kept on a lead
- bicycles. They stay outside.
- You may not bring any of these:
- glass bottles of any size

We pay for:

1. the way at -5 °C
2. the room"""


def listed(claim: str) -> list[str]:
    return [NESTED[slice(*span)] for span in listed_item_spans(claim, sentence_spans(NESTED), NESTED)]


def test_a_lead_in_with_some_of_its_items_is_found_in_parts():
    assert listed("You may bring: bicycles.") == ["You may bring:", "- bicycles."]
    whole_item = listed("You may bring: bicycles. They stay outside.")
    assert whole_item == ["You may bring:", "- bicycles.", "They stay outside."]
    assert listed("We pay for: the way at -5 °C; the room") == ["We pay for:", "1. the way at -5 °C", "2. the room"]


def test_items_of_another_list_or_in_other_words_are_not_found_behind_a_lead_in():
    for claim in (
        "You may bring: glass bottles of any size.",
        "You may bring: the room.",
        "You may bring: bicycles and cars.",
        "You may bring:",
        "You may bring: They stay outside.",
        "We pay for: the way at 5 °C.",
        "bicycles.",
    ):
        assert listed(claim) == []
