from __future__ import annotations

from dataclasses import replace

from knowledge.search.passages import Passage
from querying.retrieval.page_lists import section_lists
from tests.querying.passages import passage


def section(*texts: str, heading: str = "Adjusting disc brakes") -> list[Passage]:
    pages = [passage(text, number=number) for number, text in enumerate(texts, start=1)]
    return [replace(page, page_id=at, section_path=(heading,)) for at, page in enumerate(pages, start=1)]


def lists(pages: list[Passage]) -> list[list[tuple[int, str, list[str]]]]:
    """For each list its pages: number, what stands before, and the items."""
    return [
        [(part.page.page_id, " ".join(map(part.text, part.before)), list(map(part.text, part.items))) for part in found]
        for found in section_lists(pages)
    ]


def test_a_list_goes_on_behind_the_running_head_of_the_next_page():
    first = "Adjusting disc brakes\nDo not touch the disc.\n1. Loosen the bolts.\n2. Pull the lever.\nGuide 1"
    second = "Spokes: guide 2\n3. Tighten the bolts.\n4. Spin the wheel."
    assert lists(section(first, second)) == [
        [
            (1, "Do not touch the disc.", ["1. Loosen the bolts.", "2. Pull the lever."]),
            (2, "", ["3. Tighten the bolts.", "4. Spin the wheel."]),
        ]
    ]


def test_an_item_that_a_page_break_cuts_in_two_keeps_both_halves():
    first = "1. Loosen the bolts.\n2. Pull the lever and hold it, so that the"
    second = "caliper centres itself.\n3. Tighten the bolts."
    [[(_, _, above), (_, _, below)]] = lists(section(first, second))
    assert above[-1].endswith("so that the")
    assert below == ["caliper centres itself.", "3. Tighten the bolts."]


def test_what_leads_in_to_a_list_at_the_top_of_a_page_stands_on_the_page_before():
    first = "Adjusting disc brakes\nCheck the pads first. Then:"
    [[(page, before, items), (_, _, steps)]] = lists(section(first, "1. Loosen the bolts.\n2. Pull the lever."))
    assert (page, before, items) == (1, "Check the pads first. Then:", [])
    assert steps == ["1. Loosen the bolts.", "2. Pull the lever."]


def test_a_list_whose_first_item_is_missing_is_none():
    assert lists(section("4. Spin the wheel.\n5. Ride ten metres.")) == []


def test_bullets_below_other_prose_are_another_list():
    pages = section("- one thing\n- another thing", "There are others as well:\n- a third thing\n- a fourth thing")
    assert [len(found) for found in lists(pages)] == [1, 1]


def test_a_heading_that_a_page_runs_together_with_the_prose_below_is_left_out():
    text = "Adjusting disc brakes\nBefore you begin, check these:\n- pads\n- bolts"
    [[(_, before, _)]] = lists(section(text))
    assert before == "Before you begin, check these:"
