from __future__ import annotations

import pytest

from knowledge.sync.notes.links import render_links
from knowledge.sync.notes.name_index import NamedNote, NoteNameIndex

NOTES = [
    NamedNote(path="Dam.md", title="The great dam", aliases=("Wall",), is_public=True),
    NamedNote(path="Diary/2024-01-01.md", title="A hard day", aliases=("New Year",), is_public=False),
    NamedNote(path="Work/Plan.md", title="Plan for work", aliases=(), is_public=True),
    NamedNote(path="Work/Old/Plan.md", title="Older plan", aliases=(), is_public=True),
]


def shown(text: str) -> str:
    return render_links(text, title_of=NoteNameIndex(NOTES).title_of).text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("See [[Dam]].", "See The great dam."),
        ("See [[dam.md]] and [[ Wall ]].", "See The great dam and The great dam."),
        ("See [[Dam|the wall]].", "See the wall."),
        (r"| [[Dam\|the wall]] |", "| the wall |"),
        ("See [[Dam#Gates#North]].", "See The great dam > Gates > North."),
        ("See [[Dam#^block1]] and [[#Here]].", "See The great dam and Here."),
        ("![[Dam]]", "The great dam"),
        ("![[dam.png]] ![[dam.png|300x200]] ![[dam.png|The gate]]", "  The gate"),
        ("[[Plan]] and [[Work/Old/Plan]]", "Plan for work and Older plan"),
        ("[[The great dam]]", "The great dam"),
    ],
)
def test_links_to_open_notes_are_called_by_their_titles(text: str, words: str) -> None:
    assert shown(text) == words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[Diary/2024-01-01|that day]]", "that day"),
        ("[[Diary/2024-01-01]]", "2024-01-01"),
        ("[[Diary/2024-01-01#Quarrel with Bob]]", "2024-01-01"),
        ("![[New Year]]", "New Year"),
        ("[[Nowhere]]", "Nowhere"),
        ("[that day](Diary/2024-01-01.md)", "that day"),
        ("[that day](<Diary/2024-01-01.md>) [x](../a%20b.md#c)", "that day x"),
    ],
)
def test_pk_032_of_links_to_other_notes_the_authors_words_stay_and_no_more(text: str, words: str) -> None:
    assert shown(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "`[[Dam]]`",
        "```sh\nif [[ -f dam ]]; then\n```",
        "[site](https://example.org/a.md)",
        "[a](b.pdf)",
        "[[a]b]",
        "[x]",
    ],
)
def test_code_and_links_to_elsewhere_stay(text: str) -> None:
    assert shown(text) == text


def test_what_each_target_was_called_is_remembered() -> None:
    rendered = render_links("[[Dam]] [[Nowhere]] [[Dam|x]]", title_of=NoteNameIndex(NOTES).title_of)
    assert rendered.links == {"Dam": "The great dam", "Nowhere": None}
