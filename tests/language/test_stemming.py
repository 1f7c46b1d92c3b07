"""Stems of words: of verbs that a stemmer leaves as they are, and of what no text should hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.stemming import STEMMED_LANGUAGES, german_verb_stems, latin_stem, stem, stem_in


@pytest.mark.parametrize(
    ("asked", "written"), [("zahlt", "zahlen"), ("heizen", "geheizt"), ("geheizt", "heizen"), ("fehlt", "fehlenden")]
)
def test_forms_of_a_regular_german_verb_have_a_stem_in_common(asked: str, written: str) -> None:
    assert stem_in(asked, "de") != stem_in(written, "de")
    assert stem_in(written, "de") in german_verb_stems(asked)


def test_other_verbs_have_no_stem_in_common() -> None:
    assert german_verb_stems("heizt").isdisjoint(german_verb_stems("reizt"))
    assert stem_in("halten", "de") not in german_verb_stems("erhalten")


@given(word=st.text(st.characters(), max_size=80), language=st.sampled_from(sorted(STEMMED_LANGUAGES)))
def test_any_word_has_a_stem(word: str, language: str) -> None:
    assert bool(stem(word)) == bool(word)
    assert bool(stem_in(word, language)) == bool(word)


def test_half_a_surrogate_pair_is_kept() -> None:
    assert latin_stem("beams") == "beam"
    assert stem("\ud800beams") == "\ud800beams"
    assert stem("\u03b1\ud800") == "\u03b1\ud800"
    assert stem_in("h\u00e4user\ud800", "de") == "h\u00e4user\ud800"
