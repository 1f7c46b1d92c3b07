"""What a question gets: an answer, a refusal or a question back, with citations and confidence."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from knowledge.code_location import FilePlace
from knowledge.search.passages import Passage
from querying.types.confidence import Confidence, ConfidenceBasis
from querying.types.token_usage import NO_USAGE, Usage


class Outcome(enum.StrEnum):
    ANSWERED = "answered"
    REFUSED = "refused"
    CLARIFY = "clarify"
    FAILED = "failed"
    ABANDONED = "abandoned"
    FOUND = "found"  # it was searched for, and nothing was to be written


# The reason of an answer to a turn that asks nothing, such as "Thanks".
COURTESY = "courtesy"


@dataclass(frozen=True, kw_only=True)
class Citation:
    """A span of a page that supports a sentence: `page.text[start:end] == excerpt`, checked before it is shown."""

    number: int  # the N of `[Source N]` in the answer, from 1
    passage: Passage
    start: int
    end: int
    excerpt: str
    score: float

    @property
    def span(self) -> tuple[int, int, int]:
        return (self.passage.page_id, self.start, self.end)

    @property
    def has_unsure_number(self) -> bool:
        """Whether OCR has read a number in it differently a second time."""
        return self.passage.has_unsure_number(self.start, self.end)

    @property
    def file_place(self) -> FilePlace | None:
        """The lines of the file that are cited; None where the page is of no repository."""
        return self.passage.file_place(start=self.start, end=self.end)


@dataclass(frozen=True, kw_only=True)
class Clarification:
    """The question that we ask back when a fact is missing."""

    question: str
    options: tuple[str, ...]
    field: str
    token: str = ""


@dataclass(frozen=True, kw_only=True)
class DroppedSentence:
    """A sentence that nobody got to see, because no source supports it. `passages` are those that it cites, or all that
    were read where it cites none. `cites_unknown` says that it cites only sources that do not exist."""

    claim: str
    passages: tuple[Passage, ...]
    cites_unknown: bool = False


@dataclass(frozen=True, kw_only=True)
class FilledField:
    """A field of the caller's schema: its place as a JSON pointer, and its value with the numbers of the citations that
    say it. A number may have a unit, as pint calls it, and a bound (`>=`). `reason` says why there is no value."""

    path: str
    value: Any
    citations: tuple[int, ...] = ()
    unit: str = ""
    bound: str = ""
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class StructuredOutput:
    """The caller's schema, filled. `value` is None where a field that may not be empty is; `unfilled` names those."""

    value: Mapping[str, Any] | None
    fields: tuple[FilledField, ...]
    unfilled: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class NearestSibling:
    """What the nearest passage speaks of in place of what was asked, each in its own words. `passage` is cut to its
    best sentence, and `span` is where its page has the words; None where they are a heading of it."""

    asked: str
    found: str
    passage: Passage
    span: tuple[int, int] | None = None


@dataclass(frozen=True, kw_only=True)
class Answer:
    text: str
    outcome: Outcome
    reason: str = ""
    citations: tuple[Citation, ...] = ()
    decision_path: tuple[Mapping[str, Any], ...] = ()
    confidence: Confidence = Confidence.LOW
    clarification: Clarification | None = None
    usage: Usage = NO_USAGE
    # What the confidence was computed from; None where no evidence was weighed.
    basis: ConfidenceBasis | None = None
    # For a refusal: why, in sentences, and what came nearest.
    why: tuple[str, ...] = ()
    nearest: tuple[Passage, ...] = ()
    # Where the nearest passage is about a sibling of what was asked.
    about: NearestSibling | None = None
    # Pages whose nearest sentence may be given to whoever asked.
    readable_nearest: frozenset[int] = field(default=frozenset(), compare=False)
    # Where the caller sent a schema; the text is its value as JSON then.
    structure: StructuredOutput | None = None
    # How many sentences were written, and those of them that were dropped.
    sentences: int = field(default=0, compare=False)
    dropped: tuple[DroppedSentence, ...] = field(default=(), compare=False)
