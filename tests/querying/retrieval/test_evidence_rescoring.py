from __future__ import annotations

import pytest

from querying.retrieval import evidence_rescoring
from querying.retrieval.evidence_rescoring import adjust_strength
from querying.types.evidence import Evidence, Sentence
from tests.querying.passages import passage

FILLER = "The yard keeps its gravel in the third bay behind the office. "
COVER = "The minimum cover for beams is 45 mm."


def evidence(text: str, *, best: str, strength: float = 0.5, title: str = "Concrete") -> Evidence:
    at = text.index(best)
    sentence = Sentence(source=0, start=at, end=at + len(best), text=best, score=strength)
    return Evidence(passages=(passage(text, document_title=title),), sentences=(sentence,), strength=strength)


class FixedEncoder:
    """A cross-encoder that says the same of everything, and keeps what it read."""

    def __init__(self, probability: float) -> None:
        self.said = probability
        self.read: list[str] = []

    def probability(self, question, excerpt):
        self.read.append(excerpt.text[slice(*excerpt.center)])
        return self.said


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch):
    """Makes every cross-encoder say one probability."""

    def install(probability: float) -> FixedEncoder:
        evidence_rescoring._answer_probability.cache_clear()
        fixed = FixedEncoder(probability)
        monkeypatch.setattr(evidence_rescoring, "answer_cross_encoder", lambda: fixed)
        return fixed

    yield install
    evidence_rescoring._answer_probability.cache_clear()


def test_a_sentence_about_another_member_is_weaker_evidence() -> None:
    found = evidence(f"{COVER} {FILLER}", best=COVER)
    own = adjust_strength(found, "What is the minimum cover for beams?")
    other = adjust_strength(found, "What is the minimum cover for slabs?")
    assert own.strength > found.strength > other.strength
    assert (own.answer_probability or 0) > (other.answer_probability or 0) + 0.3


def test_only_the_strength_changes(say) -> None:
    say(0.9)
    found = evidence(COVER, best=COVER)
    adjusted = adjust_strength(found, "What is the minimum cover?")
    assert (adjusted.passages, adjusted.sentences) == (found.passages, found.sentences)
    assert adjusted.strength == pytest.approx(0.5 + 0.2 * (0.9 - 0.4))
    assert adjusted.answer_probability == 0.9


def test_where_few_chunks_were_searched_the_reading_counts_more(say) -> None:
    """How rare a word is says nothing there: "bring" in "Can I bring my dog?" weighs as much as "dog"."""
    found = evidence(COVER, best=COVER)

    def strengths(probability: float) -> list[float]:
        say(probability)
        return [adjust_strength(found, "Cover?", chunk_count=chunks).strength for chunks in (5, 50, 5000)]

    say(0.6)
    whole = adjust_strength(found, "Cover?").strength
    assert strengths(0.6) == sorted(strengths(0.6), reverse=True)
    assert strengths(0.6)[0] > whole + 0.08
    assert strengths(0.6)[-1] == pytest.approx(whole, abs=0.005)


def test_where_few_chunks_were_searched_no_answer_is_called_high_for_that(say) -> None:
    say(0.9)
    found = evidence(COVER, best=COVER, strength=0.5)
    assert 0.61 < adjust_strength(found, "Cover?", chunk_count=5).strength < 0.65


def test_where_few_chunks_were_searched_a_row_of_a_table_gets_no_stronger(say) -> None:
    """Whether the table has the column that is asked for is judged by other signs."""
    say(0.9)
    row = "| Spinning | Monday | Studio 2 |"
    found = evidence(row, best=row, strength=0.4)
    question = "How many people can join the spinning class?"
    assert adjust_strength(found, question, chunk_count=5).strength == adjust_strength(found, question).strength


@pytest.mark.parametrize(("strength", "probability"), [(0.5, 0.1), (0.9, 0.9)])
def test_where_few_chunks_were_searched_what_is_weak_or_strong_stays_so(
    say, strength: float, probability: float
) -> None:
    say(probability)
    found = evidence(COVER, best=COVER, strength=strength)
    assert adjust_strength(found, "Cover?", chunk_count=5).strength == adjust_strength(found, "Cover?").strength


@pytest.mark.parametrize(("strength", "probability", "expected"), [(0.99, 1.0, 1.0), (0.01, 0.0, 0.0)])
def test_the_strength_stays_between_0_and_1(say, strength: float, probability: float, expected: float) -> None:
    say(probability)
    assert adjust_strength(evidence(COVER, best=COVER, strength=strength), "Cover?").strength == expected


def test_the_best_sentence_is_in_the_middle_of_what_is_read(say) -> None:
    encoder = say(0.5)
    adjust_strength(evidence(FILLER * 30 + COVER + FILLER * 30, best=COVER), "What is the minimum cover?")
    assert encoder.read == [COVER]


def test_the_same_pair_is_read_once(say) -> None:
    encoder = say(0.5)
    for question in ("What is the cover?", "What is the cover?", "What is the least cover?"):
        adjust_strength(evidence(COVER, best=COVER), question, question)
    assert len(encoder.read) == 2


def test_without_sentences_nothing_is_read(say) -> None:
    encoder = say(0.5)
    nothing = Evidence(passages=(passage(FILLER),), sentences=(), strength=0.0)
    assert adjust_strength(nothing, "What is the cover?") is nothing
    assert encoder.read == []


def test_of_two_wordings_the_likelier_counts() -> None:
    found = evidence(f"{COVER} {FILLER}", best=COVER)
    whole, fragment = "What is the minimum cover for beams?", "severe"
    both = adjust_strength(found, fragment, whole)
    assert both.answer_probability == adjust_strength(found, whole).answer_probability
    assert both.strength > adjust_strength(found, fragment).strength


@pytest.mark.parametrize(
    "statement", ["Beams have a cover of 45 mm.", "Receiving Party shall keep the records secret."]
)
def test_a_statement_is_judged_by_its_words(say, statement: str) -> None:
    """The network was trained on questions."""
    say(0.9)
    found = evidence(COVER, best=COVER, strength=0.5)
    adjusted = adjust_strength(found, statement, chunk_count=5)
    assert (adjusted.strength, adjusted.answer_probability) == (0.5, 0.9)


@pytest.mark.parametrize("wordings", [("May I bring my dog.",), ("My boiler leaks. What is a visit.", "It leaks.")])
def test_what_asks_without_a_question_mark_is_a_question(say, wordings: tuple[str, ...]) -> None:
    say(0.9)
    assert adjust_strength(evidence(COVER, best=COVER, strength=0.5), *wordings).strength > 0.5
