"""Misspelt words of questions."""

from __future__ import annotations

import pytest
from example_library import Library

from lexibrarian.spelling import meant_by
from lexibrarian.stemming import stem

WORDS = ["main", "cart", "refresh", "rotation", "token", "revoked", "authentication", "airline", "sha256"]
STEMS = {stem(word): count for count, word in enumerate(WORDS, 1)}


def known(letter: str, shortest: int, longest: int) -> list[tuple[str, int]]:
    return [(each, n) for each, n in STEMS.items() if each[0] == letter and shortest <= len(each) <= longest]


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("refersh", "refresh"),
        ("Tokn", "token"),
        ("tokens", "tokens"),
        ("rotaiton", "rotation"),
        ("revoekd", "revoked"),
        ("authentciaton", "authentication"),
    ],
)
def test_a_slip_is_found_also_in_an_ending(word: str, meant: str) -> None:
    found = meant_by(word, known)
    assert found is not None
    assert (found.word, found.stem) == (meant, stem(meant))


@pytest.mark.parametrize("word", ["mail", "card", "airplane", "kubernetes", "sha265", "fresh", "r", ""])
def test_another_word_stays_what_it_is(word: str) -> None:
    assert meant_by(word, known) is None


def test_ask_says_what_it_searched_for(shop: Library) -> None:
    shop.write("src/auth/tokens.py", '"""Session tokens.\n\nThe old refresh token is revoked at midnight.\n"""\n')
    shop.lexictl("update")
    right = shop.lexi("ask", "When is the old refresh token revoked?", "--json").data
    assert right["answers"]
    assert right["corrected"] == {}
    slips = ("ask", "Whne is the old refersh tokn revoked?")
    data = shop.lexi(*slips, "--json").data
    assert data == {**right, "corrected": {"refersh": "refresh", "tokn": "token"}}
    assert shop.lexi(*slips).out.startswith("Searched for: refresh instead of refersh, token instead of tokn.\n\n")


def test_what_is_only_nearly_there_is_not_answered(shop: Library) -> None:
    for question in ("Which monitors have a high refersh rate?", "How are carps farmed?", "How is mail weighed?"):
        assert shop.lexi("ask", question, "--json").data["answers"] == []
