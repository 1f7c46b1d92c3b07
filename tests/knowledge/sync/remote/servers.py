"""Sites and repositories on this machine, over real HTTP, that the egress policy makes an exception for."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

Answer = tuple[int, dict[str, str], bytes]


class Site:
    """Answers by path. What was asked is in `asked`: the path, and the headers."""

    def __init__(self) -> None:
        self.url = ""
        self.answers: dict[str, Answer | Callable[[Any], Answer]] = {}
        self.asked: list[tuple[str, dict[str, str]]] = []

    def page(self, path: str, html: str, **headers: str) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.answers[path] = (200, {"Content-Type": "text/html; charset=utf-8", **named}, html.encode())

    def answer(self, path: str, status: int, body: bytes = b"", **headers: str) -> None:
        self.answers[path] = (status, {name.replace("_", "-"): value for name, value in headers.items()}, body)

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]


@contextmanager
def running(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def web_site() -> Iterator[Site]:
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append((self.path, dict(self.headers)))
            known = site.answers.get(self.path, (404, {}, b"not here"))
            status, headers, body = known(self) if callable(known) else known
            if status == 200 and headers.get("ETag") and self.headers.get("If-None-Match") == headers["ETag"]:
                status, body = 304, b""
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *args: object) -> None:
            pass

    with running(Handler) as url:
        site.url = url
        yield site


def dripping(handler: Any) -> Answer:
    """A page that comes a byte at a time, for longer than anybody waits."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.end_headers()
    for _ in range(600):
        handler.wfile.write(b"x")
        handler.wfile.flush()
        time.sleep(0.1)
    return 200, {}, b""


def endless(handler: Any) -> Answer:
    """Says that it has ten gigabytes, and begins to send them."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/html")
    handler.send_header("Content-Length", str(10 * 1024**3))
    handler.end_headers()
    while True:
        handler.wfile.write(b"y" * 65536)


@contextmanager
def git_server(root: Path) -> Iterator[str]:
    """The repositories in this folder, served by Git's own `http-backend`."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.answer(b"")

        def do_POST(self) -> None:
            self.answer(self.rfile.read(int(self.headers["Content-Length"])))

        def answer(self, body: bytes) -> None:
            path, _, query = self.path.partition("?")
            given = {
                "GIT_PROJECT_ROOT": str(root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": "safe.directory",
                "GIT_CONFIG_VALUE_0": "*",
            }
            done = subprocess.run(["git", "http-backend"], input=body, env={**os.environ, **given}, capture_output=True)
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            headers = dict(line.split(": ", 1) for line in head.decode().split("\r\n"))
            self.send_response(int(headers.pop("Status", "200 OK").split()[0]))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *args: object) -> None:
            pass

    with running(Handler) as url:
        yield url


def git(folder: Path, *arguments: str) -> str:
    identity = {"GIT_AUTHOR_NAME": "Alice", "GIT_AUTHOR_EMAIL": "alice@example.org"}
    identity |= {"GIT_COMMITTER_NAME": "Alice", "GIT_COMMITTER_EMAIL": "alice@example.org"}
    command = ["git", "-C", str(folder), *arguments]
    done = subprocess.run(command, env={**os.environ, **identity}, capture_output=True, text=True, check=True)
    return done.stdout.strip()
