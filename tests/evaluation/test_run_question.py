"""Which citations count for a sentence of an answer."""

from evaluation.run_question import statement_citations
from querying.types.answer import Answer, Citation, Outcome
from tests.querying.passages import passage


def cited(number: int, excerpt: str) -> Citation:
    return Citation(number=number, passage=passage(excerpt), start=0, end=len(excerpt), excerpt=excerpt, score=1.0)


def statements(text: str, *excerpts: str, disclaimer: str = "") -> list[tuple[int, ...]]:
    citations = tuple(cited(number, excerpt) for number, excerpt in enumerate(excerpts, start=1))
    answer = Answer(text=text, outcome=Outcome.ANSWERED, citations=citations)
    return list(statement_citations(answer, disclaimer=disclaimer))


def test_every_sentence_of_one_quotation_has_the_mark_behind_it() -> None:
    text = "Before descaling:\n1. Empty the tank.\n2. Fill it with water. [Source 1]"
    assert statements(text, "Before descaling:\n\n1. Empty the tank.\n2. Fill it\nwith water.") == [(0,), (0,), (0,)]


def test_a_sentence_that_the_next_citation_does_not_hold_has_none() -> None:
    assert statements("It is quick. Empty the tank. [Source 1]", "Empty the tank.") == [(), (0,)]
    assert statements("Empty the tank. [Source 1] It is quick.", "Empty the tank.") == [(0,), ()]


def test_the_disclaimer_is_no_statement() -> None:
    text = "Empty the tank. [Source 1]\n\nAsk a plumber."
    assert statements(text, "Empty the tank.", disclaimer="Ask a plumber.") == [(0,)]
