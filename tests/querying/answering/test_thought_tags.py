"""What a model thinks aloud between tags is no text of it, however the tags come in pieces."""

from __future__ import annotations

import pytest

from querying.answering.llms.reasoning_tags import ThoughtTags


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<think>Nine?</think>Ten.", "Ten."),
        ("One. <thinking>a < b</thinking> Two.", "One.  Two."),
        ("<THINK>a</Think>b<think>c</think>d", "bd"),
        ("Ten. <think>It never ends.", "Ten. "),
        ("a < b, and <b>c</b> is <thin", "a < b, and <b>c</b> is <thin"),
        ("</think>", "</think>"),
        ("", ""),
    ],
)
def test_thoughts_are_left_out(text: str, said: str, size: int) -> None:
    tags = ThoughtTags()
    pieces = [tags.add(text[at : at + size]) for at in range(0, len(text), size)]
    assert "".join(pieces) + tags.finish() == said


def test_nothing_waits_that_is_no_tag() -> None:
    tags = ThoughtTags()
    assert [tags.add(piece) for piece in ("Ten", " < 11", " <", "th", "ree")] == ["Ten", " < 11", " ", "", "<three"]
