"""What a question asks about, so that a short one after it can name it: "Who teaches it?" and "Where?" after "When is
the pottery course?" are "Who teaches the pottery course?" and "Where is the pottery course?".

The subject is the phrase in whose place "it" leaves a question that is near to a known one about "it".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from knowledge.embedders import local_embedder
from language.topic_words import topic_stems
from querying.question.column_questions import QUESTIONS, ColumnKind

if TYPE_CHECKING:
    from numpy.typing import NDArray

_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+|(?<=\d)[.,:/]\d+)*")
_IT = re.compile(r"\bit\b(?!['’])", re.IGNORECASE)
# What is asked of "it" is said in one word of substance; "Where?" and "How much?" have none.
_MAX_TOPIC_WORDS, _MAX_BARE_WORDS, _MAX_CHARACTERS = 1, 2, 120
# The question before is read as far as this, and its phrases are no longer.
_MAX_QUESTION_WORDS, _MAX_PHRASE_WORDS = 14, 4
_KNOWN = tuple(text for asked in QUESTIONS.values() for text in asked)
_MIN_SUBJECT_NEARNESS, _MIN_BARE_NEARNESS = 0.5, 0.45


def with_subject(question: str, earlier: Sequence[str]) -> str:
    """The question with the subject of the last one before it that is whole; empty where the question itself is whole,
    or where that one has no subject. `earlier` are the questions before, the last one at the end."""
    if not _needs_subject(question):
        return ""
    before = next((one for one in reversed(earlier) if not _needs_subject(one)), "")
    subject = _find_subject(before) if before else ""
    if not subject:
        return ""
    frame = question if _IT.search(question) else _bare_question(question)
    return _IT.sub(lambda _: subject, frame, count=1)


def _needs_subject(text: str) -> bool:
    """Whether the text names nothing that it is about: it says "it", or only "where", "how much"."""
    words = _WORD.findall(text)
    topics = sum(bool(topic_stems(word)) for word in words)
    if not words or len(text) > _MAX_CHARACTERS:
        return False
    if len(_IT.findall(text)) == 1 and words[0].lower() != "it":
        return topics <= _MAX_TOPIC_WORDS
    return not topics and len(words) <= _MAX_BARE_WORDS and bool(_bare_question(text))


def _bare_question(text: str) -> str:
    """The known question about "it" that these words stand for; empty where they are near to none."""
    near = _known_questions() @ local_embedder().embed_one(text)
    best = int(near.argmax())
    is_known = near[best] >= _MIN_BARE_NEARNESS and _KNOWN[best] not in QUESTIONS[ColumnKind.OTHER]
    return _KNOWN[best] if is_known else ""


def _find_subject(question: str) -> str:
    """The phrase that the question is about; empty where none is clear."""
    spans = list(_phrase_spans(question))
    if not spans:
        return ""
    frames = [f"{question[:start]}it{question[end:]}" for start, end in spans]
    near = (np.asarray(local_embedder().embed_batch(frames)) @ _known_questions().T).max(axis=1)
    best = int(near.argmax())
    return question[slice(*spans[best])] if near[best] >= _MIN_SUBJECT_NEARNESS else ""


def _phrase_spans(text: str) -> Iterator[tuple[int, int]]:
    """Words of substance that stand side by side, each also with the word before them, which may be an article."""
    words = [match.span() for match in _WORD.finditer(text)][:_MAX_QUESTION_WORDS]
    is_topic = [bool(topic_stems(text[slice(*word)])) for word in words]
    for first in range(len(words)):
        for last in range(first, min(first + _MAX_PHRASE_WORDS, len(words))):
            if not is_topic[last]:
                break
            yield words[first][0], words[last][1]
            if first and not is_topic[first - 1]:
                yield words[first - 1][0], words[last][1]


@cache
def _known_questions() -> NDArray[np.float32]:
    return np.asarray(local_embedder().embed_batch(_KNOWN))
