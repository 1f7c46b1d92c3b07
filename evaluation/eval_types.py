"""The values of an evaluation: what is asked and expected, what came, and how each question scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from knowledge.documents.bulk_import import NewText
from querying.types.answer import NearestSibling
from querying.types.confidence import ConfidenceSignals
from querying.types.question import Turn


@dataclass(frozen=True, kw_only=True)
class GoldPlace:
    """A place that answers: a document, and where known its pages (any one is right), words, or a span.

    `start` and `end` count characters of the source file; `text` is what stands there.
    """

    document: str
    pages: frozenset[int] = frozenset()
    text: str = ""
    start: int | None = None


@dataclass(frozen=True, kw_only=True)
class GoldenExpectation:
    """What an expert fixed beyond places: `answer`, `refuse` or `clarify`, words, and a node of the tree."""

    outcome: str = ""
    must_contain: tuple[str, ...] = ()
    must_reach: str = ""


@dataclass(frozen=True, kw_only=True)
class EvalQuestion:
    """A question. `scope` names the only documents it is asked of (None: all of them); `relevant` grades the
    documents for ranking; `item` says which line of a checklist it is, and `label` what people said of it there."""

    id: str
    text: str
    answerable: bool | None = None
    gold: tuple[GoldPlace, ...] = ()
    relevant: Mapping[str, int] = field(default_factory=dict)
    forbidden: frozenset[str] = frozenset()
    scope: tuple[str, ...] | None = None
    turns: tuple[Turn, ...] = ()
    filters: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    item: str = ""
    label: str = ""
    expected: GoldenExpectation | None = None


@dataclass(frozen=True, kw_only=True)
class EvalDataset:
    """A folder of questions over files or over texts (never both), named for the folder."""

    name: str
    questions: tuple[EvalQuestion, ...]
    files: tuple[Path, ...] = ()
    texts: tuple[NewText, ...] = ()
    metadata: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # of files, by name


@dataclass(frozen=True, kw_only=True)
class PageSpan:
    """A stretch of a page: a passage, a sentence or a citation. `page_number` is None where there are no pages."""

    document: UUID
    page_id: int
    page_number: int | None
    start: int
    end: int
    text: str


@dataclass(frozen=True, kw_only=True)
class RetrievalOutcome:
    """What retrieval gave: passages best first, the five best distinct sentences, the evidence's strength, and
    what the gate made of it."""

    passages: tuple[PageSpan, ...]
    sentences: tuple[PageSpan, ...]
    strength: float
    sufficiency_score: float
    passes: bool
    milliseconds: float


@dataclass(frozen=True, kw_only=True)
class PipelineOutcome:
    """What the whole pipeline gave. `statements` has the citations of each sentence of the answer, by position in
    `citations`; `strength`, `sufficiency_score` and `grounds` are None where nothing was weighed, `probability` where
    the plugin has no curve. `nearest` are the sentences that a refusal shows, `about` is the sibling that it names."""

    outcome: str
    strength: float | None
    milliseconds: float
    sufficiency_score: float | None = None
    grounds: ConfidenceSignals | None = None
    probability: float | None = None
    text: str = ""
    confidence: str = ""
    citations: tuple[PageSpan, ...] = ()
    statements: tuple[tuple[int, ...], ...] = ()
    nodes: tuple[str, ...] = ()
    nearest: tuple[PageSpan, ...] = ()
    about: NearestSibling | None = None


@dataclass(frozen=True, kw_only=True)
class QuestionScores:
    """How one question went. `values` holds each metric that applies to it, 0 to 1; what does not apply is absent."""

    id: str
    answerable: bool | None
    values: Mapping[str, float]
    score: float | None  # the one that decides between answer and refusal
    strength: float | None  # that of the evidence alone
    milliseconds: float
    item: str = ""
    document: str = ""
    confidence: str = ""
    recall_curve: tuple[float, ...] = ()
    question: str = ""
    failures: tuple[str, ...] = ()  # of a golden question
    outcome: str = ""  # the pipeline's
    answer: str = ""  # what was answered, of a golden question
    expected: str = ""  # the outcome that a golden question's expert fixed
    probability: float | None = None  # as stated, where the plugin has a curve
    grounds: ConfidenceSignals | None = None  # what the pipeline's confidence went by
    is_discriminating: bool = True  # whether a right answer can be told from a wrong one
