"""The values a query passes through. They know nothing of storage or HTTP."""

from __future__ import annotations

import enum
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from django.conf import settings

from knowledge.code_location import FilePlace
from knowledge.search.filters import Filters
from knowledge.search.passages import Passage
from knowledge.search.revision_statistics import BaseRevision
from knowledge.search.wording import ENGLISH_WORDING, Wording
from lexic.errors import LexicError
from lexic.phrases import phrase
from plugins.models import PluginKind, Release
from querying.redaction.redact_question import redact_question

if TYPE_CHECKING:  # it works out units from long lists, which nobody needs before the first question
    from querying.field_schema import ObjectSchema

# The wording of an expert's refusal, fixed by the first specification.
REFUSAL = phrase(
    "I don't have verified information on this topic in my knowledge base. Please consult a qualified professional."
)
# No professional knows somebody's code: the files that came nearest are named beside the refusal.
LIBRARY_REFUSAL = phrase(
    "I don't have verified information on this topic in my knowledge base. "
    "Please look at the nearest files, or ask the people who maintain the code."
)
REFUSALS = {PluginKind.EXPERT: REFUSAL, PluginKind.LIBRARY: LIBRARY_REFUSAL}

# What an expert's tree recommends is said as the expert's.
RECOMMENDATION_LEAD = phrase("The expert recommends:")
# Where the person does not know what the tree asks.
OUTCOMES_LEAD = phrase("The expert's recommendation depends on the answer:")
# What we say ourselves at the beginning of a text that quotes sources.
OPENING_LINES = (RECOMMENDATION_LEAD, OUTCOMES_LEAD)

# In mandatory mode, evidence weaker than this is not answered from. A plugin may set its own threshold.
SUFFICIENCY_THRESHOLD = 0.45


def refusal_text(release: Release) -> str:
    """How the plugin of the release says that its documents do not answer."""
    return REFUSALS[PluginKind(release.plugin.kind)]


class Outcome(enum.StrEnum):
    ANSWERED = "answered"
    REFUSED = "refused"
    CLARIFY = "clarify"
    FAILED = "failed"
    ABANDONED = "abandoned"
    FOUND = "found"  # it was searched for, and nothing was to be written


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
class PeerStatement:
    """A verified sentence of what another expert has answered to the same question. Whoever asks may see it."""

    expert: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Options:
    citation_style: CitationStyle = CitationStyle.INLINE
    include_citations: bool | None = None  # None: yes, unless the style is "off"
    include_decision_path: bool = True
    max_sources: int | None = None
    filters: Filters | None = None
    timezone: str = "UTC"  # the caller's, for "today" and "last week"


@dataclass(frozen=True, kw_only=True)
class Caller:
    """Who asks: a key, a person in the sandbox, or a visitor. `name` binds follow-up tokens to them. No webhook is sent
    for a question of an evaluation. A public caller never reads what is not public. `visitor` stands for the address of
    one (`accounts.visitors.visitor_id`)."""

    name: str
    api_key_id: uuid.UUID | None = None
    user_id: uuid.UUID | None = None
    is_evaluation: bool = False
    is_public_caller: bool = False
    visitor: str = ""


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is asked of a release. `layers` are private knowledge bases of the caller's, which are read besides.

    `peers` is what other plugins have said of it: material for a model, and never stored with the question, whose row
    the people of this plugin may read.

    A private question is nobody's business but its caller's: its query row names no plugin, so that the plugin's people
    see neither words nor counts. Whoever asks in a private place says so, also where no layer can be read today; a
    question with layers is always private. `conversation_id` is the private conversation whose deletion takes the row.
    """

    text: str
    release: Release
    caller: Caller
    context: tuple[Turn, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    options: Options = field(default_factory=Options)
    layers: tuple[BaseRevision, ...] = ()
    is_private: bool = False
    conversation_id: uuid.UUID | None = None
    peers: tuple[PeerStatement, ...] = ()
    schema: ObjectSchema | None = None  # of the caller: it is filled, and no text is written
    id: uuid.UUID = field(default_factory=uuid.uuid4)

    def __post_init__(self) -> None:
        if self.layers and not self.is_private:
            object.__setattr__(self, "is_private", True)
        if settings.REDACT_QUESTIONS:
            self._redact()

    def _redact(self) -> None:
        """Redacts the words first, so that nothing that is found, written or stored has them."""
        turns = tuple(replace(turn, content=redact_question(turn.content)) for turn in self.context)
        object.__setattr__(self, "text", redact_question(self.text))
        object.__setattr__(self, "context", turns)
        object.__setattr__(self, "facts", redact_question(dict(self.facts)))

    @property
    def earlier_user_turns(self) -> list[str]:
        return [turn.content for turn in self.context if turn.role == "user"]


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Tokens, as the provider counted them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def total(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: Usage) -> Usage:
        read = self.prompt_tokens + other.prompt_tokens
        written = self.completion_tokens + other.completion_tokens
        return Usage(prompt_tokens=read, completion_tokens=written)


@dataclass(frozen=True, kw_only=True)
class RangeMatch:
    """How the ranges and bounds of a sentence fit the quantities of a question.

    `included` are the stems of those that lie in one; `excluded` those of numbers that lie in none, though another
    sentence has one for them. `numbers` are the values that are included, plainly, and `wording` is the question with
    the ranges in their place; empty where none is.
    """

    included: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()
    numbers: frozenset[str] = frozenset()
    wording: str = ""


NO_RANGE_MATCH = RangeMatch()


@dataclass(frozen=True, kw_only=True)
class TableCell:
    """The cell of a row that is asked for: the head of its column, what it says, and both with the row's name and the
    table's caption as a sentence."""

    head: str
    value: str
    wording: str


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """A sentence of a passage, `passages[source].content[start:end]`, how well it answers, 0 to 1, and how well it
    matches the word of the question that it matches least, 0 to 1.

    `strength` is that of evidence by this sentence alone, of which titles are no part; `ranges` says which of the
    question's quantities it has a range for; `header` is the header row of a row of a Markdown table; `cell` is the
    cell of a row that is asked for, where one fits.
    """

    source: int  # index into the passages that were read
    start: int
    end: int
    text: str
    score: float
    weakest: float = 1.0
    strength: float = 1.0
    ranges: RangeMatch = NO_RANGE_MATCH
    header: str = ""
    cell: TableCell | None = None


@dataclass(frozen=True, kw_only=True)
class SubQuestion:
    """One of several questions in a text, and all sentences, best first, by how well each answers this one."""

    text: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, kw_only=True)
class ListPart:
    """What one page has of a list: spans (start, end) of `passages[source].content`. `before` are the sentences right
    above the first item; the items follow them with nothing in between."""

    source: int
    items: tuple[tuple[int, int], ...]
    before: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, kw_only=True)
class SectionList:
    """The list that a question asks for as a whole, such as the steps of a procedure. `left_out` is how many items are
    too many to be quoted, and `rest` the passage that the first of these stands in. `is_one_of_several` says that
    other lists are as near to the question."""

    parts: tuple[ListPart, ...]
    left_out: int = 0
    rest: Passage | None = None
    is_one_of_several: bool = False


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What was found for a question: the passages, their sentences (best first), and the strength of the best one.

    `labels` has the labels of documents as text, for plugins whose model may use them. `answer_probability` is what the
    cross-encoder says of the best sentence, 0 to 1; None where it read nothing. `sub_questions` is empty where one
    thing is asked. `wording` has the language in which was searched. `section_list` is the list that is asked for."""

    passages: tuple[Passage, ...]
    sentences: tuple[Sentence, ...]
    strength: float
    answer_probability: float | None = None
    sub_questions: tuple[SubQuestion, ...] = ()
    labels: Mapping[uuid.UUID, str] = field(default_factory=dict, compare=False)
    wording: Wording = ENGLISH_WORDING
    section_list: SectionList | None = None


@dataclass(frozen=True, kw_only=True)
class ConfidenceSignals:
    """What the confidence of an answer is computed from. `score` was compared with the threshold; `lead` is how far the
    best sentence is ahead of the best one of another passage (0 or more); `agreement` is how many of the two searches,
    by words and by meaning, put the passage of the best sentence first; `has_signs` is whether something contradicts
    the question; `weakest` is how well the best sentence matches the word of the question that it matches least;
    `answer_probability` is what the cross-encoder says of that sentence; `lag` is how much stronger the evidence is by
    another sentence, which says more of the question itself, and less in its titles (0 or more)."""

    score: float
    lead: float = 0.0
    agreement: int = 0
    has_signs: bool = False
    weakest: float = 1.0
    answer_probability: float = 1.0
    lag: float = 0.0


@dataclass(frozen=True, kw_only=True)
class ConfidenceBasis:
    """How sure the evidence makes an answer, before it is written. `probability` is the chance that it is right,
    calibrated on the plugin's golden questions; None without a calibration: then `level` follows a rule."""

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
    support: Sentence | None = None  # what bears the recommendation out, for an answerer that quotes


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
    """A sentence that nobody got to see, because no source supports it. `passages` are those that it names, or all that
    were read where it names none; `cites_unknown` says that it names only sources that do not exist."""

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
    usage: Usage = Usage()
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


# --- Events: what the pipeline yields, and every interface encodes ------------------------------------------------


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
    """More of the answer's text, and the citations that stand in it, where its writer cites as it goes."""

    text: str
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Done:
    answer: Answer


@dataclass(frozen=True, kw_only=True)
class Failed:
    """An error, as the last event. `retry_after`: seconds until the same question may be answered, where that is
    known."""

    error: str
    code: str
    hint: str
    status: int
    retry_after: int | None = None

    @classmethod
    def from_error(cls, error: LexicError) -> Failed:
        wait: int | None = getattr(error, "retry_after", None)
        return cls(error=error.message, code=error.code, hint=error.hint, status=error.status, retry_after=wait)


class AnswerFailed(LexicError):
    """The answer could not be made."""

    def __init__(self, failed: Failed) -> None:
        super().__init__(failed.error, code=failed.code, hint=failed.hint)
        self.status, self.retry_after = failed.status, failed.retry_after


Event = Status | Delta | Done | Failed
