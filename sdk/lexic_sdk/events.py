"""What a stream consists of: statuses and pieces of text, then either the whole answer or an error."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from lexic_sdk import errors, normalise
from lexic_sdk.errors import string_field
from lexic_sdk.results import Answer, Citation, Confidence, DecisionStep, Raw


@dataclass(frozen=True, kw_only=True)
class StatusEvent:
    """A step has begun: planning, searching_kb, kb_results, decision_tree, generating, verifying. `message` is for
    people."""

    type: ClassVar[Literal["status"]] = "status"
    status: str
    message: str = ""
    raw: Raw = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class DeltaEvent:
    """The next piece of the answer's text. All of them together are the answer."""

    type: ClassVar[Literal["delta"]] = "delta"
    text: str
    raw: Raw = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, kw_only=True)
class DoneEvent:
    """The last event of an answer, with all of it."""

    type: ClassVar[Literal["done"]] = "done"
    result: Answer
    raw: Raw = field(default_factory=dict, repr=False, compare=False)

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
class ErrorEvent:
    """The last event of a stream that failed after it had begun."""

    type: ClassVar[Literal["error"]] = "error"
    error: str
    code: str = "error"
    hint: str = ""
    raw: Raw = field(default_factory=dict, repr=False, compare=False)
    request_id: str | None = field(default=None, compare=False)

    def as_exception(self) -> errors.LexicError:
        return errors.from_event(error=self.error, code=self.code, hint=self.hint, request_id=self.request_id)


Event = StatusEvent | DeltaEvent | DoneEvent | ErrorEvent


def parse_event(data: str, *, request: Raw | None = None) -> Event | None:
    """The event that this data stands for; None for data that is no event, or a kind that only later servers send."""
    try:
        fields = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return event_from_json(fields, request=request) if isinstance(fields, dict) else None


def event_from_json(fields: dict[str, Any], *, request: Raw | None = None) -> Event | None:
    """The same for data that is JSON already."""
    kind = fields.get("type")
    if kind == "status":
        return StatusEvent(status=string_field(fields, "status"), message=string_field(fields, "message"), raw=fields)
    if kind == "delta":
        text = fields.get("text")
        return DeltaEvent(text=text if isinstance(text, str) else "", raw=fields)
    if kind == "done":
        return done_event(fields, request=request)
    if kind == "error":
        return ErrorEvent(
            error=string_field(fields, "error") or "The stream failed.",
            code=string_field(fields, "code") or "error",
            hint=string_field(fields, "hint"),
            raw=fields,
        )
    return None


def done_event(fields: Any, *, request: Raw | None = None) -> DoneEvent:
    result = normalise.answer(fields, request=request)
    return DoneEvent(result=result, raw=result.raw)
