from __future__ import annotations

from querying.llms.extractive import compose
from querying.types import REFUSAL, Prompt
from tests.querying.passages import evidence, passage

MILD = passage("For mild exposure the nominal cover is 20 mm.", number=1)
SEVERE = passage("For severe exposure the nominal cover is 45 mm.", number=2)


def prompt(*passages, recommendation: str = "") -> Prompt:
    return Prompt(messages=(), question="cover?", evidence=evidence(*passages), recommendation=recommendation)


def test_it_quotes_the_sentence_that_answers_with_its_source():
    assert compose(prompt(MILD)) == ["For mild exposure the nominal cover is 20 mm [Source 1]."]


def test_the_trees_recommendation_leads_where_a_source_bears_it_out():
    pieces = compose(prompt(MILD, SEVERE, recommendation="45 mm nominal cover"))
    assert pieces[0] == "45 mm nominal cover [Source 2]."


def test_a_recommendation_that_no_source_bears_out_is_not_stated():
    assert not any("60 mm" in piece for piece in compose(prompt(MILD, recommendation="60 mm nominal cover")))


def test_sentences_come_in_reading_order_of_the_document():
    later = passage("Cover in severe exposure never falls below 45 mm, whatever the grade.", number=9)
    pieces = compose(prompt(later, SEVERE))
    assert [piece.split("[")[1] for piece in pieces] == ["Source 2].", "Source 1]."]


def test_the_same_words_are_quoted_once():
    twin = passage(MILD.content, number=3, document_title="Another copy")
    assert len(compose(prompt(MILD, twin))) == 1


def test_nothing_to_quote_is_a_refusal():
    assert compose(prompt()) == [REFUSAL]


def test_a_heading_is_not_an_answer_but_a_list_item_or_a_table_row_is():
    heading = passage("Nominal cover in mild exposure", number=1)
    item = passage("• Mild exposure: 20 mm of cover", number=2)
    row = passage("Exposure: Severe | Nominal cover (mm): 45", number=3)
    assert compose(prompt(heading, item, row)) == [
        "Mild exposure: 20 mm of cover [Source 2].",
        "Exposure: Severe | Nominal cover (mm): 45 [Source 3].",
    ]
