"""The files of a library: what is read, and that a change in one place leaves every other byte."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lexibrarian.artefacts import aindex, design, iwh, markdown

PARTS = design.Parts("```python\ndef a()\n```", ("src/b.py",), ("tests/test_a.py",))
WRITTEN = design.with_updated_footer(
    design.new_design("src/a.py", 'Says "a": b', PARTS),
    {
        "source": "src/a.py",
        "source_hash": "1" * 64,
        "generated": "2026-01-15T10:30:00Z",
        "generator": "lexibrarian v0.1.0",
    },
)


def test_lb_030_031_032_a_design_file_has_its_fields_sections_and_footer() -> None:
    read = design.read_design(WRITTEN)
    assert read.front_matter() == {"description": 'Says "a": b', "updated_by": "archivist"}
    headings = [section.heading for section in markdown.split_sections(read.footed.before)][1:]
    assert headings == ["Interface Contract", "Dependencies", "Dependents", "Tests"]
    assert read.items("Dependencies") == ["src/b.py"]
    assert list(read.meta) == ["source", "source_hash", "design_hash", "generated", "generator"]
    assert len(read.meta["design_hash"]) == 64
    assert not read.edited


@pytest.mark.parametrize("change", [("Says", "Tells"), ("def a()", "def b()"), ("## Tests", "Mine.\n\n## Tests")])
def test_lb_035_any_change_but_to_the_footer_is_an_edit(change: tuple[str, str]) -> None:
    assert design.read_design(WRITTEN.replace(*change)).edited
    assert not design.read_design(WRITTEN.replace("generated: 2026", "generated: 2027")).edited
    assert not design.read_design(WRITTEN.replace("\n", "\r\n")).edited
    assert design.read_design(f"{WRITTEN}\nA note behind the footer.\n").edited


def test_both_shapes_of_footer_are_read() -> None:
    one_line = '# a\n\n<!-- lexibrarian:meta source="src/a.py" source_hash="abc" -->\n'
    assert markdown.split_footer(one_line).meta == {"source": "src/a.py", "source_hash": "abc"}
    lines = "# a\n\n<!-- lexibrarian:meta\nsource: src/a.py\nsource_hash: abc\n-->\n"
    assert markdown.split_footer(lines).meta == {"source": "src/a.py", "source_hash": "abc"}
    assert markdown.split_footer("# a\n\nThe text <!-- lexibrarian:meta x: y --> stands in a line.\n").meta is None


def test_lb_131_tags_are_in_the_body() -> None:
    assert design.read_design("---\ndescription: x\n---\n## Tags\n- Auth\n- jwt\n").tags == ["auth", "jwt"]
    assert design.read_design("## Tags\n`auth`, jwt\n").tags == ["auth", "jwt"]
    assert design.read_design("## Tags\n(none)\n").tags == []


def test_hand_written_files_are_read() -> None:
    read = design.read_design("Just text, and\n## Dependencies\n- (none)\n")
    assert read.description == ""
    assert read.items("Dependencies") == []
    assert not read.has_footer
    assert design.read_design("---\n[broken\n---\n").description == ""


def test_only_the_field_that_is_set_changes() -> None:
    text = "---\ndescription: >-\n  two\n  lines\nmine: [1,   2]  # as is\nupdated_by: agent\n---\nBody\n---\nmine: x\n"
    changed = markdown.set_field(text, "description", "One.")
    assert changed == '---\ndescription: "One."\nmine: [1,   2]  # as is\nupdated_by: agent\n---\nBody\n---\nmine: x\n'
    assert markdown.set_field(changed, "votes", 3).splitlines()[4] == "votes: 3"
    assert markdown.set_field("no front matter", "a", 1) == "no front matter"


@given(
    st.text(alphabet=st.sampled_from("# -`~\n\r\tab[]>é\u2028|"), max_size=200),
    st.sampled_from(["One", "Interface Contract"]),
)
def test_sections_joined_are_the_text_and_others_stay(text: str, heading: str) -> None:
    sections = markdown.split_sections(text)
    assert "".join(section.text for section in sections) == text
    changed = markdown.replace_section(text, heading, "New body")
    assert markdown.section_body(changed, heading) == "New body" or "`" in text or "~" in text
    kept = [section.text.rstrip("\n") for section in sections if section.heading != heading]
    assert (
        [section.text.rstrip("\n") for section in markdown.split_sections(changed) if section.heading != heading]
        == kept
        or "`" in text
        or "~" in text
    )


def test_headings_in_code_are_no_headings() -> None:
    text = "## One\n```md\n## Two\n```\n~~~\n## Three\n```\n~~~\n## Four\n"
    assert [section.heading for section in markdown.split_sections(text)] == ["", "One", "Four"]


@pytest.mark.parametrize("heading", ["## Tags\r\n", "## Tags \n", "##  Tags\n"])
def test_a_section_that_is_there_is_not_missing(heading: str) -> None:
    text = f"# a\n\n{heading}\n- mine\n"
    assert design.with_missing_sections(text, {"Tags": "- model"}) == text
    code = "# a\n\n```md\n## Tags\n```\n"
    assert design.read_design(design.with_missing_sections(code, {"Tags": "- model"})).tags == ["model"]


def test_lb_049_050_an_index_has_its_parts() -> None:
    rows = [aindex.Row("a|b.py", "file", "Two\nlines | here"), aindex.Row("inner", "dir", "")]
    text = aindex.with_rows(aindex.new_index("src", "All of it."), rows, {"source": "src"})
    read = aindex.read_index(text)
    assert text.startswith("# src/\n\nAll of it.\n\n## Child Map\n\n| Name | Type | Description |\n")
    assert [(row.kind, row.description) for row in read.rows] == [("file", "Two lines | here"), ("dir", "")]
    assert read.billboard == "All of it."
    assert read.conventions == []
    assert read.footed.meta == {"source": "src"}


def test_lb_055_conventions_and_unknown_sections_survive() -> None:
    own = "## Local Conventions\n\n- Use `Decimal`\n  always\n\n## Mine\n\nKept,  byte for byte.\n\n"
    text = f'# src/\n\nOld.\n\n## Child Map\n\nwhatever\n\n{own}<!-- lexibrarian:meta source="src" -->\n'
    changed = aindex.with_rows(
        aindex.with_billboard(text, "src", "New."), [aindex.Row("a", "file", "b")], {"source": "src"}
    )
    assert own.rstrip() in changed
    assert aindex.read_index(changed).billboard == "New."
    assert aindex.read_index(changed).conventions == ["Use `Decimal`"]


def test_lb_022_signals_are_read_and_damaged_ones_too() -> None:
    good = iwh.read_signal("---\nauthor: a1\ncreated: 2026-02-22T14:30:00Z\nscope: blocked\n---\n\nHalf done.\n")
    assert good == iwh.Signal("a1", "2026-02-22T14:30:00Z", "blocked", "Half done.")
    assert iwh.read_signal("Half done.") == iwh.Signal("unknown", "", "warning", "Half done.")
    assert iwh.read_signal("---\nscope: odd\n---\nx").scope == "warning"


@pytest.mark.parametrize(
    "line",
    ['"a \\"b\\" \\\\ é"', '"x"  # note', "plain: not", "'it''s'", ">-\n  two\n  lines", '"a\\u00e9"', "", "7"],
)
def test_descriptions_are_read_as_yaml_reads_them(line: str) -> None:
    text = f"---\ndescription: {line}\nupdated_by: agent\n---\n"
    fields = markdown.read_front_matter(text)
    assert markdown.read_description(text) == str((fields or {}).get("description") or "")


def test_a_footer_is_found_in_linear_time() -> None:
    text = f"# a\n\n<!-- lexibrarian:meta\nsource_hash: {'a' * 200_000}\n-->\n"
    assert len((markdown.split_footer(text).meta or {})["source_hash"]) == 200_000
