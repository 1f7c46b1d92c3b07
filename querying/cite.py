"""`[Source N]` → verified spans of pages.

A sentence keeps only citations whose passage exists and bears it out; each is narrowed to the words of the page
that do. Citations are renumbered as they appear, so that `[Source 1]` in the answer is `citations[0]`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from knowledge.search import Passage
from knowledge.sentences import sentence_spans
from knowledge.terms import terms
from querying.negation import denies
from querying.plain import plain
from querying.quantities import unsupported_numbers
from querying.types import Citation

# `[Source 1]`, `[Sources 1 and 2]`, `[source 1, 2]`, `【Source 1】`. Bounded, so linear on hostile text.
_MARK = re.compile(r"[\[【]\s{0,3}sources?\b([^\[\]【】]{0,80})[\]】]", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,6}")
_SPACE_BEFORE_STOP = re.compile(r"[ \t]{1,20}([.!?,;:])")
_SPACES = re.compile(r"[ \t]{2,1000}")

# The share of a sentence's content words that a span must hold to bear it out …
SUPPORT = 0.35
# … and to be found as the source of a sentence that names none, or a wrong one.
SUPPORT_UNNAMED = 0.6


@dataclass(frozen=True, kw_only=True)
class CitedSentence:
    """One sentence after verification. `text` ends with its renumbered `[Source N]` marks."""

    text: str
    claim: str  # the sentence without any mark
    begins_line: bool
    citations: tuple[Citation, ...]
    real: int  # references to passages that exist
    phantom: int  # references to passages that do not
    has_unsupported_number: bool


@dataclass(frozen=True, kw_only=True)
class _Span:
    start: int
    end: int
    support: float


class Citer:
    """Verifies sentences one after another and numbers their citations."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages
        self._by_span: dict[tuple[int, int, int], Citation] = {}

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Every citation so far, by number."""
        return tuple(self._by_span.values())

    def cite(self, sentence: str) -> CitedSentence:
        """Verify one sentence. A mark that points at nothing, or at what does not bear it out, is removed."""
        named = referenced_numbers(sentence)
        claim = plain(without_marks(sentence))
        existing = [number for number in dict.fromkeys(named) if 1 <= number <= len(self._passages)]
        found = [span for number in existing if (span := self._supported(claim, number, SUPPORT))]
        if not found:
            found = self._elsewhere(claim)
        citations = tuple(dict.fromkeys(self._registered(passage, span) for passage, span in found))
        real = sum(1 for number in named if 1 <= number <= len(self._passages))
        return CitedSentence(
            text=_with_marks(claim, citations),
            claim=claim,
            begins_line="\n" in sentence[: len(sentence) - len(sentence.lstrip())],
            citations=citations,
            real=real,
            phantom=len(named) - real,
            has_unsupported_number=bool(existing) and not citations and self._lacks_numbers(claim, existing),
        )

    def _supported(self, claim: str, number: int, least: float) -> tuple[Passage, _Span] | None:
        passage = self._passages[number - 1]
        span = best_span(claim, passage.content)
        return (passage, span) if span and span.support >= least else None

    def _elsewhere(self, claim: str) -> list[tuple[Passage, _Span]]:
        """The passage that bears out a sentence whose own marks do not."""
        candidates = [
            found
            for number in range(1, len(self._passages) + 1)
            if (found := self._supported(claim, number, SUPPORT_UNNAMED))
        ]
        return [max(candidates, key=lambda found: found[1].support)] if candidates else []

    def _registered(self, passage: Passage, span: _Span) -> Citation:
        start, end = passage.start + span.start, passage.start + span.end
        key = (passage.page_id, start, end)
        if key not in self._by_span:
            self._by_span[key] = Citation(
                number=len(self._by_span) + 1,
                passage=passage,
                start=start,
                end=end,
                excerpt=passage.content[span.start : span.end],
                score=round(min(1.0, span.support), 4),
            )
        return self._by_span[key]

    def _lacks_numbers(self, claim: str, numbers: Sequence[int]) -> bool:
        return all(unsupported_numbers(claim, self._passages[number - 1].content) for number in numbers)


def referenced_numbers(text: str) -> list[int]:
    """The N of every `[Source N]`, in order, with repeats."""
    return [int(number) for mark in _MARK.finditer(text) for number in _NUMBER.findall(mark.group(1))]


def without_marks(text: str) -> str:
    bare = _SPACES.sub(" ", _MARK.sub("", text))
    return _SPACE_BEFORE_STOP.sub(r"\1", bare).strip()


def best_span(claim: str, content: str) -> _Span | None:
    """The sentence of the content, or two neighbours, that bears out the claim best.

    None when no span shares a content word, holds the claim's every number, and denies if and only if it does.
    """
    wanted, claim_denies = set(terms(claim)), denies(claim)
    best: _Span | None = None
    for start, end in _candidates(content):
        text = content[start:end]
        support = _support(wanted, text)
        # Of equally good spans the shorter one is the better quotation; the candidates come shortest first.
        is_better = best is None or support > best.support + 0.05
        if is_better and support > 0 and denies(text) == claim_denies and not unsupported_numbers(claim, text):
            best = _Span(start=start, end=end, support=support)
    return best


def _candidates(content: str) -> Iterator[tuple[int, int]]:
    spans = sentence_spans(content)
    yield from spans
    for first, second in pairwise(spans):
        yield (first[0], second[1])


def _support(wanted: set[str], text: str) -> float:
    if not wanted:
        return 0.0
    return len(wanted & set(terms(text))) / len(wanted)


def _with_marks(claim: str, citations: Sequence[Citation]) -> str:
    if not citations:
        return claim
    marks = " ".join(f"[Source {citation.number}]" for citation in sorted(citations, key=lambda c: c.number))
    body, stop = (claim[:-1], claim[-1]) if claim[-1:] in (".", "!", "?", ":") else (claim, "")
    return f"{body} {marks}{stop}"
