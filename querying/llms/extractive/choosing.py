"""Which sentences answer: mostly one, and a further one only where it adds to it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from knowledge.chunking import title_path
from querying.llms.extractive import tables
from querying.llms.extractive.neighbours import Neighbours
from querying.llms.extractive.statements import is_cut_off, is_statement, leads_in
from querying.types import Evidence, Sentence
from querying.verify.generic import content

MOST_SENTENCES = 3
# What the words themselves add to a sentence's score: its share of the question's, the rarer ones counting more …
_SHARED_WORDS = 0.05
# … and a figure where one is asked for.
_ASKED_FIGURE = 0.02
# … and the share of the headers of a table's row, which was scored without them …
_HEADERS = 0.3
# … less this where a page cuts it in two, or where it leads in to what stands on the next.
_FRAGMENT = 0.03
# A further sentence must come this close to the best one and say this share of the question's words that the ones
# before do not; or be as good as the best, as far as scores can tell.
_CLOSE, _ADDS = 0.88, 0.2
_EQUAL = 0.96

_SEVERAL = re.compile(
    r"\b(?:and|both|each|list|steps?|stages?|ways|types|kinds|examples|differen(?:t|ces?)|compared?|versus|vs"
    r"|advantages|benefits|requirements|conditions|reasons|what\s+(?:\w+\s+){0,3}are|which\s+(?:\w+\s+){1,4}are)\b",
    re.IGNORECASE,
)
_FIGURE_ASKED = re.compile(
    r"\bhow\s+(?:many|much|long|old|far|often|large|big|high|tall|fast|thick|deep)\b|\bwhen\b|\bm(?:in|ax)imum\b"
    r"|\bwhat\s+(?:percentage|percent|number|year|age)\b",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Candidate:
    """A sentence that can stand as an answer, and how well it does."""

    sentence: Sentence
    standing: float


def ranked(question: str, evidence: Evidence) -> list[Candidate]:
    """The sentences that can stand as an answer, best first."""
    weights = _weights(question, evidence)
    asks_for_figure = _FIGURE_ASKED.search(question) is not None
    neighbours = Neighbours(evidence)
    found = []
    for sentence in evidence.sentences:
        if is_statement(sentence.text) and not tables.is_header(sentence, neighbours):
            bonus = _shared(weights, sentence, neighbours)
            bonus += _ASKED_FIGURE * (asks_for_figure and _FIGURE.search(sentence.text) is not None)
            bonus -= _FRAGMENT * (is_cut_off(sentence.text) or _announces_nothing(sentence, neighbours))
            found.append(Candidate(sentence, sentence.score + bonus))
    return sorted(found, key=lambda one: (-one.standing, one.sentence.source, one.sentence.start))


def _announces_nothing(sentence: Sentence, neighbours: Neighbours) -> bool:
    """A line that leads in to what stands on another page."""
    return leads_in(sentence.text) and neighbours.after(sentence) is None


def _weights(question: str, evidence: Evidence) -> dict[str, float]:
    """The question's words, each by how few of the sentences have it."""
    said = [content(sentence.text) for sentence in evidence.sentences]
    return {
        word: math.log(1 + len(said) / (1 + sum(word in words for words in said))) for word in content(question)
    }


def _shared(weights: Mapping[str, float], sentence: Sentence, neighbours: Neighbours) -> float:
    """For the words that it shares with the question. A row's headers are words of it, which its score lacks."""
    alone = _share(weights, sentence.text)
    header = tables.header_of(sentence, neighbours)
    named = _share(weights, f"{header.text} {sentence.text}") - alone if header else 0.0
    return _SHARED_WORDS * alone + _HEADERS * named


def _share(weights: Mapping[str, float], text: str) -> float:
    known, total = content(text), sum(weights.values())
    return sum(weight for word, weight in weights.items() if word in known) / total if total else 0.0


def choose(question: str, evidence: Evidence, *, first: Sentence | None = None) -> list[Sentence]:
    """The best sentence (or the one that must come first), then those that add to it; empty where none can stand."""
    candidates = ranked(question, evidence)
    if not (candidates or first):
        return []
    best = candidates[0].standing if candidates else 0.0
    chosen = [first or candidates[0].sentence]
    for candidate in candidates:
        if len(chosen) == MOST_SENTENCES or candidate.standing < _CLOSE * best:
            break
        if any(says_the_same(candidate.sentence.text, other.text) for other in chosen):
            continue
        if candidate.standing >= _EQUAL * best or _adds(candidate.sentence, chosen, question, evidence):
            chosen.append(candidate.sentence)
    return chosen


def _adds(sentence: Sentence, chosen: Sequence[Sentence], question: str, evidence: Evidence) -> bool:
    """Whether it speaks of much that the question names and the others leave out."""
    asked = content(question)
    said = frozenset().union(*(content(other.text) for other in chosen), _titles(evidence))
    return len((asked - said) & content(sentence.text)) >= max(1.0, _ADDS * len(asked))


def _titles(evidence: Evidence) -> frozenset[str]:
    """Words of the title that all share say nothing of their own."""
    first = evidence.passages[0]
    return content(title_path(first.document_title, first.section_path))


def asks_for_several(question: str) -> bool:
    return _SEVERAL.search(question) is not None


def says_the_same(one: str, other: str) -> bool:
    """Chunks overlap and documents repeat themselves: the same words need no second quotation."""
    mine, theirs = set(one.lower().split()), set(other.lower().split())
    return len(mine & theirs) >= 0.8 * min(len(mine), len(theirs))
