"""Talk to Lexic's own web server on this machine: for the demo, never for an address that somebody gave us."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings

from lexic.errors import LexicError
from local.embedded_services import die_with_parent
from local.running_server import find_running_server


class WebServerUnreachable(LexicError):
    """The web server did not answer."""

    code = "no_web_server"
    status = 503


@contextmanager
def running_web_server() -> Iterator[str]:
    """The URL of a running web server: the one that `make run` started, or one of our own for the block."""
    server = find_running_server(settings.VAR_DIR)
    if server and server.status == "up":
        yield server.url
        return
    with own_web_server({"LEXIC_DB_POOL": "4", "LEXIC_LOG_LEVEL": "WARNING"}) as (url, _):
        yield url


@contextmanager
def own_web_server(environment: Mapping[str, str], *, backlog: int | None = None) -> Iterator[tuple[str, int]]:
    """The URL of a web process of our own with these settings, and its id. It ends with the block. Raises
    `WebServerUnreachable`."""
    with socket.create_server(("127.0.0.1", 0), backlog=backlog) as listener:
        process = subprocess.Popen(  # noqa: S603 -- our own interpreter and module
            [sys.executable, "-m", "local.serve", str(listener.fileno())],
            pass_fds=[listener.fileno()],
            env={**os.environ, **environment},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=die_with_parent(signal.SIGTERM),
        )
        try:
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            wait_until_up(url, process)
            yield url, process.pid
        finally:
            process.terminate()
            process.wait(20)


def post_json(url: str, *, body: Mapping[str, Any], bearer: str) -> dict[str, Any]:
    """The JSON that comes back, whatever its status. Raises `WebServerUnreachable` when nothing does."""
    return _request_json("POST", url, body=body, headers=_bearer_headers(bearer))


def post_for_events(
    url: str, *, body: Mapping[str, Any], bearer: str, idempotency_key: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and data of each server-sent event as it comes; what is refused before the first one is an `error` event.
    Raises `WebServerUnreachable`."""
    headers = {**_bearer_headers(bearer), "Idempotency-Key": idempotency_key}
    with _response("POST", url, body=body, headers=headers, seconds=120) as answer:
        if answer.status != 200:
            refused = json.loads(answer.read())
            yield "error", {"message": refused["error"], **refused}
            return
        name = ""
        for line in answer:
            field, _, value = line.decode().rstrip("\r\n").partition(": ")
            if field == "event":
                name = value
            elif field == "data":
                yield name, json.loads(value)


def _bearer_headers(bearer: str) -> dict[str, str]:
    return {"Content-Type": "application/json", "Authorization": f"Bearer {bearer}"}


def _request_json(
    method: str,
    url: str,
    *,
    body: Mapping[str, Any] | None = None,
    headers: Mapping[str, str] | None = None,
    seconds: float = 60,
) -> dict[str, Any]:
    with _response(method, url, body=body, headers=headers, seconds=seconds) as answer:
        return json.loads(answer.read())


@contextmanager
def _response(
    method: str, url: str, *, body: Mapping[str, Any] | None, headers: Mapping[str, str] | None, seconds: float
) -> Iterator[http.client.HTTPResponse]:
    """The response, to be read inside the block. Raises `WebServerUnreachable`, also for what goes wrong there."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "127.0.0.1", parts.port, timeout=seconds)
    try:
        data = None if body is None else json.dumps(body).encode()
        connection.request(method, parts.path, body=data, headers=dict(headers or {}))
        yield connection.getresponse()
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise WebServerUnreachable from error
    finally:
        connection.close()


def wait_until_up(url: str, process: subprocess.Popen[bytes], *, seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and process.poll() is None:
        try:
            _request_json("GET", f"{url}/healthz", seconds=5)
        except WebServerUnreachable:
            time.sleep(0.1)
        else:
            return
    raise WebServerUnreachable
