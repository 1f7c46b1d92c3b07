"""HTTP as uvicorn speaks it, to callers who do not keep it waiting: a head and a body each have to come in time."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

# Until the head of a request is there, from its first byte or from the connection's beginning.
HEAD_SECONDS = 15.0
# Between two pieces of a body; and at least so many bytes a second once a body has taken that long.
BODY_PAUSE_SECONDS, MIN_BODY_RATE, RATE_AFTER_SECONDS = 30.0, 1_000, 60.0


class PatientProtocol(H11Protocol):
    """Ends a connection with 408 whose caller sends too slowly (Slowloris)."""

    _timer: asyncio.TimerHandle | None = None
    _state: Any = None  # what the caller was sending when the timer was set
    _body_began = 0.0
    _body_bytes = 0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._wait(HEAD_SECONDS, state=h11.IDLE)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        state, before = self.conn.their_state, self._state
        if state is h11.SEND_BODY:
            if before is not state:
                self._body_began, self._body_bytes = self.loop.time(), 0
            self._body_bytes += len(data)
            taken = self.loop.time() - self._body_began
            if taken > RATE_AFTER_SECONDS and self._body_bytes < MIN_BODY_RATE * taken:
                self._end()
            else:
                self._wait(BODY_PAUSE_SECONDS, state=state)
        elif state is not h11.IDLE:
            self._stop()
        elif before is not state:  # a head gets no more time with each of its pieces
            self._wait(HEAD_SECONDS, state=state)

    def _wait(self, seconds: float, *, state: Any) -> None:
        self._stop()
        self._state, self._timer = state, self.loop.call_later(seconds, self._end)

    def _stop(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._state = self._timer = None

    def _end(self) -> None:
        if self.flow.read_paused:  # we are the ones who are slow
            self._wait(BODY_PAUSE_SECONDS, state=self._state)
            return
        self._stop()
        if self.transport.is_closing():
            return
        if self.cycle is None or self.cycle.response_complete or not self.cycle.response_started:
            self.transport.write(b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
        self.transport.close()
