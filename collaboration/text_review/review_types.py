"""The values of a review: parts of the text, what is said of them, and what it comes to. They know nothing of HTTP."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from querying.types.answer import Citation
from querying.types.confidence import Confidence
from querying.types.events import Failed

MAX_TEXT_CHARACTERS, MAX_TITLE_CHARACTERS = 100_000, 200
MAX_SEGMENTS, SEGMENTS_IN_BATCH = 200, 10


class Severity(enum.StrEnum):
    """Error: it goes against the documents. Warning: it may. Info: worth knowing, such as what they do not cover."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    PASS = "pass"  # noqa: S105  # no password


class Category(enum.StrEnum):
    NUMBER = "number"
    DUTY = "duty"
    DENIAL = "denial"
    EXCEPTION = "exception"
    STRICTER = "stricter"
    SUPPORTED = "supported"
    WITHIN_LIMIT = "within_limit"
    NOT_COVERED = "not_covered"
    PLAYBOOK = "playbook"


class Compliance(enum.StrEnum):
    COMPLIANT = "compliant"
    PARTIALLY = "partially-compliant"
    NOT = "non-compliant"


@dataclass(frozen=True, kw_only=True)
class Segment:
    """A part of the text, `text[start:end]`: a paragraph, a list item or a heading, or several short ones. `heading` is
    the last one above it."""

    index: int
    start: int
    end: int
    text: str
    heading: str = ""
    is_heading: bool = False


@dataclass(frozen=True, kw_only=True)
class Annotation:
    """What is said of the words `text[start:end]` of a segment. `citations` are numbered from 1 in each annotation."""

    segment: Segment
    start: int
    end: int
    severity: Severity
    category: Category
    issue: str
    suggested_fix: str = ""
    citations: tuple[Citation, ...] = ()
    confidence: Confidence = Confidence.HIGH


@dataclass(frozen=True, kw_only=True)
class ReviewStatus:
    status: str
    message: str


@dataclass(frozen=True, kw_only=True)
class Annotated:
    number: int  # from 0
    annotation: Annotation


@dataclass(frozen=True, kw_only=True)
class BatchCompleted:
    index: int  # from 0
    total: int


@dataclass(frozen=True, kw_only=True)
class ReviewDone:
    segments: tuple[Segment, ...]
    annotations: tuple[Annotation, ...]
    compliance: Compliance
    confidence: Confidence
    latency_ms: int


ReviewEvent = ReviewStatus | Annotated | BatchCompleted | ReviewDone | Failed
