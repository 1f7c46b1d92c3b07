from __future__ import annotations

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
