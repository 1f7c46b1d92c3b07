"""Somebody's receiver, on this machine: remembers what came, and answers as it is told."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from lexic.egress import EgressPolicy


@dataclass(frozen=True, kw_only=True)
class Arrived:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def event(self) -> dict[str, Any]:
        return json.loads(self.body)


class Receiver(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.arrived: list[Arrived] = []
        self.answers: list[tuple[int, dict[str, str], bytes]] = []  # the next ones; 204 when there are none
        self.go_on = threading.Event()  # a receiver that is slow waits for it
        self.is_slow = False

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/events?room=1"

    @property
    def policy(self) -> EgressPolicy:
        """Reaches this receiver and nothing else that is private."""
        return EgressPolicy(exempt=frozenset({("127.0.0.1", self.server_address[1])}))

    def will_answer(self, *statuses: int, body: bytes = b"", **headers: str) -> None:
        self.answers += [(status, headers, body) for status in statuses]

    @property
    def kinds(self) -> list[str]:
        return [one.event["type"] for one in self.arrived]


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.arrived.append(Arrived(path=self.path, headers=dict(self.headers), body=body))
        if self.server.is_slow:
            self.server.go_on.wait(10)
        status, headers, answer = self.server.answers.pop(0) if self.server.answers else (204, {}, b"")
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *args: object) -> None:
        pass


@contextmanager
def receiving() -> Iterator[Receiver]:
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.go_on.set()
        server.shutdown()
        server.server_close()
        thread.join()
