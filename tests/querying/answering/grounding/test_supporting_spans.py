from __future__ import annotations

import pytest

from querying.answering.grounding import supporting_spans
from tests.querying.passages import passage

RULES = [f"The cover of a beam in place {number} is {number} mm." for number in range(1, 30)]


def test_a_quotation_is_found_without_weighing_its_neighbours(monkeypatch):
    weighed = []
    monkeypatch.setattr(supporting_spans, "compare_words", lambda *texts: weighed.append(texts))
    source = passage(" ".join(RULES))
    span = supporting_spans.best_span(RULES[20], source, least=0.6)
    assert span is not None
    assert source.content[span.start : span.end] == RULES[20]
    assert span.support == 1.0
    assert weighed == []


def test_of_equal_quotations_the_first_counts():
    source = passage(f"{RULES[0]} {RULES[1]} {RULES[0]}")
    span = supporting_spans.best_span(RULES[0], source, least=0.6)
    assert span is not None
    assert (span.start, span.end) == (0, len(RULES[0]))


ROWS = (
    "Service: Dental cleaning | Animal: Dog | Price (EUR): 310.00 | Minutes: 75\n"
    "Service: Dental cleaning | Animal: Cat | Price (EUR): 260.00 | Minutes: 60"
)
ROWS_WITHOUT_FIGURES = (
    "Service: Dental cleaning | Animal: Dog | By: Nurse\nService: Dental cleaning | Animal: Cat | By: Vet"
)
COVERS = (
    "Member: beam | Exposure: severe | Cover (mm): 45\n"
    "Member: slab | Exposure: severe | Cover (mm): 45\n"
    "Member: column | Exposure: mild | Cover (mm): 30"
)
MARKDOWN_ROWS = (
    "| Service | Animal | Price (EUR) |\n|---|---|---|\n"
    "| Dental cleaning | Dog | 310.00 |\n| Dental cleaning | Cat | 260.00 |"
)
HOURS = (
    "The Harbour Street practice is open from Monday to Friday from 8:00 to 19:00. "
    "It is closed on Sundays and public holidays."
)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("A dental cleaning for a cat costs EUR 310.", ROWS),
        ("A dental cleaning for a dog takes 60 minutes.", ROWS),
        ("A dental cleaning for a cat costs EUR 310.", MARKDOWN_ROWS),
        ("A dental cleaning costs EUR 260 for a dog and EUR 310 for a cat.", ROWS),
        ("A dental cleaning costs EUR 260 for a dog and EUR 310 for a cat.", MARKDOWN_ROWS),
        ("A column and a slab have a cover of 45 mm.", COVERS),
        ("The dental cleaning of a cat is done by a nurse.", ROWS_WITHOUT_FIGURES),
        ("Harbour Street is open on Sundays.", HOURS),
        ("The Harbour Street practice is open on public holidays.", HOURS),
        ("The practice is closed from 8:00 to 19:00.", HOURS),
        ("The Harbour Street practice is closed from Monday to Friday.", HOURS),
        ("A slab or a column has a cover of 30 mm.", COVERS),
        ("Both slabs and columns have a cover of 30 mm.", COVERS),
    ],
)
def test_two_sentences_do_not_bear_out_what_one_of_them_excludes(claim: str, source: str):
    assert supporting_spans.best_span(claim, passage(source), least=0.6) is None
    assert supporting_spans.paraphrasing_span(claim, [passage(source)]) is None


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("A dental cleaning for a cat costs EUR 260.", ROWS),
        ("A dental cleaning costs EUR 310 for a dog and EUR 260 for a cat.", ROWS),
        ("A dental cleaning for a cat costs EUR 260.", MARKDOWN_ROWS),
        ("The Harbour Street practice is open from Monday to Friday and closed on Sundays.", HOURS),
        ("The Harbour Street practice is closed on Sundays.", HOURS),
        ("On public holidays the Harbour Street practice is closed.", HOURS),
        ("A beam or a slab in severe exposure has a cover of 45 mm.", COVERS),
        ("For a beam as well as a slab the cover is 45 mm.", COVERS),
        ("Slabs have 45 mm of cover, and columns have 30 mm of cover.", COVERS),
    ],
)
def test_two_sentences_bear_out_what_they_say_together(claim: str, source: str):
    found = supporting_spans.best_span(claim, passage(source), least=0.6)
    assert found or supporting_spans.paraphrasing_span(claim, [passage(source)])
