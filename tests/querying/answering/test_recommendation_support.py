from __future__ import annotations

from querying.answering.recommendation_support import Support, find_support
from tests.querying.passages import evidence, passage

BEAM = passage("A beam that is exposed to weather needs a nominal cover of 45 mm.", number=1)
SLAB = passage("A slab that is exposed to weather needs a nominal cover of 45 mm.", number=2)
INSIDE = passage("A slab inside a dry building needs a nominal cover of 20 mm.", number=3)
ASKED = "What is the nominal cover of a slab exposed to weather?"


def support(*passages, recommendation: str = "45 mm nominal cover", question: str = ASKED) -> Support | None:
    decided = f"severe {recommendation}"
    return find_support(question, recommendation=recommendation, decision_text=decided, evidence=evidence(*passages))


def test_of_two_sentences_with_the_figure_the_one_about_what_was_asked_supports_it():
    for passages in ((BEAM, SLAB, INSIDE), (SLAB, BEAM, INSIDE)):
        found = support(*passages)
        assert found is not None
        assert (found.sentence.text, found.is_doubtful) == (SLAB.content, False)


def test_a_sentence_without_the_figure_supports_nothing():
    assert support(INSIDE) is None
    assert support() is None


def test_a_sentence_about_something_else_is_doubtful():
    found = support(
        passage("Visitors wait in the lobby, where a clock of 45 mm hangs."),
        question="How many weeks of parental leave does a trainee get?",
    )
    assert found is not None
    assert found.is_doubtful


def test_other_figures_in_a_sentence_count_against_it():
    both = passage("A slab exposed to weather needs 45 mm, one inside 20 mm, one under water 60 mm of nominal cover.")
    found = support(both, SLAB)
    assert found is not None
    assert found.sentence.text == SLAB.content


def test_two_sentences_of_a_recommendation_may_stand_in_two_of_the_page():
    page = passage(
        "Within the European Union you may work for up to 20 working days in a calendar year. "
        "Take the A1 certificate with you: human resources need 15 working days to get it."
    )
    for certificate in ("Take the A1 certificate with you.", "Ask for the certificate 15 working days before."):
        found = support(
            page,
            recommendation=f"You may work there for up to 20 working days in a calendar year. {certificate}",
            question="May I work from Spain for 10 days?",
        )
        assert found is not None
        assert "up to 20 working days" in found.sentence.text


def test_a_few_sentences_are_read_whatever_the_page_holds():
    many = [
        passage(f"Slab number {letter} has a nominal cover of 45 mm in weather.", number=at)
        for at, letter in enumerate("abcdefghij", start=10)
    ]
    found = support(*many, SLAB)
    assert found is not None
    assert found.sentence.text == SLAB.content
