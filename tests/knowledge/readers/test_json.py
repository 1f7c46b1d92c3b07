from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.readers.json import JsonFlattener, parse_json
from knowledge.readers.types import DamagedDocument, TooLarge
from tests.knowledge.readers.made import read_here


def flat(text: str, limit: int = 100_000) -> str:
    flattener = JsonFlattener(limit=limit)
    flattener.add_document(parse_json(text))
    return flattener.text()


def test_an_object_becomes_lines_of_paths():
    assert flat('{"a": {"b": 1, "c": "x\\ny"}, "tags": ["p", "q"]}') == "a.b: 1\na.c: x y\n\ntags: p, q"


def test_each_object_of_a_list_is_a_paragraph():
    assert flat('[{"n": 1}, {"n": 2}]') == "[0].n: 1\n\n[1].n: 2"


def test_numbers_and_constants_are_kept_as_written():
    assert flat("[1.10, 1e5, 12345678901234567890123, true, null, NaN]") == (
        "1.10, 1e5, 12345678901234567890123, true, null, NaN"
    )


def test_keys_that_occur_twice_are_both_kept():
    assert flat('{"a": 1, "a": 2}') == "a: 1\na: 2"


def test_lines_of_json_are_a_list():
    assert flat('{"n": 1}\n{"n": 2}\n') == "[0].n: 1\n\n[1].n: 2"


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85"])
def test_a_separator_inside_a_string_ends_no_line_of_json(separator: str):
    assert flat(f'{{"n": "one{separator}two"}}\n{{"n": 2}}\r\n') == "[0].n: one two\n\n[1].n: 2"


def test_parts_of_the_document_are_headings(tmp_path):
    (tmp_path / "a.json").write_text('{"title": "Rules", "rules": [{"x": 1}], "other": {"y": 2}}')
    header, [page] = read_here(tmp_path / "a.json", "json")
    assert header.title == "Rules"
    assert [(h.title, page.text[h.start :].split("\n")[0]) for h in page.headings] == [
        ("rules", "rules[0].x: 1"),
        ("other", "other.y: 2"),
    ]


def test_what_is_not_json_is_refused_with_the_line():
    with pytest.raises(DamagedDocument, match="line 2"):
        parse_json('{"a": 1,\n nonsense}')


@pytest.mark.parametrize("depth", [150, 200_000])
def test_nesting_without_end_is_refused(depth):
    with pytest.raises(TooLarge):
        flat("[" * depth + "]" * depth)


def test_paths_that_multiply_a_file_are_refused():
    wide = json.dumps({"k" * 1000: {"m" * 1000: {str(n): 1 for n in range(100)}}})
    with pytest.raises(TooLarge):
        flat(wide)


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=15,
)


@given(_values)
def test_headings_point_at_the_start_of_a_line(value):
    flattener = JsonFlattener(limit=100_000)
    flattener.add_document(parse_json(json.dumps(value)))
    lines = "\n".join(flattener.lines)
    assert all(h.start == 0 or lines[h.start - 1] == "\n" for h in flattener.headings)
