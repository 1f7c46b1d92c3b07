"""The values a query passes through. They know nothing of storage or HTTP."""

from __future__ import annotations

import enum
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from knowledge.search.filters import Filters
from knowledge.search.hybrid import Passage
from plugins.models import Release

# The only wording of a refusal, fixed by the first specification.
REFUSAL = (
    "I don't have verified information on this topic in my knowledge base. Please consult a qualified professional."
)


# Evidence weaker than this is no answer, in mandatory mode; a plugin may set its own.
SUFFICIENCY_THRESHOLD = 0.45


class Outcome(enum.StrEnum):
    ANSWERED = "answered"
    REFUSED = "refused"
    CLARIFY = "clarify"
    FAILED = "failed"
    ABANDONED = "abandoned"


class Confidence(enum.StrEnum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    def step(self, steps: int) -> Confidence:
        """This many levels up (or down), never beyond the ends."""
        levels = list(Confidence)
        return levels[max(0, min(len(levels) - 1, levels.index(self) + steps))]


class CitationStyle(enum.StrEnum):
    """How the caller wants citations shown in the text."""

    INLINE = "inline"
    FOOTNOTE = "footnote"
    OFF = "off"


@dataclass(frozen=True, kw_only=True)
class Turn:
    role: str  # "user" or "assistant"
    content: str


@dataclass(frozen=True, kw_only=True)
class Options:
    citation_style: CitationStyle = CitationStyle.INLINE
    include_citations: bool | None = None  # None: yes, unless the style is "off"
    include_decision_path: bool = True
    max_sources: int | None = None
    filters: Filters | None = None
    timezone: str = "UTC"  # where the asker's days begin


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Who asks: a key, a person in the sandbox, or anybody. `name` binds follow-up tokens to them. A measurement is
    nobody's question: no one is told how it ended. Anybody (`is_anybody`) never reads what is not public."""

    name: str
    api_key_id: uuid.UUID | None = None
    user_id: uuid.UUID | None = None
    is_evaluation: bool = False
    is_public_caller: bool = False


@dataclass(frozen=True, kw_only=True)
class Question:
    text: str
    release: Release
    caller: Caller
    context: tuple[Turn, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    options: Options = field(default_factory=Options)
    id: uuid.UUID = field(default_factory=uuid.uuid4)

    @property
    def earlier_user_turns(self) -> list[str]:
        return [turn.content for turn in self.context if turn.role == "user"]


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Tokens, as the provider counted them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """A sentence of a passage, and how well it answers: `passages[source].content[start:end]`, score 0 to 1."""

    source: int  # index into the passages that were read
    start: int
    end: int
    text: str
    score: float


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What was found for a question: the passages read, their sentences best first, and the strength of the best.

    `labels` says of documents what they are labelled with, in words, where a model may go by that."""

    passages: tuple[Passage, ...]
    sentences: tuple[Sentence, ...]
    strength: float
    labels: Mapping[uuid.UUID, str] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, kw_only=True)
class ConfidenceSignals:
    """What the confidence of an answer goes by. `score` is the one that decided at the gate; `lead` how far the best
    sentence is ahead of the best one elsewhere (0 or more); `agreement` counts, of search by words and search by
    meaning, those whose best passage holds the best sentence; `has_signs`: something contradicts the question."""

    score: float
    lead: float = 0.0
    agreement: int = 0
    has_signs: bool = False


@dataclass(frozen=True, kw_only=True)
class ConfidenceBasis:
    """How sure the evidence makes an answer, before it was written. `probability` is that of being right, as the
    plugin's own golden questions show it; None: there is no such curve, and `level` goes by rule."""

    grounds: ConfidenceSignals
    level: Confidence
    probability: float | None = None

    @property
    def is_calibrated(self) -> bool:
        return self.probability is not None


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """What a language model is given. The extractive answerer reads the values, a chat model the messages."""

    messages: tuple[Mapping[str, str], ...]
    question: str
    evidence: Evidence
    recommendation: str = ""
    decided: str = ""  # the facts that the tree went by, and what it recommends, in words


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


@dataclass(frozen=True, kw_only=True)
class Clarification:
    """The question we ask back when a fact is missing."""

    question: str
    options: tuple[str, ...]
    field: str
    token: str = ""


@dataclass(frozen=True, kw_only=True)
class Answer:
    text: str
    outcome: Outcome
    reason: str = ""
    citations: tuple[Citation, ...] = ()
    decision_path: tuple[Mapping[str, Any], ...] = ()
    confidence: Confidence = Confidence.LOW
    clarification: Clarification | None = None
    usage: Usage = Usage()
    # What the confidence was computed from; None where no evidence was weighed.
    basis: ConfidenceBasis | None = None
    # For a refusal: why, in sentences, and what came nearest.
    why: tuple[str, ...] = ()
    nearest: tuple[Passage, ...] = ()
    # Sentences that were written, and how many of them were dropped because no source bore them out.
    sentences: int = field(default=0, compare=False)
    unproven: int = field(default=0, compare=False)

    def with_usage(self, usage: Usage) -> Answer:
        return replace(self, usage=usage)


# --- Events: what the pipeline yields, and every door encodes ----------------------------------------------


class Step(enum.StrEnum):
    PLANNING = "planning"
    SEARCHING = "searching_kb"
    FOUND = "kb_results"
    TREE = "decision_tree"
    GENERATING = "generating"
    VERIFYING = "verifying"


@dataclass(frozen=True, kw_only=True)
class Status:
    step: Step
    message: str


@dataclass(frozen=True, kw_only=True)
class Delta:
    text: str


@dataclass(frozen=True, kw_only=True)
class Done:
    answer: Answer


@dataclass(frozen=True, kw_only=True)
class Failed:
    error: str
    code: str
    hint: str
    status: int


Event = Status | Delta | Done | Failed
