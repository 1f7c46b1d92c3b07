"""`[Source N]` → verified spans of pages.

A sentence keeps only citations whose passage exists and bears it out; each is narrowed to the words of the page
that do. Citations are renumbered as they appear, so that `[Source 1]` in the answer is `citations[0]`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.search.hybrid import Passage
from language.clauses import claim_splits
from language.figures.figure_extraction import unsupported_figures
from querying.answering.grounding.conflicts import conflicting_sentences
from querying.answering.grounding.quotations import remove_case_brackets
from querying.answering.grounding.supporting_spans import SupportingSpan, best_span, paraphrasing_span
from querying.sanitize import sanitize
from querying.types import Citation

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
# The share of a sentence's words that a span must hold to bear it out …
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
    begins_line: bool
    citations: tuple[Citation, ...]
    real: int  # references to passages that exist
    phantom: int  # references to passages that do not
    has_unsupported_number: bool
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
        """Verify one sentence. A mark that points at nothing, or at what does not bear it out, is removed."""
        named = referenced_numbers(sentence)
        claim = sanitize(without_marks(sentence))
        existing = [number for number in dict.fromkeys(named) if 1 <= number <= len(self._passages)]
        found = self._verified_spans(claim, existing)
        citations = tuple(dict.fromkeys(self._register_span(passage, span) for passage, span in found))
        real = sum(1 for number in named if 1 <= number <= len(self._passages))
        return CitedSentence(
            text=_append_marks(claim, citations),
            claim=claim,
            begins_line="\n" in sentence[: len(sentence) - len(sentence.lstrip())],
            citations=citations,
            real=real,
            phantom=len(named) - real,
            has_unsupported_number=bool(existing) and not citations and self._lacks_numbers(claim, existing),
            conflict=self._conflict(citations) if self._finds_conflicts else None,
        )

    def _verified_spans(self, claim: str, existing: Sequence[int]) -> SupportingSpans:
        if len(claim) > MAX_CLAIM_CHARACTERS:
            return []
        claim = remove_case_brackets(claim)
        named = [self._passages[number - 1] for number in existing]
        return _supporting_spans(claim, named) or _spans_by_part(claim, named) or self._find_elsewhere(claim)

    def _find_elsewhere(self, claim: str) -> SupportingSpans:
        """The passage that plainly bears out a sentence whose own marks do not."""
        spans = ((passage, best_span(claim, passage, least=MIN_SUPPORT_UNCITED)) for passage in self._passages)
        found = [(passage, span) for passage, span in spans if span]
        return [max(found, key=lambda pair: pair[1].support)] if found else []

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

    def _lacks_numbers(self, claim: str, numbers: Sequence[int]) -> bool:
        passages = (self._passages[number - 1].content for number in numbers)
        return all(unsupported_figures(claim, content) for content in passages)

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
    """Where the words do; where none do, what says the same in other words."""
    spans = ((passage, best_span(claim, passage, least=MIN_SUPPORT)) for passage in passages)
    found = [(passage, span) for passage, span in spans if span]
    if not found and (nearest := paraphrasing_span(claim, passages)):
        return [nearest]
    return found


def _spans_by_part(claim: str, passages: Sequence[Passage]) -> SupportingSpans:
    """A sentence that puts several together, each part with its own source."""
    for parts in claim_splits(claim):
        found: SupportingSpans = []
        for part in parts:
            pieces = _supporting_spans(part, passages)
            found += pieces
            if not pieces:
                break
        else:
            return found
    return []


def _contradicting_sentence(citation: Citation) -> CitedSentence:
    said = _BULLET.sub("", sanitize(without_marks(" ".join(citation.excerpt.split()))))
    claim = f"Another source says otherwise: {said}"
    return CitedSentence(
        text=_append_marks(claim, [citation]),
        claim=claim,
        begins_line=False,
        citations=(citation,),
        real=1,
        phantom=0,
        has_unsupported_number=False,
    )


def referenced_numbers(text: str) -> list[int]:
    """The N of every `[Source N]`, in order, with repeats."""
    marks = [match.group(1) for match in (_MARK_IN_WORDS.match(text), *_SOURCE_MARK.finditer(text)) if match]
    return [int(number) for mark in marks for number in _SOURCE_NUMBER.findall(mark)]


def without_marks(text: str) -> str:
    bare = _SPACES.sub(" ", _SOURCE_MARK.sub("", text))
    if said := _MARK_IN_WORDS.match(bare):
        rest = bare[said.end() :]
        bare = rest[:1].upper() + rest[1:]
    return _SPACE_BEFORE_STOP.sub(r"\1", bare).strip()


def _append_marks(claim: str, citations: Sequence[Citation]) -> str:
    if not citations:
        return claim
    marks = " ".join(f"[Source {citation.number}]" for citation in sorted(citations, key=lambda c: c.number))
    body, stop = (claim[:-1], claim[-1]) if claim[-1:] in (".", "!", "?", ":") else (claim, "")
    return f"{body} {marks}{stop}"
