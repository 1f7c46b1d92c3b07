"""The evidence gate: is what was found good enough to answer from, and if not, why not in plain words.

The strength of the evidence is lowered by signs of contradiction between the question and the best sentence.
They are what a careful reader would notice first: the question says *not* and the passage does not, it names a
number or a person that the passage lacks, it says *more* where the passage says *less*. Weights: docs/evaluation.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.search import Passage
from knowledge.terms import terms
from querying.opposites import opposites_of
from querying.types import Evidence, Sentence
from querying.verify.negation import denies
from querying.verify.quantities import numbers

# Evidence weaker than this is no answer, in mandatory mode; a plugin may set its own.
SUFFICIENT = 0.45

_NEGATION, _OPPOSITE, _NUMBER, _NAME = 0.2, 0.1, 0.1, 0.05
# Narrower than what counts as a denial in the passage: a question about refused claims denies nothing.
_ASKED_NEGATION = re.compile(r"\b(?:not|never|without|cannot|neither|nor|unable|none)\b|n['’]t\b", re.IGNORECASE)
_CAPITALISED = re.compile(r"(?<![.!?]\s)(?<!^)\b[A-Z][\w’'-]{2,}(?:\s+[A-Z][\w’'-]{2,}){0,4}")
_NEAREST = 3


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """`score` is the strength less the signs. `why` is for people, empty when the gate is passed."""

    score: float
    passes: bool
    why: tuple[str, ...]
    nearest: tuple[Passage, ...]


def judge(question: str, evidence: Evidence, *, sufficient: float = SUFFICIENT) -> Judgement:
    """Whether the evidence answers the question. The last turn only: earlier ones are asked about nothing."""
    best = evidence.sentences[0] if evidence.sentences else None
    signs = _signs(question, best, evidence) if best else []
    score = evidence.strength - sum(weight for weight, _ in signs)
    passes = score >= sufficient
    why = () if passes else (*_unmentioned(question, evidence.passages), *(reason for _, reason in signs))
    return Judgement(score=score, passes=passes, why=why, nearest=evidence.passages[:_NEAREST])


def _signs(question: str, best: Sentence, evidence: Evidence) -> list[tuple[float, str]]:
    passage = evidence.passages[best.source]
    around = f"{passage.document_title} {' '.join(passage.section_path)} {passage.content}"
    signs = []
    if _ASKED_NEGATION.search(question) and not denies(best.text):
        signs.append((_NEGATION, "The question denies something; the nearest passage does not."))
    if pair := _opposite(question, best.text, around):
        signs.append((_OPPOSITE, f"The question says “{pair[0]}”; the nearest passage says “{pair[1]}”."))
    if missing := sorted(set(numbers(question)) - set(numbers(around))):
        signs.append((_NUMBER, f"The nearest passage does not mention {', '.join(missing)}."))
    if missing := [name for name in _CAPITALISED.findall(question) if name.lower() not in around.lower()]:
        signs.append((_NAME, f"The nearest passage does not mention {', '.join(missing)}."))
    return signs


def _opposite(question: str, sentence: str, around: str) -> tuple[str, str] | None:
    """A word of the question that the passage lacks while its sentence says the contrary."""
    said, known = set(terms(sentence)), set(terms(around))
    for word in re.findall(r"\w+", question):
        for stem in terms(word):
            if stem not in known and (contrary := opposites_of(stem) & said):
                return word, _spelled(contrary, sentence)
    return None


def _spelled(stems: frozenset[str] | set[str], sentence: str) -> str:
    """The word of the sentence that has one of these stems."""
    return next((word for word in re.findall(r"\w+", sentence) if set(terms(word)) & stems), min(stems))


def _unmentioned(question: str, passages: Sequence[Passage]) -> list[str]:
    """What no passage that was found speaks of."""
    if not passages:
        return ["There is nothing about it in the documents."]
    texts = (f"{p.document_title} {' '.join(p.section_path)} {p.content}" for p in passages)
    known = set(terms(" ".join(texts)))
    words = dict.fromkeys(word for word in re.findall(r"\w[\w’'-]*", question) if terms(word))
    missing = [f"“{word}”" for word in words if not set(terms(word)) & known]
    return [f"No passage mentions {', '.join(missing)}."] if missing else []
