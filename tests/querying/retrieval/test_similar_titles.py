"""Which document a question names is told by what its title alone has, beside the titles of others that were found."""

from __future__ import annotations

import uuid

import pytest

from knowledge.search.passages import Passage
from querying.retrieval.similar_titles import demote_other_documents
from tests.querying.passages import passage

PLUS, STANDARD, HANDBOOK = "Contoso Plus Plan Details", "Contoso Standard Plan Details", "Employee Handbook"


def found(**scores: float) -> list[Passage]:
    titles = {"plus": PLUS, "standard": STANDARD, "handbook": HANDBOOK}
    return [
        passage(
            "Trials are covered.", number=at, score=score, document_title=titles[name], document_id=uuid.UUID(int=at)
        )
        for at, (name, score) in enumerate(scores.items(), 1)
    ]


def order(question: str, **scores: float) -> list[str]:
    return [one.document_title for one in demote_other_documents(found(**scores), question)]


def test_passages_of_the_named_document_go_before_those_of_one_with_a_title_like_it():
    question = "Which trials does Contoso Plus cover?"
    assert order(question, standard=0.78, plus=0.74, handbook=0.6) == [PLUS, STANDARD, HANDBOOK]
    assert order("Which trials does the Standard plan cover?", plus=0.78, standard=0.74) == [STANDARD, PLUS]


def test_a_much_better_passage_of_the_other_document_stays_first():
    assert order("Which trials does Contoso Plus cover?", standard=0.9, plus=0.5) == [STANDARD, PLUS]


@pytest.mark.parametrize(
    "question",
    [
        "Which trials are covered?",  # none is named
        "Which trials are a plus?",  # nothing that both titles have is said
        "Which trials does Contoso cover?",  # by what both titles have
        "Does Contoso Plus cover more trials than Contoso Standard?",  # both are
        "Which trials does the Employee Handbook name?",  # no title is like that one
    ],
)
def test_nothing_moves_where_no_document_is_named_in_place_of_another(question: str):
    passages = found(standard=0.78, plus=0.74, handbook=0.6)
    assert demote_other_documents(passages, question) == passages


def test_nothing_found_is_nothing_to_move():
    assert demote_other_documents([], "Which trials does Contoso Plus cover?") == []
