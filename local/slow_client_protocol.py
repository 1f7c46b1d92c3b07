"""HTTP as uvicorn speaks it, to callers who do not keep it waiting: a head and a body each have to come in time."""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from lexic.middleware.request_id import HEADER, begin_request, current_request_id

# Until the head of a request is there, from its first byte or from the connection's beginning.
HEAD_SECONDS = 15.0
# Between two pieces of a body; and at least so many bytes a second once a body has taken that long.
BODY_PAUSE_SECONDS, MIN_BODY_RATE, RATE_AFTER_SECONDS = 30.0, 1_000, 60.0


class SlowClientTimeoutProtocol(H11Protocol):
    """Ends a connection with 408 whose caller sends too slowly (Slowloris). Every refusal has a request id."""

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
        self._refuse("408 Request Timeout")

    def send_400_response(self, msg: str) -> None:
        self._refuse("400 Bad Request", msg)

    def _refuse(self, status: str, text: str = "") -> None:
        """Ends the connection, with this status and text where no answer has begun."""
        if self.transport.is_closing():
            return
        cycle = None if self.cycle is None or self.cycle.response_complete else self.cycle
        if cycle is None or not cycle.response_started:
            begin_request(dict(cycle.scope["headers"]).get(b"x-request-id", b"").decode("latin-1") if cycle else "")
            self.logger.info("Refused %s with %s", self.client, status)
            head = f"HTTP/1.1 {status}\r\nConnection: close\r\n{HEADER}: {current_request_id()}\r\n"
            content = f"Content-Type: text/plain; charset=utf-8\r\nContent-Length: {len(text)}\r\n\r\n{text}"
            self.transport.write((head + content).encode())
        self.transport.close()
