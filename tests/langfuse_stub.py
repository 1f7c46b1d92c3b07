"""A Langfuse on a real port: it keeps what it is sent, may be slow, and may refuse."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from lexic import trace_exporter

_WAIT_SECONDS = 20


@dataclass
class Langfuse:
    """`bodies` are what it was sent, each with path and credentials. While `is_open` is not set it does not answer."""

    url: str = ""
    status: int = 200
    is_open: threading.Event = field(default_factory=threading.Event)
    bodies: list[tuple[str, str, Any]] = field(default_factory=list)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def settings(self, *, content: bool = False) -> dict[str, Any]:
        keys = {"public_key": "pk-1", "secret_key": "sk-1", "host": self.url}
        return {**keys, "endpoint": "", "headers": {}, "service_name": "lexic", "content": content}

    def as_collector(self) -> dict[str, Any]:
        """The same server as a collector of OpenTelemetry that is no Langfuse."""
        headers = {"Authorization": "Bearer of-the-collector"}
        return {**self.settings(), "public_key": "", "endpoint": self.url, "headers": headers}

    def spans(self, *, traces: int = 1) -> list[dict[str, Any]]:
        """All spans, once so many traces have come."""
        with self.changed:
            assert self.changed.wait_for(lambda: len(_roots(self._spans())) >= traces, _WAIT_SECONDS)
            return self._spans()

    def _spans(self) -> list[dict[str, Any]]:
        scopes = [scope for _, _, body in self.bodies for one in body["resourceSpans"] for scope in one["scopeSpans"]]
        return [span for scope in scopes for span in scope["spans"]]

    def has_asked(self) -> bool:
        """Whether somebody waits for it, or has had an answer."""
        with self.changed:
            return self.changed.wait_for(lambda: bool(self.bodies), _WAIT_SECONDS)


def _roots(spans: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [span for span in spans if "parentSpanId" not in span]


@contextmanager
def langfuse_running() -> Iterator[Langfuse]:
    stub = Langfuse()
    stub.is_open.set()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"stub": stub}))
    server.daemon_threads = True
    stub.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield stub
    finally:
        stub.is_open.set()
        server.shutdown()
        server.server_close()


@pytest.fixture
def langfuse(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Langfuse]:
    """A Langfuse that everything is traced in, by an exporter of this test's own."""
    monkeypatch.setattr(trace_exporter, "_exporter", None)
    with langfuse_running() as stub:
        settings.TRACING = stub.settings()
        yield stub
        stub.is_open.set()
        trace_exporter.exporter().close()


class _Handler(BaseHTTPRequestHandler):
    stub: Langfuse

    def log_message(self, *_: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        assert self.headers["Content-Type"] == "application/json"
        with self.stub.changed:
            self.stub.bodies.append((self.path, self.headers["Authorization"], json.loads(body)))
            self.stub.changed.notify_all()
        self.stub.is_open.wait(_WAIT_SECONDS)
        self.send_response(self.stub.status)
        self.send_header("Content-Length", "0")
        self.end_headers()
