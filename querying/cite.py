"""`[Source N]` → verified spans of pages.

A sentence keeps only citations whose passage exists and bears it out; each is narrowed to the words of the page
that do. Citations are renumbered as they appear, so that `[Source 1]` in the answer is `citations[0]`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.search import Passage
from querying.plain import plain
from querying.types import Citation
from querying.verify.clauses import splittings
from querying.verify.conflicts import conflicting_sentences
from querying.verify.quantities import unsupported_numbers
from querying.verify.quotes import unbracketed
from querying.verify.spans import Span, best_span, nearest_span

# `[Source 1]`, `[Sources 1 and 2]`, `[source 1, 2]`, `【Source 1】`. Bounded, so linear on hostile text.
_MARK = re.compile(r"[\[【]\s{0,3}sources?\b([^\[\]【】]{0,80})[\]】]", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,6}")
# "According to Source 2, the cover …": a mark in words. It goes, for sources are numbered anew.
_SAID = re.compile(
    r"^\s{0,20}(?:according\s+to|as\s+(?:stated|given|shown)\s+in|per|in)\s+(?:the\s+)?"
    r"sources?\s+(\d{1,3}(?:(?:,\s?|\s+and\s+)\d{1,3}){0,5}),?\s+",
    re.IGNORECASE,
)
_SPACE_BEFORE_STOP = re.compile(r"[ \t]{1,20}([.!?,;:])(?!\w)")
_SPACES = re.compile(r"[ \t]{2,1000}")
_BULLET = re.compile(r"^\s{0,8}[-*+•●▪◦‣–]\s{1,8}")
# The share of a sentence's words that a span must hold to bear it out …
SUPPORT = 0.6
# … and to be found as the source of a sentence that names none, or a wrong one.
SUPPORT_UNNAMED = 0.75
# Nobody writes a sentence this long; it is not read.
LONGEST_CLAIM = 4000

Found = list[tuple[Passage, Span]]


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


class Citer:
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
        claim = plain(without_marks(sentence))
        existing = [number for number in dict.fromkeys(named) if 1 <= number <= len(self._passages)]
        found = self._verified(claim, existing)
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
            conflict=self._conflict(citations) if self._finds_conflicts else None,
        )

    def _verified(self, claim: str, existing: Sequence[int]) -> Found:
        if len(claim) > LONGEST_CLAIM:
            return []
        claim = unbracketed(claim)
        named = [self._passages[number - 1] for number in existing]
        return _borne_out(claim, named) or _in_parts(claim, named) or self._elsewhere(claim)

    def _elsewhere(self, claim: str) -> Found:
        """The passage that plainly bears out a sentence whose own marks do not."""
        spans = ((passage, best_span(claim, passage, least=SUPPORT_UNNAMED)) for passage in self._passages)
        found = [(passage, span) for passage, span in spans if span]
        return [max(found, key=lambda pair: pair[1].support)] if found else []

    def _registered(self, passage: Passage, span: Span) -> Citation:
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
        return all(unsupported_numbers(claim, content) for content in passages)

    def _conflict(self, citations: Sequence[Citation]) -> CitedSentence | None:
        """The first sentence of another document that contradicts what is cited."""
        for cited in citations:
            places = conflicting_sentences(cited.excerpt, source=cited.passage, passages=self._passages)
            for passage, start, end in places:
                citation = self._registered(passage, Span(start=start, end=end, support=1.0))
                if citation not in citations:
                    return _contradiction(citation)
        return None


def _borne_out(claim: str, passages: Sequence[Passage]) -> Found:
    """Where the words do; where none do, what says the same in other words."""
    spans = ((passage, best_span(claim, passage, least=SUPPORT)) for passage in passages)
    found = [(passage, span) for passage, span in spans if span]
    if not found and (nearest := nearest_span(claim, passages)):
        return [nearest]
    return found


def _in_parts(claim: str, passages: Sequence[Passage]) -> Found:
    """A sentence that puts several together, each part with its own source."""
    for parts in splittings(claim):
        found: Found = []
        for part in parts:
            pieces = _borne_out(part, passages)
            found += pieces
            if not pieces:
                break
        else:
            return found
    return []


def _contradiction(citation: Citation) -> CitedSentence:
    said = _BULLET.sub("", plain(without_marks(" ".join(citation.excerpt.split()))))
    claim = f"Another source says otherwise: {said}"
    return CitedSentence(
        text=_with_marks(claim, [citation]),
        claim=claim,
        begins_line=False,
        citations=(citation,),
        real=1,
        phantom=0,
        has_unsupported_number=False,
    )


def referenced_numbers(text: str) -> list[int]:
    """The N of every `[Source N]`, in order, with repeats."""
    marks = [match.group(1) for match in (_SAID.match(text), *_MARK.finditer(text)) if match]
    return [int(number) for mark in marks for number in _NUMBER.findall(mark)]


def without_marks(text: str) -> str:
    bare = _SPACES.sub(" ", _MARK.sub("", text))
    if said := _SAID.match(bare):
        rest = bare[said.end() :]
        bare = rest[:1].upper() + rest[1:]
    return _SPACE_BEFORE_STOP.sub(r"\1", bare).strip()


def _with_marks(claim: str, citations: Sequence[Citation]) -> str:
    if not citations:
        return claim
    marks = " ".join(f"[Source {citation.number}]" for citation in sorted(citations, key=lambda c: c.number))
    body, stop = (claim[:-1], claim[-1]) if claim[-1:] in (".", "!", "?", ":") else (claim, "")
    return f"{body} {marks}{stop}"
