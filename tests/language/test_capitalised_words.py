from __future__ import annotations

import pytest

from language.capitalised_words import capitalised_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Which fee does Maplewood Clinic charge?", ["Maplewood", "Clinic"]),
        ("The café Müller, Berlin; and NASA Explorer 5 Pro", ["Müller", "Berlin", "NASA", "Explorer", "Pro"]),
        ("It pays O’Neill-Smith in the EU.", ["O’Neill-Smith", "EU"]),
        ("Pay first. Then wait! Who pays? See: Rules", []),
        ("| Premium | Gold |\n- Keep dry\nHeading", []),
        ("nothing here", []),
    ],
)
def test_words_with_a_capital_count_where_no_sentence_cell_or_item_begins(text: str, words: list[str]) -> None:
    assert capitalised_words(text) == words
