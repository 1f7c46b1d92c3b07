from __future__ import annotations

import pytest

from language.counted_nouns import counted_words


@pytest.mark.parametrize(
    ("question", "language", "counted"),
    [
        ("Wie viele Parkplätze hat die Firma?", "de", ["Parkplätze"]),
        ("¿Cuántas plazas tiene el aparcamiento?", "es", ["plazas"]),
        ("Combien d’heures dure la visite ?", "fr", ["heures"]),
        ("Hoeveel?", "nl", []),
        ("Wie viel kostet ein Parkplatz?", "de", []),
        ("健身房有多少个停车位？", "zh", []),
    ],
)
def test_the_word_behind_how_many_is_what_is_counted(question: str, language: str, counted: list[str]) -> None:
    assert counted_words(question, language) == counted
