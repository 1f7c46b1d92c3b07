"""The values of a collaboration: its experts, what they say, and its result. They know nothing of HTTP."""

from __future__ import annotations

import enum
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from querying.answering.grounding.conflict_types import StatementConflict
from querying.sanitize import sanitize
from querying.types.answer import Answer, Citation, Outcome
from querying.types.confidence import Confidence
from querying.types.events import Failed
from querying.types.question import PeerStatement, Question

MIN_EXPERTS, MAX_EXPERTS, MAX_ROUNDS = 2, 5, 3
# What of one answer the others are told, and what is compared.
MAX_STATEMENTS, MAX_STATEMENT_CHARACTERS = 8, 600


class Mode(enum.StrEnum):
    """Debate: all answer, then each compares the answers of the others with its own documents. Consensus: all answer
    once. Review: the first answers, and the others compare that answer with their documents."""

    DEBATE = "debate"
    CONSENSUS = "consensus"
    REVIEW = "review"


@dataclass(frozen=True, eq=False)
class Expert:
    """A plugin in a collaboration, with the question that it is asked first."""

    question: Question

    @property
    def slug(self) -> str:
        return self.question.release.plugin.slug

    @cached_property
    def name(self) -> str:
        """In one line, whatever its author wrote."""
        return " ".join(sanitize(self.question.release.plugin.name).split()) or self.slug

    @cached_property
    def domain(self) -> str:
        return " ".join(sanitize(self.question.release.plugin.domain).split())

    def ask_again(self, peers: Sequence[PeerStatement] = ()) -> Question:
        """The same question as one more row of the log."""
        return replace(self.question, id=uuid.uuid4(), peers=tuple(peers))


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A verified sentence of an expert's answer, without its marks."""

    expert: Expert
    text: str
    citations: tuple[Citation, ...]

    def as_peer(self) -> PeerStatement:
        return PeerStatement(expert=self.expert.name, text=self.text[:MAX_STATEMENT_CHARACTERS])


class Stance(enum.StrEnum):
    AGREES = "agrees"
    CONTRADICTS = "contradicts"


@dataclass(frozen=True, kw_only=True)
class Reaction:
    """What an expert's own documents say of another's statement. `citations` are its own."""

    statement: Statement
    stance: Stance
    citations: tuple[Citation, ...]
    conflict: StatementConflict | None = None


@dataclass(frozen=True, kw_only=True)
class Response:
    """What an expert says in one round. `failed`: why it could not be asked; the others go on without it."""

    expert: Expert
    question_id: uuid.UUID
    answer: Answer
    revised: bool = False
    note: str = ""
    reactions: tuple[Reaction, ...] = ()
    failed: Failed | None = None

    @property
    def is_answered(self) -> bool:
        return self.failed is None and self.answer.outcome == Outcome.ANSWERED


@dataclass(frozen=True, kw_only=True)
class Round:
    number: int  # from 1
    responses: tuple[Response, ...]


@dataclass(frozen=True, kw_only=True)
class Disagreement:
    """Two statements that do not go together. `resolution` says how a later round ended it; empty: it stands."""

    positions: tuple[Statement, Statement]
    conflict: StatementConflict
    resolution: str = ""


@dataclass(frozen=True, kw_only=True)
class Consensus:
    """What the experts' last words come to. `agreement` goes from 0 to 1; `citations` are of several experts: `owners`
    says whose each one is, by its number."""

    text: str
    outcome: Outcome
    confidence: Confidence
    agreement: float
    citations: tuple[Citation, ...]
    owners: dict[int, Expert]
    disagreements: tuple[Disagreement, ...]
    key_points: tuple[tuple[Expert, tuple[str, ...]], ...]


# --- Events ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class CollaborationStatus:
    status: str
    message: str


@dataclass(frozen=True, kw_only=True)
class ExpertsResolved:
    """`source_counts`: how many documents each of them may answer from for this caller."""

    experts: tuple[Expert, ...]
    source_counts: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class RoundStarted:
    number: int
    total: int


@dataclass(frozen=True, kw_only=True)
class ExpertThinking:
    expert: Expert
    message: str


@dataclass(frozen=True, kw_only=True)
class ExpertResponded:
    number: int
    response: Response


@dataclass(frozen=True, kw_only=True)
class RoundCompleted:
    number: int


@dataclass(frozen=True, kw_only=True)
class CollaborationDone:
    rounds: tuple[Round, ...]
    consensus: Consensus
    latency_ms: int


CollaborationEvent = (
    CollaborationStatus
    | ExpertsResolved
    | RoundStarted
    | ExpertThinking
    | ExpertResponded
    | RoundCompleted
    | CollaborationDone
    | Failed
)
