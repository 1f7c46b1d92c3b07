"""Stems of words in languages whose stemmer leaves verbs as they are."""

from __future__ import annotations

import pytest

from language.stemming import german_verb_stems, stem_in


@pytest.mark.parametrize(
    ("asked", "written"), [("zahlt", "zahlen"), ("heizen", "geheizt"), ("geheizt", "heizen"), ("fehlt", "fehlenden")]
)
def test_forms_of_a_regular_german_verb_have_a_stem_in_common(asked: str, written: str) -> None:
    assert stem_in(asked, "de") != stem_in(written, "de")
    assert stem_in(written, "de") in german_verb_stems(asked)


def test_other_verbs_have_no_stem_in_common() -> None:
    assert german_verb_stems("heizt").isdisjoint(german_verb_stems("reizt"))
    assert stem_in("halten", "de") not in german_verb_stems("erhalten")
