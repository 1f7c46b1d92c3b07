"""`[Source N]` → verified spans of pages.

A sentence keeps a citation only if its passage exists and supports the sentence. Each citation is narrowed to the words
of the page that do. Citations are renumbered as they appear: `[Source 1]` in the answer is `citations[0]`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, takewhile

from knowledge.search.passages import Passage
from language.answer_words import without_leading_yes
from language.clauses import claim_splits
from language.figures.figure_extraction import unsupported_figures
from querying.answering.grounding.conflicts import conflicting_sentences
from querying.answering.grounding.quotations import remove_case_brackets
from querying.answering.grounding.supporting_spans import SupportingSpan, best_span, item_spans, paraphrasing_span
from querying.sanitize import sanitize
from querying.types.answer import Citation

# `[Source 1]`, `[Sources 1 and 2]`, `[source 1, 2]`, `【Source 1】`. Bounded, so linear on hostile text.
_SOURCE_MARK = re.compile(r"[\[【]\s{0,3}sources?\b([^\[\]【】]{0,80})[\]】]", re.IGNORECASE)
_SOURCE_NUMBER = re.compile(r"\d{1,6}")
# "According to Source 2, the cover …": a mark in words. It goes, for sources are numbered anew.
_MARK_IN_WORDS = re.compile(
    r"^\s{0,20}(?:according\s+to|as\s+(?:stated|given|shown)\s+in|per|in)\s+(?:the\s+)?"
    r"sources?\s+(\d{1,3}(?:(?:,\s?|\s+and\s+)\d{1,3}){0,5}),?\s+",
    re.IGNORECASE,
)
_SPACE_BEFORE_STOP = re.compile(r"[ \t]{1,20}([.!?,;:])(?!\w)")
_SPACES = re.compile(r"[ \t]{2,1000}")
_BULLET = re.compile(r"^\s{0,8}[-*+•●▪◦‣–]\s{1,8}")
# The share of a sentence's words that a span must hold to support it …
MIN_SUPPORT = 0.6
# … and to be found as the source of a sentence that names none, or a wrong one.
MIN_SUPPORT_UNCITED = 0.75
# Nobody writes a sentence this long; it is not read.
MAX_CLAIM_CHARACTERS = 4000

SupportingSpans = list[tuple[Passage, SupportingSpan]]


@dataclass(frozen=True, kw_only=True)
class CitedSentence:
    """One sentence after verification. `text` ends with its renumbered `[Source N]` marks."""

    text: str
    claim: str  # the sentence without any mark
    citations: tuple[Citation, ...]
    named: tuple[Passage, ...] = ()  # the passages that it refers to
    real: int  # references to passages that exist
    phantom: int = 0  # references to passages that do not
    begins_line: bool = False
    has_unsupported_number: bool = False
    conflict: CitedSentence | None = None  # what another document says instead, quoted and cited


class CitationVerifier:
    """Verifies sentences one after another and numbers their citations.

    With `finds_conflicts` a cited sentence comes with what another document says instead.
    """

    def __init__(self, passages: Sequence[Passage], *, finds_conflicts: bool = True) -> None:
        self._passages = passages
        self._finds_conflicts = finds_conflicts
        self._by_span: dict[tuple[int, int, int], Citation] = {}

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Every citation so far, by number."""
        return tuple(self._by_span.values())

    def cite(self, sentence: str) -> CitedSentence:
        """Verify one sentence. A mark that points at nothing, or at what does not support it, is removed."""
        claim = sanitize(without_marks(sentence))
        numbers = referenced_numbers(sentence)
        existing = [number for number in numbers if 1 <= number <= len(self._passages)]
        named = [self._passages[number - 1] for number in dict.fromkeys(existing)]
        found = self._verified_spans(claim, named)
        citations = tuple(dict.fromkeys(self._register_span(passage, span) for passage, span in found))
        return CitedSentence(
            text=_append_marks(claim, citations),
            claim=claim,
            begins_line="\n" in sentence[: len(sentence) - len(sentence.lstrip())],
            citations=citations,
            named=tuple(named),
            real=len(existing),
            phantom=len(numbers) - len(existing),
            has_unsupported_number=bool(named)
            and not citations
            and all(unsupported_figures(claim, passage.content) for passage in named),
            conflict=self._conflict(citations) if self._finds_conflicts else None,
        )

    def _verified_spans(self, claim: str, named: Sequence[Passage]) -> SupportingSpans:
        """The spans of the named passages that support the claim. Where none does, that of the one passage that clearly
        does."""
        if len(claim) > MAX_CLAIM_CHARACTERS:
            return []
        claim = without_leading_yes(remove_case_brackets(claim))
        if found := _supporting_spans(claim, named) or _spans_by_part(claim, named):
            return found
        elsewhere = _best_spans(claim, self._passages, least=MIN_SUPPORT_UNCITED)
        return [max(elsewhere, key=lambda pair: pair[1].support)] if elsewhere else []

    def _register_span(self, passage: Passage, span: SupportingSpan) -> Citation:
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

    def _conflict(self, citations: Sequence[Citation]) -> CitedSentence | None:
        """The first sentence of another document that contradicts what is cited."""
        for cited in citations:
            places = conflicting_sentences(cited.excerpt, source=cited.passage, passages=self._passages)
            for passage, start, end in places:
                citation = self._register_span(passage, SupportingSpan(start=start, end=end, support=1.0))
                if citation not in citations:
                    return _contradicting_sentence(citation)
        return None


def _supporting_spans(claim: str, passages: Sequence[Passage]) -> SupportingSpans:
    """The spans with the claim's words, or those of a list's items with the line that leads in to them; where there are
    none, a span that says the same in other words."""
    if found := _best_spans(claim, passages, least=MIN_SUPPORT) or _spans_of_list_items(claim, passages):
        return found
    nearest = paraphrasing_span(claim, passages)
    return [nearest] if nearest else []


def _best_spans(claim: str, passages: Sequence[Passage], *, least: float) -> SupportingSpans:
    spans = ((passage, best_span(claim, passage, least=least)) for passage in passages)
    return [(passage, span) for passage, span in spans if span]


def _spans_of_list_items(claim: str, passages: Sequence[Passage]) -> SupportingSpans:
    quoted = ((passage, item_spans(claim, passage)) for passage in passages)
    return [(passage, span) for passage, spans in quoted for span in spans]


def _spans_by_part(claim: str, passages: Sequence[Passage]) -> SupportingSpans:
    """The spans for each statement of a sentence that joins several; none unless every statement has some."""
    for parts in claim_splits(claim):
        found = list(takewhile(bool, (_supporting_spans(part, passages) for part in parts)))
        if len(found) == len(parts):
            return list(chain.from_iterable(found))
    return []


def _contradicting_sentence(citation: Citation) -> CitedSentence:
    quoted = _BULLET.sub("", sanitize(without_marks(" ".join(citation.excerpt.split()))))
    claim = f"Another source says otherwise: {quoted}"
    return CitedSentence(text=_append_marks(claim, [citation]), claim=claim, citations=(citation,), real=1)


def referenced_numbers(text: str) -> list[int]:
    """The N of every `[Source N]`, in order, with repeats."""
    marks = [match.group(1) for match in (_MARK_IN_WORDS.match(text), *_SOURCE_MARK.finditer(text)) if match]
    return [int(number) for mark in marks for number in _SOURCE_NUMBER.findall(mark)]


def without_marks(text: str) -> str:
    bare = _SPACES.sub(" ", _SOURCE_MARK.sub("", text))
    if mark := _MARK_IN_WORDS.match(bare):
        rest = bare[mark.end() :]
        bare = rest[:1].upper() + rest[1:]
    return _SPACE_BEFORE_STOP.sub(r"\1", bare).strip()


def _append_marks(claim: str, citations: Sequence[Citation]) -> str:
    if not citations:
        return claim
    marks = " ".join(f"[Source {citation.number}]" for citation in sorted(citations, key=lambda c: c.number))
    body, stop = (claim[:-1], claim[-1]) if claim[-1:] in (".", "!", "?", ":") else (claim, "")
    return f"{body} {marks}{stop}"
