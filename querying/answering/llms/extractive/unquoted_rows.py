"""The rows that a question asks for by what their cells say, and that are too many to be quoted."""

from __future__ import annotations

from lexic.phrases import phrase
from querying.answering.llms.extractive.asked_rows import MAX_ROWS_WITH_VALUE, rows_with_value
from querying.answering.llms.extractive.sentence_selection import select_sentences
from querying.types.evidence import Evidence


def describe_unquoted_rows(question: str, evidence: Evidence) -> str:
    """How many of the rows are quoted, as a phrase, for the language of the question; empty where all are. More may
    stand in what was not read."""
    if sum(bool(one.value_rows) for one in evidence.sentences) <= MAX_ROWS_WITH_VALUE:
        return ""
    chosen = select_sentences(question, evidence)
    count = len(rows_with_value(chosen[0].sentence, evidence)) if chosen else 0
    if count <= MAX_ROWS_WITH_VALUE:
        return ""
    return phrase(
        "This is only a part: the first %(shown)s of at least %(count)s rows.", shown=MAX_ROWS_WITH_VALUE, count=count
    )
