from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.search.query_words import (
    MAX_WORDS,
    NO_SYNONYMS,
    QueryWord,
    Synonyms,
    canonical_phrase,
    dedupe_by_weight,
)
from language.terms import terms, terms_of_old_index

RATIO = Synonyms([["w/c", "water-cement ratio"], ["RC", "reinforced concrete"]])


def phrases(text: str, synonyms: Synonyms = NO_SYNONYMS) -> list[tuple[tuple[str, ...], ...]]:
    return [word.phrases for word in synonyms.words(text)]


def test_each_word_counts_once() -> None:
    assert phrases("cover of the cover, covers") == [(("cover",),)]


def test_a_hyphenated_word_is_found_by_its_parts_or_in_one() -> None:
    assert phrases("re-use") == [(("re", "use"), ("reus",))]
    assert phrases("up-to-date") == [(("date",), ("uptod",))]


@pytest.mark.parametrize("text", ["refreshToken", "RefreshToken", "refresh_token"])
def test_an_identifier_is_found_whole_and_by_its_parts(text: str) -> None:
    assert phrases(text) == [(("refresh", "token", "refreshtoken"), ("refresh", "token"), ("refreshtoken",))]


@pytest.mark.parametrize("text", ["45mm", "45 mm", "45-mm"])
def test_a_unit_is_a_word_with_and_without_a_space(text: str) -> None:
    assert phrases(text) == [(("45",),), (("mm",),)]


@pytest.mark.parametrize("text", ["water-cement ratio", "water cement ratio", "Water to cement ratios"])
def test_a_phrase_is_known_however_it_is_written(text: str) -> None:
    assert canonical_phrase(text) == ("water", "cement", "ratio")
    assert phrases(text, RATIO) == [(("water", "cement", "ratio"), ("w", "c"))]


def test_an_abbreviation_has_its_long_form_beside_it() -> None:
    assert phrases("Which w/c for RC walls?", RATIO) == [
        (("w", "c"), ("water", "cement", "ratio")),
        (("rc",), ("reinforc", "concret")),
        (("wall",),),
    ]
    assert RATIO.expansions("Which w/c for RC walls?") == ["water-cement ratio", "reinforced concrete"]


def test_a_phrase_and_its_synonym_in_one_question_are_one_word() -> None:
    assert len(phrases("Is the w/c the water-cement ratio?", RATIO)) == 1


def test_the_longest_phrase_wins() -> None:
    synonyms = Synonyms([["cover", "lid"], ["nominal cover", "design cover"]])
    assert phrases("nominal cover", synonyms) == [(("nomin", "cover"), ("design", "cover"))]


def test_groups_that_share_a_phrase_are_put_together() -> None:
    synonyms = Synonyms([["GP", "doctor"], ["GP", "physician"]])
    assert synonyms.spellings(("gp",)) == ("doctor", "physician")
    assert synonyms.spellings(("doctor",)) == ("GP",)


def test_a_phrase_without_a_content_word_is_left_out() -> None:
    assert Synonyms([["the", "of"], ["...", "cover"]]).words("the cover") == [QueryWord(phrases=(("cover",),))]


def test_a_word_has_the_highest_of_its_weights() -> None:
    words = [*NO_SYNONYMS.words("cover", weight=0.3), *NO_SYNONYMS.words("cover depth")]
    assert [(word.original, word.weight) for word in dedupe_by_weight(words)] == [
        (("cover",), 1.0),
        (("depth",), 1.0),
    ]


def test_a_question_without_end_is_cut() -> None:
    text = " ".join(f"word{'abcdefghij'[n % 10]}{'abcdefghij'[n // 10 % 10]}{'xyz'[n // 100]}" for n in range(300))
    assert len(NO_SYNONYMS.words(text)) == MAX_WORDS


@given(st.text(max_size=200))
def test_every_term_of_a_text_is_searched_for(text: str) -> None:
    searched = {term for word in NO_SYNONYMS.words(text) for term in word.terms}
    assert set(terms(text)) <= searched <= {*terms(text), *terms_of_old_index(text)}
