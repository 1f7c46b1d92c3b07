"""Lexic's own server as the demo asks it."""

from __future__ import annotations

from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from local.loopback_client import WebServerUnreachable, post_for_events

STREAM = b'id: 1\nevent: run\ndata: {"runId": "a"}\n\n: still here\n\n'
STREAM += b'event: content\ndata: {"text": "45 mm: caf\xc3\xa9"}\n\n'
ANSWERS = {
    "/stream": (200, STREAM),
    "/refused": (429, b'{"error": "Too many runs.", "code": "too_many_runs", "hint": "Wait."}'),
    "/garbage": (200, b"event: content\ndata: {\n\n"),
}


class Server(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        status, body = ANSWERS[self.path]
        assert (self.headers["Authorization"], self.headers["Idempotency-Key"]) == ("Bearer key", "once")
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(status)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Server) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def events(url: str) -> list[tuple[str, object]]:
    return list(post_for_events(url, body={"message": "Hello"}, bearer="key", idempotency_key="once"))


def test_events_come_with_their_names_and_data(address: str) -> None:
    assert events(f"{address}/stream") == [("run", {"runId": "a"}), ("content", {"text": "45 mm: café"})]


def test_what_is_refused_is_an_error_event(address: str) -> None:
    [(name, data)] = events(f"{address}/refused")
    assert name == "error"
    assert isinstance(data, dict)
    assert (data["message"], data["hint"]) == ("Too many runs.", "Wait.")


def test_garbage_is_no_answer(address: str) -> None:
    with pytest.raises(WebServerUnreachable):
        events(f"{address}/garbage")


def test_nobody_at_the_address_is_no_answer() -> None:
    with pytest.raises(WebServerUnreachable):
        events("http://127.0.0.1:9/stream")
