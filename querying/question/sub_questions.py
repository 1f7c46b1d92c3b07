"""The questions of a text that asks several: "What is a retainer, and when is it due?"."""

from __future__ import annotations

import re
from itertools import pairwise

from language.auxiliary_verbs import AUXILIARY_PATTERN
from language.sentences import TextSpan, sentence_spans

MAX_SUB_QUESTIONS = 3
_QUESTION_WORD = r"(?:what|which|who|whom|whose|when|where|why|how)\b"
_HAS_QUESTION_WORD = re.compile(rf"\b{_QUESTION_WORD}", re.IGNORECASE)
_BEGINS_AS_QUESTION = re.compile(rf"\W{{0,3}}{AUXILIARY_PATTERN}\b", re.IGNORECASE)
_AND_ASKS = re.compile(rf",?\s{{1,3}}and\s{{1,3}}(?={_QUESTION_WORD})", re.IGNORECASE)


def sub_question_spans(text: str) -> list[TextSpan]:
    """`(start, end)` of each question in the text, at most `MAX_SUB_QUESTIONS`; none where it asks one alone."""
    found = [span for start, end in sentence_spans(text) for span in _coordinated_spans(text, start, end)]
    return found[:MAX_SUB_QUESTIONS] if len(found) > 1 else []


def _coordinated_spans(text: str, start: int, end: int) -> list[TextSpan]:
    """The parts of one sentence that each ask something: it is cut before "and" with a question word."""
    cuts = [(start, start)]
    for joint in _AND_ASKS.finditer(text, start, end):
        if _asks(text, cuts[-1][1], joint.start()):
            cuts.append(joint.span())
    spans = [(begin, stop) for (_, begin), (stop, _) in pairwise([*cuts, (end, end)])]
    return [span for span in spans if _asks(text, *span)]


def _asks(text: str, start: int, end: int) -> bool:
    return bool(_HAS_QUESTION_WORD.search(text, start, end) or _BEGINS_AS_QUESTION.match(text, start, end))
