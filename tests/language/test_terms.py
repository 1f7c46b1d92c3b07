from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.terms import MAX_TERM_LENGTH, STOP_WORDS, terms, word_spans


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The covers of the walls", ["cover", "wall"]),
        ("Running RUNS run", ["run", "run", "run"]),
        ("45mm", ["45", "mm"]),
        ("45 mm", ["45", "mm"]),
        ("clause 26.4.2.", ["claus", "26.4.2"]),
        ("1,000 and 1,000.50 but 1,2", ["1000", "1000.50", "1", "2"]),
        ("cross-section", ["cross", "section", "crosssect"]),
        ("e-mail", ["e", "mail", "email"]),
        ("max_connections", ["max", "connect", "maxconnect"]),
        ("refreshToken", ["refresh", "token", "refreshtoken"]),
        ("RefreshToken refresh_token", ["refresh", "token", "refreshtoken"] * 2),
        ("HTTPServer PDFs kN", ["http", "server", "httpserver", "pdfs", "kn"]),
        ("IL-6", ["il", "6"]),
        ("the agreement's and the agreement’s", ["agreement", "agreement"]),
        ("isn't won’t can't they'll", []),
        ("O'Brien's", ["o", "brien", "obrien"]),
        ("café cafés", ["café", "café"]),
        ("Москва हिन्दी עברית", ["москв", "हिन्द", "עברית"]),
        ("漢字仮名 東", ["漢字", "字仮", "仮名", "東"]),
        ("ﬁre co\u00adver", ["fire", "cover"]),
        ("", []),
        (" … — ' - _ ", []),
    ],
)
def test_words_become_terms(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


@given(st.text())
def test_any_text_gives_terms_that_can_be_stored(text: str) -> None:
    found = terms(text)
    assert all(0 < len(term) <= MAX_TERM_LENGTH and "\x00" not in term for term in found)


@given(st.text(), st.text())
def test_a_text_has_the_terms_of_its_lines(one: str, other: str) -> None:
    assert terms(f"{one}\n{other}") == terms(one) + terms(other)


@given(st.text(st.characters(max_codepoint=0x24F)))
def test_latin_text_has_the_same_words_alone_and_beside_another_alphabet(text: str) -> None:
    assert terms(f"{text}\n漢") == [*terms(text), "漢"]
    assert list(word_spans(f"{text}\n漢"))[:-1] == list(word_spans(text))


def test_a_word_longer_than_the_limit_is_still_found_by_itself() -> None:
    word = "x" * 500
    assert terms(word) == terms(f"see {word}")[1:] == ["x" * MAX_TERM_LENGTH]


def test_the_stop_list_is_that_of_the_database() -> None:
    assert len(STOP_WORDS) == 127
    assert terms(" ".join(sorted(STOP_WORDS))) == []
