from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trees.words import is_same_word, normalise, split_identifier, split_words, stem


@pytest.mark.parametrize(
    ("one", "other"),
    [("beam", "beams"), ("exposed", "exposing"), ("study", "studies"), ("plan", "planned"), ("box", "boxes")],
)
def test_inflections_are_the_same_word(one, other):
    assert is_same_word(one, other)


@pytest.mark.parametrize(("one", "other"), [("severe", "several"), ("beam", "slab"), ("universe", "university")])
def test_other_words_of_the_same_stem_are_not(one, other):
    assert not is_same_word(one, other)


@pytest.mark.parametrize("written", ["Dead Load", " dead   load ", "dead-load", "DEAD_LOAD", "ｄead load"])
def test_spelling_is_levelled(written):
    assert normalise(written) == "dead load"


@pytest.mark.parametrize("name", ["slab_thickness", "slabThickness", "slab-thickness", "Slab thickness"])
def test_names_fall_into_words(name):
    assert split_identifier(name) == ["slab", "thickness"]


@given(st.text(max_size=80))
def test_words_are_where_they_say(text):
    for word in split_words(text):
        assert text[word.start : word.end].strip()


def test_stems_do_not_depend_on_who_else_is_stemming():
    many = [f"{start}{number}ing" for start in ("expos", "measur", "walk") for number in "abcdefghij"] * 20
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(stem, many)) == [stem(word) for word in many]
