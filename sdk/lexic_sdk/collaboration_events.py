"""What a streamed room consists of: its rounds and what each plugin says, then everything together or an error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from lexic_sdk import collaborations
from lexic_sdk.collaborations import Collaboration, ExpertResponse
from lexic_sdk.events import ErrorEvent, FinalEvent, StatusEvent, StreamEvent, status_or_error
from lexic_sdk.normalise import integer_field, read_each, string_field
from lexic_sdk.results import Raw


@dataclass(frozen=True, kw_only=True)
class ResolvedExpert:
    """A plugin that takes part. `source_count`: how many documents it may answer you from."""

    slug: str
    name: str
    domain: str
    source_count: int
    has_decision_tree: bool


@dataclass(frozen=True, kw_only=True)
class ExpertsResolvedEvent(StreamEvent):
    """Which plugins take part. It comes first."""

    type: ClassVar[Literal["experts_resolved"]] = "experts_resolved"
    experts: list[ResolvedExpert]


@dataclass(frozen=True, kw_only=True)
class RoundStartEvent(StreamEvent):
    """A round begins. Rounds count from 1; there are at most `total_rounds`."""

    type: ClassVar[Literal["round_start"]] = "round_start"
    round: int
    total_rounds: int


@dataclass(frozen=True, kw_only=True)
class ExpertThinkingEvent(StreamEvent):
    """A plugin is being asked. `message` is for people."""

    type: ClassVar[Literal["expert_thinking"]] = "expert_thinking"
    plugin: str
    name: str
    message: str


@dataclass(frozen=True, kw_only=True)
class ExpertResponseEvent(StreamEvent):
    """What one plugin says in this round."""

    type: ClassVar[Literal["expert_response"]] = "expert_response"
    round: int
    response: ExpertResponse


@dataclass(frozen=True, kw_only=True)
class RoundCompleteEvent(StreamEvent):
    type: ClassVar[Literal["round_complete"]] = "round_complete"
    round: int


@dataclass(frozen=True, kw_only=True)
class CollaborationDoneEvent(FinalEvent[Collaboration]):
    """The last event of a room, with all of it."""


CollaborationEvent = (
    StatusEvent
    | ExpertsResolvedEvent
    | RoundStartEvent
    | ExpertThinkingEvent
    | ExpertResponseEvent
    | RoundCompleteEvent
    | CollaborationDoneEvent
    | ErrorEvent
)


def event_from_json(fields: Raw, request: Raw | None = None) -> CollaborationEvent | None:
    """One event of a room; None for a kind that only later servers send."""
    number = integer_field(fields, "round", minimum=1) or 1
    match fields.get("type"):
        case "experts_resolved":
            return ExpertsResolvedEvent(experts=read_each(fields.get("experts"), _resolved_expert), raw=fields)
        case "round_start":
            total = integer_field(fields, "totalRounds", minimum=1) or number
            return RoundStartEvent(round=number, total_rounds=total, raw=fields)
        case "expert_thinking":
            return ExpertThinkingEvent(
                plugin=string_field(fields, "expert"),
                name=string_field(fields, "expertName"),
                message=string_field(fields, "message"),
                raw=fields,
            )
        case "expert_response":
            # The same as in the whole result, but for the names of two fields.
            names = {"pluginSlug": fields.get("expert"), "pluginName": fields.get("expertName")}
            response = collaborations.expert_response({**fields, **names})
            return ExpertResponseEvent(round=number, response=response, raw=fields)
        case "round_complete":
            return RoundCompleteEvent(round=number, raw=fields)
        case "done":
            return done_event(fields)
    return status_or_error(fields)


def done_event(fields: Any, request: Raw | None = None) -> CollaborationDoneEvent:
    result = collaborations.collaboration(fields)
    return CollaborationDoneEvent(result=result, raw=result.raw)


def _resolved_expert(fields: Raw, *, position: int) -> ResolvedExpert:
    return ResolvedExpert(
        slug=string_field(fields, "slug"),
        name=string_field(fields, "name"),
        domain=string_field(fields, "domain"),
        source_count=integer_field(fields, "sourceCount", minimum=0) or 0,
        has_decision_tree=fields.get("hasDecisionTree") is True,
    )
