"""What a stream consists of: statuses and pieces of text, then either the whole answer or an error."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Literal, TypeVar

from lexic_sdk import errors, normalise
from lexic_sdk.errors import string_field
from lexic_sdk.results import Answer, Citation, Confidence, DecisionStep, Raw

ResultT = TypeVar("ResultT")


@dataclass(frozen=True, kw_only=True)
class StreamEvent:
    """What every event has: `raw` is what the server sent."""

    raw: Raw = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class StatusEvent(StreamEvent):
    """A step has begun: planning, searching_kb, kb_results, decision_tree, generating, verifying; in a room settled,
    synthesizing; in a review segmented. `message` is for people."""

    type: ClassVar[Literal["status"]] = "status"
    status: str
    message: str = ""


@dataclass(frozen=True, kw_only=True)
class DeltaEvent(StreamEvent):
    """The next piece of the answer's text. All of them together are the answer."""

    type: ClassVar[Literal["delta"]] = "delta"
    text: str


@dataclass(frozen=True, kw_only=True)
class FinalEvent(StreamEvent, Generic[ResultT]):
    """The last event of a stream that came to its end, with all of what it came to."""

    type: ClassVar[Literal["done"]] = "done"
    result: ResultT


@dataclass(frozen=True, kw_only=True)
class DoneEvent(FinalEvent[Answer]):
    """The last event of an answer, with all of it."""

    @property
    def answer(self) -> str:
        return self.result.answer

    @property
    def citations(self) -> list[Citation]:
        return self.result.citations

    @property
    def decision_path(self) -> list[DecisionStep]:
        return self.result.decision_path

    @property
    def confidence(self) -> Confidence:
        return self.result.confidence

    @property
    def plugin_version(self) -> str:
        return self.result.plugin_version


@dataclass(frozen=True, kw_only=True)
class ErrorEvent(StreamEvent):
    """The last event of a stream that failed after it had begun."""

    type: ClassVar[Literal["error"]] = "error"
    error: str
    code: str = "error"
    hint: str = ""
    request_id: str | None = field(default=None, compare=False)

    def as_exception(self) -> errors.LexicError:
        return errors.from_event(error=self.error, code=self.code, hint=self.hint, request_id=self.request_id)


Event = StatusEvent | DeltaEvent | DoneEvent | ErrorEvent


def parse_fields(data: str) -> Raw | None:
    """The JSON object that this data of a stream holds; None for data that holds none."""
    try:
        fields = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None


def event_from_json(fields: Raw, request: Raw | None = None) -> Event | None:
    """One event of an answer; None for a kind that only later servers send."""
    kind = fields.get("type")
    if kind == "delta":
        text = fields.get("text")
        return DeltaEvent(text=text if isinstance(text, str) else "", raw=fields)
    if kind == "done":
        return done_event(fields, request)
    return status_or_error(fields)


def status_or_error(fields: Raw) -> StatusEvent | ErrorEvent | None:
    """The two kinds of events that every stream has; None for any other."""
    kind = fields.get("type")
    if kind == "status":
        return StatusEvent(status=string_field(fields, "status"), message=string_field(fields, "message"), raw=fields)
    if kind == "error":
        return ErrorEvent(
            error=string_field(fields, "error") or "The stream failed.",
            code=string_field(fields, "code") or "error",
            hint=string_field(fields, "hint"),
            raw=fields,
        )
    return None


def done_event(fields: Any, request: Raw | None = None) -> DoneEvent:
    result = normalise.answer(fields, request=request)
    return DoneEvent(result=result, raw=result.raw)
