"""Recognises a text of a language model that is only a question to the person."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.planners.planner_types import ReadyAnswer
from contracts.risk import NAMED_LEVEL
from language.sentences import sentence_spans
from querying.answering.citations import referenced_numbers
from querying.sanitize import sanitize
from querying.types.answer import Answer, Clarification, Outcome

_MAX_CHARACTERS = 300
_FIGURE = re.compile(r"\d+")


def model_question(text: str, *, said: Sequence[str]) -> ReadyAnswer | None:
    """The question back where the whole text is one: a single short sentence. None where it cites, or names a class or
    a figure that the person has not `said`: that would be a statement that no source supports."""
    question = " ".join(sanitize(text).split())
    if not question.endswith("?") or len(question) > _MAX_CHARACTERS or len(sentence_spans(question)) != 1:
        return None
    known = set(_FIGURE.findall(" ".join(said)))
    if referenced_numbers(text) or NAMED_LEVEL.search(question) or not set(_FIGURE.findall(question)) <= known:
        return None
    asked = Clarification(question=question, options=(), field="")
    return ReadyAnswer(answer=Answer(text=question, outcome=Outcome.CLARIFY, reason="unclear", clarification=asked))
