"""Documents that were superseded, or are not valid yet: not cited by default, and never silently."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from django.utils import timezone

from accounts.models import User
from knowledge.documents.lifecycle import add_text
from knowledge.ingest import ingest
from knowledge.models import Document
from knowledge.search.filters import Filters, InvalidFilter
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from querying.answering import sufficiency
from querying.answering.citation_styles import describe_citation, render_footnotes
from querying.answering.prompts import build_messages
from querying.question import document_validity
from querying.question.document_validity import OutOfForce, requested_day
from querying.retrieval import retriever
from querying.types.answer import Answer, Outcome
from querying.types.question import CitationStyle, Options
from tests.api.test_query import post
from tests.querying.test_pipeline import ask, assert_verbatim, question
from tests.remembered import remembered

PAINT = "How long must the paint of a steel bridge dry?"
LEAD = "Where may red lead primer be used?"
ZINC = "How thick is the zinc coat of a steel mast?"

OLD = """The paint of a steel bridge must dry for twelve hours.

Red lead primer may be used on river piers.
"""
NEW = "The paint of a steel bridge must dry for eight hours."
COMING = """The paint of a steel bridge must dry for six hours.

The zinc coat of a steel mast is as thick as a coin.
"""


def add(plugin: Plugin, title: str, text: str, **dates: date) -> Document:
    added = add_text(knowledge_base=plugin.knowledge_base, title=title, text=text, enqueue=False)
    ingest(added.document.pk)
    Document.objects.filter(pk=added.document.pk).update(**dates)
    return Document.objects.get(pk=added.document.pk)


@pytest.fixture
@remembered
def paint(plugin: Plugin, alice: User) -> Plugin:
    """An edition that was superseded in 2020, the one in force, and one that is still to come."""
    next_year = timezone.localdate() + timedelta(days=365)
    add(plugin, "Paint code, edition 2010", OLD, superseded_on=date(2020, 1, 1))
    add(plugin, "Paint code, edition 2020", NEW, effective_from=date(2020, 1, 1))
    add(plugin, "Paint code, edition 2090", COMING, effective_from=next_year)
    publish(plugin, by=alice)
    plugin.refresh_from_db()
    return plugin


def answer_to(text: str, plugin: Plugin, **filters) -> Answer:
    asked = question(text, plugin, options=Options(filters=Filters(**filters) if filters else None))
    answer = ask(asked).answer
    assert_verbatim(answer.citations)
    return answer


def cited(answer: Answer) -> set[str]:
    return {citation.passage.document_title for citation in answer.citations}


def test_only_the_edition_in_force_is_cited(paint: Plugin):
    answer = answer_to(PAINT, paint)
    assert cited(answer) == {"Paint code, edition 2020"}
    assert "eight hours" in answer.text
    assert "Note:" not in answer.text


def test_on_another_day_another_edition_is_in_force(paint: Plugin):
    assert cited(answer_to(PAINT, paint, as_of=date(2015, 5, 1))) == {"Paint code, edition 2010"}


@pytest.mark.parametrize(
    "text",
    [
        "How long had the paint of a steel bridge to dry as of 2015?",
        "How long had the paint of a steel bridge to dry by the code in force on 1 March 2019?",
    ],
)
def test_a_question_may_name_the_day(paint: Plugin, text: str):
    read = {passage.document_title for passage in retriever.retrieve(question(text, paint))}
    assert {title for title in read if "Paint" in title} == {"Paint code, edition 2010"}


def test_a_question_may_name_the_edition(paint: Plugin):
    answer = answer_to("How long must paint of a steel bridge dry by the Paint code, edition 2010?", paint)
    assert "Paint code, edition 2010" in cited(answer)
    assert "Paint code, edition 2090" not in cited(answer)
    assert "no longer in force" in answer.text
    assert "answers the question" not in answer.text


def test_a_question_may_ask_for_what_is_old(paint: Plugin):
    answer = answer_to("How long had the paint of a steel bridge to dry by the superseded code?", paint)
    assert cited(answer) == {"Paint code, edition 2010"}
    answer = answer_to("How long must the paint of a steel bridge dry by the upcoming code?", paint)
    assert cited(answer) == {"Paint code, edition 2090"}


def test_a_caller_may_name_documents(paint: Plugin):
    old = Document.objects.get(title="Paint code, edition 2010")
    answer = answer_to(PAINT, paint, document_ids=(old.pk,))
    assert cited(answer) == {"Paint code, edition 2010"}
    assert "no longer in force" in answer.text


def test_a_superseded_document_that_alone_answers_is_cited_and_called_so(paint: Plugin):
    answer = answer_to(LEAD, paint)
    assert cited(answer) == {"Paint code, edition 2010"}
    assert answer.text.endswith(
        "Note: what is quoted here is no longer in force [Source 1]; nothing that is in force answers the question."
    )
    assert answer.reason == "out_of_force"


def test_a_document_that_is_not_valid_yet_and_alone_answers_is_called_so(paint: Plugin):
    answer = answer_to(ZINC, paint)
    assert cited(answer) == {"Paint code, edition 2090"}
    assert "not yet in force [Source 1]" in answer.text
    assert answer.reason == "out_of_force"


def test_what_nothing_answers_is_refused_and_old_documents_are_not_called_near(paint: Plugin):
    answer = answer_to("Who won the chess world championship in Reykjavik?", paint)
    assert answer.outcome == Outcome.REFUSED
    assert not any(isinstance(passage, OutOfForce) for passage in answer.nearest)


def test_the_api_says_so_too_and_its_as_of_decides(paint: Plugin, key: str):
    body = post(key, query=LEAD).json()
    assert "no longer in force" in body["answer"]
    assert body["citations"][0]["document"] == "Paint code, edition 2010"
    assert "eight hours" in post(key, query=PAINT).json()["answer"]
    then = post(key, query=PAINT, options={"asOf": "2015-05-01"}).json()
    assert "twelve hours" in then["answer"]
    assert "Note:" not in then["answer"]
    assert post(key, query=LEAD, options={"asOf": "2021-01-01"}).json()["outcome"] == "refused"


def test_citations_off_leave_the_note_without_marks(paint: Plugin, key: str):
    said = post(key, query=LEAD, options={"citationMode": "off"}).json()["answer"]
    assert "no longer in force" in said
    assert "[Source" not in said


def test_a_footnote_and_a_language_models_source_say_since_when(paint: Plugin):
    answer = answer_to(LEAD, paint)
    assert describe_citation(answer.citations[0]).endswith("superseded on 2020-01-01")
    assert "[1] Paint code" in render_footnotes(answer.citations, style=CitationStyle.FOOTNOTE)
    asked = question(LEAD, paint)
    passages = [citation.passage for citation in answer.citations]
    said = build_messages(asked, passages=passages, path=(), recommendation="")[-1]["content"]
    assert "(superseded on 2020-01-01)" in said


def test_where_an_old_document_is_no_good_evidence_either_it_is_left_out(paint: Plugin):
    asked = question(LEAD, paint)
    asked.release.evidence_threshold = 0.99
    assert not any(isinstance(passage, OutOfForce) for passage in retriever.retrieve(asked))


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("What was valid on 2015-02-03?", date(2015, 2, 3)),
        ("What was in force on 3 Feb 2015?", date(2015, 2, 3)),
        ("The rules as of 2015?", date(2015, 12, 31)),
        ("Back in 1999, what was it?", date(1999, 12, 31)),
        ("In force on 2015-02-31?", None),
        ("What happened in 2015?", None),
    ],
)
def test_the_day_that_a_question_names(text: str, day: date | None):
    assert requested_day(text) == day


def test_a_caller_cannot_let_documents_past_the_day():
    with pytest.raises(InvalidFilter):
        Filters.parse({"validity_exempt_ids": ["00000000-0000-0000-0000-000000000001"]})


def test_what_is_enough_is_what_the_gate_asks_for():
    assert document_validity.SUFFICIENCY_THRESHOLD == sufficiency.SUFFICIENCY_THRESHOLD
