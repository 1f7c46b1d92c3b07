"""What a streamed review consists of: annotations as they are made, then the whole review or an error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from lexic_sdk import reviews
from lexic_sdk.events import ErrorEvent, FinalEvent, StatusEvent, StreamEvent, status_or_error
from lexic_sdk.normalise import as_mapping, integer_field
from lexic_sdk.results import Raw
from lexic_sdk.reviews import Annotation, DocumentReview


@dataclass(frozen=True, kw_only=True)
class AnnotationEvent(StreamEvent):
    """What is said of some words of the text."""

    type: ClassVar[Literal["annotation"]] = "annotation"
    annotation: Annotation


@dataclass(frozen=True, kw_only=True)
class BatchCompleteEvent(StreamEvent):
    """A part of the text is done: number `batch`, from 0, of `total_batches`."""

    type: ClassVar[Literal["batch_complete"]] = "batch_complete"
    batch: int
    total_batches: int


@dataclass(frozen=True, kw_only=True)
class ReviewDoneEvent(FinalEvent[DocumentReview]):
    """The last event of a review, with all of it."""


ReviewEvent = StatusEvent | AnnotationEvent | BatchCompleteEvent | ReviewDoneEvent | ErrorEvent


def event_from_json(fields: Raw, request: Raw | None = None) -> ReviewEvent | None:
    """One event of a review; None for a kind that only later servers send."""
    match fields.get("type"):
        case "annotation":
            annotation = reviews.annotation(as_mapping(fields.get("annotation")))
            return AnnotationEvent(annotation=annotation, raw=fields)
        case "batch_complete":
            number = integer_field(fields, "batchIndex", minimum=0) or 0
            total = integer_field(fields, "totalBatches", minimum=0) or 0
            return BatchCompleteEvent(batch=number, total_batches=total, raw=fields)
        case "done":
            return done_event(fields)
    return status_or_error(fields)


def done_event(fields: Any, request: Raw | None = None) -> ReviewDoneEvent:
    result = reviews.review(fields)
    return ReviewDoneEvent(result=result, raw=result.raw)
