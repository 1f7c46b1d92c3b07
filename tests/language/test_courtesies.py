from __future__ import annotations

import pytest

from language.courtesies import find_courtesy, without_courtesies
from tests.linear_time import grows_linearly


@pytest.mark.parametrize(
    ("text", "kind", "language"),
    [
        ("Hello", "greeting", "en"),
        ("Hi there!", "greeting", "en"),
        ("Thanks!", "thanks", "en"),
        ("Thank you very much, that was helpful", "thanks", "en"),
        ("OK, thanks, bye", "farewell", "en"),
        ("ok", "agreement", "en"),
        ("Who are you?", "about", "en"),
        ("Guten Tag", "greeting", "de"),
        ("ok danke", "thanks", "de"),
        ("Vielen Dank, das hat geholfen!", "thanks", "de"),
        ("¡Muchas gracias!", "thanks", "es"),
        ("谢谢！", "thanks", "zh"),
        ("Hello, how are you today?", "greeting", "en"),
        ("What can you do? Thanks!", "about", "en"),
        ("super", "agreement", "en"),
        ("Yes, please", "agreement", "en"),
        ("No, thanks", "farewell", "en"),
    ],
)
def test_a_turn_of_such_phrases_alone_is_a_courtesy(text: str, kind: str, language: str) -> None:
    found = find_courtesy(text)
    assert found
    assert (found.kind, found.language) == (kind, language)


@pytest.mark.parametrize(
    "text",
    [
        "What time is check-in?",
        "there",
        "Hi-fi rooms",
        "Good morning yoga classes",
        "thanks giving opening hours",
        "OK, and then?",
        "ok and today?",
        "ok and now",
        "Sorry?",
        "Are you there today?",
        "What do you do for that?",
        "What do you do there?",
        "ok, und dann?",
        "45",
        "?",
    ],
)
def test_a_turn_with_any_other_word_is_none(text: str) -> None:
    assert find_courtesy(text) is None


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Hallo, wann ist die Anreise?", "wann ist die Anreise?"),
        ("Danke! Und wann ist die Abreise?", "Und wann ist die Abreise?"),
        ("Hi! When is check-in? Thanks a lot!", "When is check-in?"),
        ("Good morning yoga, when?", "Good morning yoga, when?"),
        ("Is it at 10:30 or 11.00, and where?", "Is it at 10:30 or 11.00, and where?"),
        ("Hello! Thanks!", "Hello! Thanks!"),
        ("", ""),
    ],
)
def test_what_is_asked_is_what_stands_between_courtesies(text: str, asked: str) -> None:
    assert without_courtesies(text) == asked


@pytest.mark.parametrize("unit", ["!", "ok. ", "?!x"])
def test_a_long_text_is_read_in_linear_time(unit: str) -> None:
    assert grows_linearly(lambda long: without_courtesies(f"{long}x"), unit)
