"""The bytes of one stream → its events, and what had arrived when it broke off."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from lexic_sdk import collaboration_events, events, review_events
from lexic_sdk.collaboration_events import CollaborationEvent
from lexic_sdk.collaborations import Collaboration
from lexic_sdk.errors import StreamInterrupted
from lexic_sdk.events import DeltaEvent, ErrorEvent, Event, FinalEvent
from lexic_sdk.results import Answer, Raw
from lexic_sdk.review_events import ReviewEvent
from lexic_sdk.reviews import DocumentReview
from lexic_sdk.sse import EventDecoder

EventT = TypeVar("EventT")
ResultT = TypeVar("ResultT")


@dataclass(frozen=True)
class StreamFormat(Generic[EventT, ResultT]):
    """Where a kind of stream is asked for, and how it is read. Both functions take the request's body, too.

    `make_final` makes the last event of the whole result, as a server gives it that does not stream.
    """

    path: str
    read_event: Callable[[Raw, Raw], EventT | None]
    make_final: Callable[[Any, Raw], EventT]


ANSWER: StreamFormat[Event, Answer] = StreamFormat("/api/v1/query", events.event_from_json, events.done_event)
COLLABORATION: StreamFormat[CollaborationEvent, Collaboration] = StreamFormat(
    "/api/v1/collaborate", collaboration_events.event_from_json, collaboration_events.done_event
)
REVIEW: StreamFormat[ReviewEvent, DocumentReview] = StreamFormat(
    "/api/v1/review", review_events.event_from_json, review_events.done_event
)


class StreamReader(Generic[EventT]):
    """One reader for one attempt."""

    def __init__(self, read_event: Callable[[Raw, Raw], EventT | None], *, request: Raw) -> None:
        self._read_event = read_event
        self._request = request
        self._decoder = EventDecoder()
        self._arrived: list[EventT] = []
        self.is_over = False
        self.request_id: str | None = None  # once the server has answered

    @property
    def has_begun(self) -> bool:
        """Whether anything was shown. From then on nothing is asked again: the caller would see it twice."""
        return bool(self._arrived)

    def feed(self, chunk: bytes) -> list[EventT]:
        """The events that this chunk completes, up to the last one of the stream."""
        return self._parse_events(self._decoder.feed(chunk))

    def finish(self) -> list[EventT]:
        """What is left at the end. Raises `StreamInterrupted` where the stream is not complete."""
        last = self._decoder.finish()
        found = self._parse_events([last] if last else [])
        if not self.is_over:
            raise self.interrupted()
        return found

    def interrupted(self) -> StreamInterrupted:
        text = "".join(event.text for event in self._arrived if isinstance(event, DeltaEvent))
        return StreamInterrupted(events=tuple(self._arrived), text=text)

    def _parse_events(self, messages: list[str]) -> list[EventT]:
        found: list[EventT] = []
        for data in messages:
            fields = None if self.is_over else events.parse_fields(data)
            event = self._read_event(fields, self._request) if fields is not None else None
            if isinstance(event, ErrorEvent):
                event = replace(event, request_id=self.request_id)
            if event is not None:
                found.append(event)
                self.is_over = isinstance(event, (FinalEvent, ErrorEvent))
        self._arrived += found
        return found
