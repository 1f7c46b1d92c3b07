"""Other words in place of some words of a text."""

from __future__ import annotations

import pytest

from language.word_replacement import replace_words


@pytest.mark.parametrize(
    ("text", "replacements", "expected"),
    [
        ("Refersh, refershed or REFERSH?", {"refersh": "refresh"}, "refresh, refershed or refresh?"),
        ("Section 2.5 says 2 people, 3,2 and 2-way", {"2": ""}, "Section 2.5 says  people, 3,2 and 2-way"),
        ("at 4 m/s over 4 m.", {"4 m": ""}, "at 4 m/s over ."),
        ("From Portugal.", {"Portugal": "European Union", "Union": "Association"}, "From European Union."),
        ("New York or York", {"York": "a", "New York": "b"}, "b or a"),
        ("काम कमी कम", {"कम": "less"}, "काम कमी less"),
        ("Nothing.", {}, "Nothing."),
        (r"a b", {"b": r"\\1"}, r"a \\1"),
    ],
)
def test_whole_words_are_replaced_once(text: str, replacements: dict[str, str], expected: str) -> None:
    assert replace_words(text, replacements) == expected
