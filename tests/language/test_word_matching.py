from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from language.terms import terms
from language.word_matching import matching_spans, terms_by_word


def matched(text: str, question: str) -> list[str]:
    return [text[start:end] for start, end in matching_spans(text, terms(question))]


def test_words_match_by_their_stems() -> None:
    assert matched("Two beams (exposed), a beam's cover: 45mm.", "what exposes a beam, 45 mm") == [
        "beams",
        "exposed",
        "beam's",
        "45mm",
    ]


def test_stop_words_match_nothing() -> None:
    assert matched("The cover of the beam", "of the") == []


def test_the_words_of_a_question_are_those_that_count() -> None:
    assert list(terms_by_word("How much cover does “IS 456” ask?")) == ["much", "cover", "456", "ask"]


@given(st.text(max_size=200))
def test_a_text_matches_itself(text: str) -> None:
    spans = matching_spans(text, terms(text))
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert [text[start:end] for start, end in spans if terms(text[start:end])] == [text[s:e] for s, e in spans]
