"""One note, read: its front matter, and what is private in it."""

from __future__ import annotations

import time
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.sync.notes.parse_note import MAX_NOTE_BYTES, parse_note
from knowledge.sync.notes.private_sections import remove_private


def columns(*lines: str) -> dict[str, Any]:
    return dict(parse_note("a.md", "\n".join(["---", *lines, "---", "Text."]).encode()).columns)


def problems(*lines: str) -> list[str]:
    note = parse_note("a.md", "\n".join(["---", *lines, "---", "Text."]).encode())
    assert not note.columns.get("is_public")
    return [str(problem) for problem in note.problems]


def test_pk_027_the_fields_that_filters_know_become_columns_and_the_rest_metadata() -> None:
    said = columns(
        "Title: Valves",
        "type: daily-note",
        "Date: 2024-03-09T23:30:00-05:00",
        "TAGS: ['#pumps', water works, pumps]",
        'project: "[[Projects/Dam|The dam]]"',
        "Status: done",
        "Public: yes",
        "template: false",
        "effective-from: 2024-01-01",
        "Superseded On: '2025-01-01'",
        "progress: 40",
        "mood: {calm: true}",
    )
    assert said == {
        "doc_type": "daily-note",
        "doc_date": date(2024, 3, 9),
        "tags": ["pumps", "water works"],
        "project": "The dam",
        "doc_status": "done",
        "is_public": True,
        "is_template": False,
        "effective_from": date(2024, 1, 1),
        "superseded_on": date(2025, 1, 1),
        "metadata": {"progress": 40, "mood": {"calm": True}},
    }


@pytest.mark.parametrize(
    "written",
    [
        "2016-04-01",
        "'2016-04-01'",
        "2016-04-01 9:30:00 -5",
        "2016-04-01T23:30:00-05:00",
        '"[[2016-04-01]]"',
        "[[2016-04-01]]",
    ],
)
def test_a_date_is_the_day_that_is_written(written: str) -> None:
    assert columns(f"date: {written}")["doc_date"] == date(2016, 4, 1)


@pytest.mark.parametrize("written", ["2016-04-31", "2016-4-1", "20160401", "2016-04-01th", "soon", "{a: b}"])
def test_what_is_no_date_is_a_problem(written: str) -> None:
    assert problems(f"date: {written}")


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["public:"],
        ["public: false"],
        ["public: true", "private: true"],
        ["public: true", "publish: false"],
        ["public: true", "tags: [a, Private]"],
        ["title: A"],
    ],
)
def test_pk_032_a_note_is_not_public_unless_it_plainly_says_so(lines: list[str]) -> None:
    assert not parse_note("a.md", "\n".join(["---", *lines, "---", "Text."]).encode()).columns["is_public"]


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        (["public: true", "date: soon"], "a.md:3: “date” is no date: write it as 2026-03-31."),
        (["public: maybe"], "a.md:2: “public” is neither true nor false."),
        (["public: true", "template: daily"], "a.md:3: “template” is neither true nor false."),
        (["public: true", "Public: false"], "a.md:3: “Public” is given twice."),
        (["a: &x [1, 2]", "b: [*x, *x]", "public: true"], "a.md:3: Aliases (*name) are not read."),
        (["public: true", "a: " + "[" * 50 + "]" * 50], "a.md:3: The front matter is nested too deeply."),
        (["- public", "- true"], "a.md:2: The front matter is no list of names with values."),
        (["date: {{date}}", "public: true"], "a.md:2: A field's name is not plain text."),
        (["project: {name: a}"], "a.md:2: “project” has fields of its own; one value is expected."),
    ],
)
def test_what_is_wrong_is_said_with_its_line_and_closes_the_note(lines: list[str], problem: str) -> None:
    assert problems(*lines) == [problem]


def test_yaml_that_cannot_be_parsed_names_the_line() -> None:
    [problem] = problems("title: A", "public: true", "tags: [a, b")
    assert problem.startswith("a.md:4: The front matter is not valid YAML: ")


def test_front_matter_without_end_is_a_problem_and_a_line_of_hyphens_is_not() -> None:
    [problem] = parse_note("a.md", b"---\npublic: true\n\nText.").problems
    assert str(problem) == "a.md:1: The front matter has no end: a line of three hyphens is missing."
    assert parse_note("a.md", b"---\n\nText.").body == "---\n\nText."


def test_tags_of_yaml_make_no_objects() -> None:
    said = columns("a: !!python/object/apply:os.system ['true']", "b: !!binary aGk=")
    assert said["metadata"] == {"a": ["true"], "b": "aGk="}


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"caf\xe9 au lait", "a.md:1: The note is not written in UTF-8."),
        (b"x" * (MAX_NOTE_BYTES + 1), "a.md: The note is larger than 1 MB."),
    ],
)
def test_what_cannot_be_read_says_why(data: bytes, problem: str) -> None:
    note = parse_note("a.md", data)
    assert (note.body, [str(one) for one in note.problems]) == (None, [problem])


def test_a_title_is_what_the_note_says_else_its_heading_else_its_file() -> None:
    assert parse_note("x/a.md", b"---\ntitle: '2024-01-01'\n---\n# Else").title == "2024-01-01"
    assert parse_note("x/a.md", b"Before.\n\n# The *dam*\n").title == "The dam"
    assert parse_note("x/My note.md", b"## Small\n").title == "My note"


# --- Private parts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a %%private%% b %%/private%% c", "a  c"),
        ("a\n%%private%%\nb\n%% x %%\nc\n%%/private%%\nd", "a\nd"),
        ("a\n%% PRIVATE %%\n```\nb\n%%/Private%%\nc", "a\nc"),
        ("a %% b %% c", "a  c"),
        ("a\n<!-- b\nb -->\nc", "a\nc"),
        ("`%% a %%` and ``b ` %%`` c", "`%% a %%` and ``b ` %%`` c"),
        ("```\n%%time\n```\nb", "```\n%%time\n```\nb"),
        ("# A\na\n## B #private\nb\n### C\nc\n## D\nd", "# A\na\n## D\nd"),
        ("# A #Private\na\n\nB\n=\nb", "B\n=\nb"),
        ("A #private\n---\na\n# B\nb", "# B\nb"),
        ("## A %%#private%%\na\n# B\nb", "# B\nb"),
        ("## A #private\na\n```\n# no heading\n```\nb\n> # quoted\n\nc\n# B", "# B"),
        ("## A #private\n%%\n# B\n%%\nb\n", ""),
        ("## A #privately\na", "## A #privately\na"),
        ("# A\n#private\nb", "# A\n#private\nb"),
    ],
)
def test_pk_032_what_is_marked_as_private_is_left_out(text: str, left: str) -> None:
    assert remove_private(text) == (left, [])


@pytest.mark.parametrize(
    ("text", "left", "line"),
    [
        ("a\n\n%%private%%\nb", "a\n\n", None),
        ("a\n%% b\nc", "a\n", 2),
        ("a <!-- b\nc", "a \n", 1),
        ("a\nb %%/private%%", "a\nb ", 2),
    ],
)
def test_what_has_no_end_is_left_out_to_the_end_and_reported(text: str, left: str, line: int | None) -> None:
    shown, [mistake] = remove_private(text)
    assert (shown, mistake.line) == (left, line)


@given(
    st.lists(
        st.sampled_from(
            ["%%private%%", "%%/private%%", "%%", "\n", "# h #private", "## k", "```", "`", "<!--", "-->", "a "]
        )
    )
)
def test_nothing_between_private_markers_comes_out(parts: list[str]) -> None:
    text = "".join(parts)
    shown, _ = remove_private(f"{text}\n%%private%%\nsecret {text.replace('%%/private%%', '')}\n%%/private%%\n{text}")
    assert "secret" not in shown


@pytest.mark.parametrize(
    "text", ["`" * 300_000, "` `` " * 60_000, "%%" * 200_000, "[[" * 200_000, "<!--" * 100_000, "[a](" * 100_000]
)
def test_hostile_text_takes_time_in_proportion(text: str) -> None:
    from knowledge.sync.notes.links import render_links

    began = time.monotonic()
    shown, _ = remove_private(text)
    render_links(shown, title_of=lambda _: None)
    assert time.monotonic() - began < 20
