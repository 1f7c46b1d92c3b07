"""The bytes of one stream → its events, and what had arrived when it broke off."""

from __future__ import annotations

from dataclasses import replace

from lexic_sdk import events
from lexic_sdk.errors import StreamInterrupted
from lexic_sdk.events import DeltaEvent, DoneEvent, ErrorEvent, Event
from lexic_sdk.results import Answer, Raw
from lexic_sdk.sse import EventDecoder


class StreamReader:
    """One reader for one attempt."""

    def __init__(self, *, request: Raw) -> None:
        self._request = request
        self._decoder = EventDecoder()
        self._arrived: list[Event] = []
        self.is_over = False
        self.request_id: str | None = None  # once the server has answered

    @property
    def has_begun(self) -> bool:
        """Whether anything was shown. From then on nothing is asked again: the caller would see it twice."""
        return bool(self._arrived)

    def feed(self, chunk: bytes) -> list[Event]:
        """The events that this chunk completes, up to the last one of the stream."""
        return self._parse_events(self._decoder.feed(chunk))

    def finish(self) -> list[Event]:
        """What is left at the end. Raises `StreamInterrupted` where the answer is not complete."""
        last = self._decoder.finish()
        found = self._parse_events([last] if last else [])
        if not self.is_over:
            raise self.interrupted()
        return found

    def interrupted(self) -> StreamInterrupted:
        text = "".join(event.text for event in self._arrived if isinstance(event, DeltaEvent))
        return StreamInterrupted(events=tuple(self._arrived), text=text)

    def _parse_events(self, messages: list[str]) -> list[Event]:
        found: list[Event] = []
        for data in messages:
            event = None if self.is_over else events.parse_event(data, request=self._request)
            if isinstance(event, ErrorEvent):
                event = replace(event, request_id=self.request_id)
            if event is not None:
                found.append(event)
                self.is_over = isinstance(event, (DoneEvent, ErrorEvent))
        self._arrived += found
        return found


def final_answer(event: Event) -> Answer | None:
    """The answer, once it is there. Raises the error that an error event stands for."""
    if isinstance(event, ErrorEvent):
        raise event.as_exception()
    return event.result if isinstance(event, DoneEvent) else None
