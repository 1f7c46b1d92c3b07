from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.readers.markdown import find_headings, split_front_matter
from tests.knowledge.readers.made import read_here

SOURCE = """# Cover to *reinforcement*

Text with ![a picture](http://169.254.169.254/x.png).

```
# not a heading
```

Durability
----------

### `26.4` [Nominal](x) cover ###
"""


def test_the_source_is_kept_word_for_word(tmp_path):
    (tmp_path / "a.md").write_text(SOURCE)
    header, [page] = read_here(tmp_path / "a.md", "markdown")
    assert page.text == SOURCE
    assert header.title == "Cover to reinforcement"


def test_headings_know_where_they_stand():
    headings = find_headings(SOURCE)
    assert [(h.level, h.title) for h in headings] == [
        (1, "Cover to reinforcement"),
        (2, "Durability"),
        (3, "26.4 Nominal cover"),
    ]
    assert [SOURCE[h.start :].split("\n")[0] for h in headings] == [
        "# Cover to *reinforcement*",
        "Durability",
        "### `26.4` [Nominal](x) cover ###",
    ]


def test_simple_front_matter_becomes_metadata(tmp_path):
    (tmp_path / "a.md").write_text('---\ntitle: "Cover"\nyear: 2000\n---\n\nThe text.\n')
    header, [page] = read_here(tmp_path / "a.md", "markdown")
    assert (header.title, header.metadata, page.text) == (
        "Cover",
        {"title": "Cover", "year": "2000"},
        "The text.\n",
    )


@pytest.mark.parametrize("text", ["---\nno fields\n---\nText", "---\na: 1\nnever closed", "---\n---\nText", "--- x"])
def test_anything_less_simple_stays_in_the_text(text):
    assert split_front_matter(text) == ({}, text)


@given(st.text(alphabet="#-= \n`>*[]()ab", max_size=200))
def test_a_heading_starts_a_line_of_the_text(text):
    for heading in find_headings(text):
        assert heading.start == 0 or text[heading.start - 1] == "\n"


def test_hostile_markup_takes_no_time_to_speak_of():
    assert find_headings("> " * 5_000 + "# x\n" + "[" * 20_000 + "\n" + "*_" * 10_000) == []
