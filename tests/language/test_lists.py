from __future__ import annotations

from language.lists import find_lists, item_lines


def items(text: str) -> list[list[str]]:
    return [[text[item.start : item.end] for item in one.items] for one in find_lists(text)]


def test_an_item_keeps_all_its_sentences_and_lines():
    text = "Clean it:\n\n1. Lock it in. Wait for ten\n   seconds. Do this twice.\n2. Rinse it.\n"
    assert items(text) == [["1. Lock it in. Wait for ten\n   seconds. Do this twice.", "2. Rinse it."]]


def test_the_prose_right_above_belongs_to_the_list_and_that_of_another_section_does_not():
    text = "## One\n\nFar off.\n\n## Two\n\nNever use vinegar. Do this:\n\n- fill\n- rinse\n"
    [found] = find_lists(text)
    assert [text[start:end] for start, end in found.before] == ["Never use vinegar.", "Do this:"]


def test_a_number_that_begins_anew_begins_another_list():
    assert items("1. Open it.\n2. Fill it.\n\nThen:\n\n1. Close it.\n2. Start it.") == [
        ["1. Open it.", "2. Fill it."],
        ["1. Close it.", "2. Start it."],
    ]


def test_a_list_below_an_item_and_a_note_on_it_belong_to_the_item():
    text = "1. Check:\n   - the oil\n   - the belt\n2. Start it.\n\nIt may smoke.\n\n3. Stop it."
    [[first, second, third]] = items(text)
    assert "- the belt" in first
    assert second.endswith("It may smoke.")
    assert third == "3. Stop it."
    assert list(item_lines(first)) == ["1. Check:", "- the oil", "- the belt"]


def test_a_note_below_a_bullet_belongs_to_it_where_it_is_set_in():
    assert items("- fill\n- rinse\n\n  Twice, with cold water.\n\n- dry") == [
        ["- fill", "- rinse\n\n  Twice, with cold water.", "- dry"]
    ]
    assert items("- fill\n- rinse\n\nFor the tank:\n\n- dry\n- close") == [["- fill", "- rinse"], ["- dry", "- close"]]


def test_letters_and_roman_numbers_go_on_too():
    assert [len(one) for one in items("a) one thing\nb) another\n\nand\n\ni) first\nii) second\niii) third")] == [2, 3]


def test_prose_that_runs_on_from_the_last_line_of_a_page_without_blank_lines_is_no_item():
    text = (
        "• tyres: no cuts, pressure as marked\n• rack and mudguards: every bolt tight\nThe gauge hangs beside the door."
    )
    assert items(text) == [["• tyres: no cuts, pressure as marked", "• rack and mudguards: every bolt tight"]]


def test_a_clause_number_is_no_item():
    assert find_lists("26.4.2 Nominal cover\nThe cover is 45 mm.") == []


def test_numbered_lines_without_capitals_and_stops_are_items_too():
    assert items("Check:\n\n1. oil\n2. belt\n3. lamp") == [["1. oil", "2. belt", "3. lamp"]]
