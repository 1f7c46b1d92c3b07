"""Callers who send slowly are waited for only so long; those who wait for a slow answer are not hurried."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest

from local import serve, slow_client_protocol
from tests.servers import server_in_thread


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Reads the body, and answers with its length."""
    length, more = 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        length, more = length + len(message["body"]), message["more_body"]
    body = str(length).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@pytest.fixture
def address(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, int]]:
    monkeypatch.setattr(slow_client_protocol, "HEAD_SECONDS", 0.5)
    monkeypatch.setattr(slow_client_protocol, "BODY_PAUSE_SECONDS", 1.0)
    config = serve.make_config()
    config.app, config.port = application, 0
    with server_in_thread(config) as port:
        yield "127.0.0.1", port


def talk(address: tuple[str, int], *pieces: bytes, pause: float = 0.0) -> bytes:
    """What the server says to these pieces, with a pause between them, until it ends the connection or is done."""
    with socket.create_connection(address, timeout=30) as connection:
        try:
            for piece in pieces:
                connection.sendall(piece)
                time.sleep(pause)
            return connection.recv(4096)
        except ConnectionError:
            return b""


def talk_twice(address: tuple[str, int], first: bytes, second: bytes) -> bytes:
    """What the server says to the second piece, which is sent when the first has been answered."""
    with socket.create_connection(address, timeout=30) as connection:
        connection.sendall(first)
        said = b""
        while not said.endswith(b"\r\n\r\n2"):
            said += connection.recv(4096)
        connection.sendall(second)
        return connection.recv(4096)


HEAD = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"


LENGTH = b"Content-Length: 9\r\n\r\n"


@pytest.mark.parametrize("sent", [b"", b"GET", b"GET / HTTP/1.1\r\nHost: x\r\n", HEAD + LENGTH, HEAD + LENGTH + b"123"])
def test_who_stops_in_the_middle_is_told_so(address: tuple[str, int], sent: bytes) -> None:
    assert talk(address, sent).startswith(b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n")


@pytest.mark.parametrize(
    ("sent", "status"),
    [(b"", b"408"), (HEAD + LENGTH + b"123", b"408"), (b"nonsense\r\n\r\n", b"400")],
)
def test_a_refusal_has_a_request_id(address: tuple[str, int], sent: bytes, status: bytes) -> None:
    said = talk(address, sent)
    assert said.startswith(b"HTTP/1.1 " + status)
    assert re.search(rb"\r\nX-Request-Id: [0-9a-f-]{36}\r\n", said), said


def test_a_refusal_has_the_request_id_that_its_request_had(
    address: tuple[str, int],
) -> None:
    assert b"\r\nX-Request-Id: mine-7\r\n" in talk(address, HEAD + b"X-Request-Id: mine-7\r\n" + LENGTH + b"123")
    unsafe = talk(address, HEAD + b"X-Request-Id: mine 7\r\n" + LENGTH + b"123")
    assert b"mine" not in unsafe


def test_the_id_of_a_former_request_is_not_that_of_the_next(address: tuple[str, int]) -> None:
    request = b"POST / HTTP/1.1\r\nHost: x\r\nX-Request-Id: mine-7\r\nContent-Length: 2\r\n\r\nab"
    said = talk_twice(address, request, b"nonsense\r\n\r\n")
    assert said.startswith(b"HTTP/1.1 400")
    assert b"mine-7" not in said


def test_a_head_that_drips_is_not_waited_for(address: tuple[str, int]) -> None:
    lines = [b"GET / HTTP/1.1\r\n", *(b"X-%d: a\r\n" % number for number in range(600))]
    began = time.monotonic()
    said = talk(address, *lines, pause=0.1)
    assert said == b"" or said.startswith(b"HTTP/1.1 408")
    assert time.monotonic() - began < 30, "of sixty seconds"


def test_a_body_that_drips_below_the_rate_is_not_waited_for(
    address: tuple[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slow_client_protocol, "RATE_AFTER_SECONDS", 0.5)
    said = talk(address, HEAD + b"Content-Length: 600\r\n\r\n", *[b"x"] * 600, pause=0.1)
    assert said == b"" or said.startswith(b"HTTP/1.1 408")


def test_a_body_in_pieces_that_come_in_time_is_read(address: tuple[str, int]) -> None:
    said = talk(address, HEAD + b"Content-Length: 12\r\n\r\n", b"1234", b"5678", b"9012", pause=0.4)
    assert (said[:12], said[-2:]) == (b"HTTP/1.1 200", b"12")


def test_an_answer_that_takes_long_and_a_second_request_are_waited_for(address: tuple[str, int]) -> None:
    request = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nab"
    with socket.create_connection(address, timeout=30) as connection:
        for _ in range(3):
            connection.sendall(request)
            said = b""
            while not said.endswith(b"\r\n\r\n2"):
                more = connection.recv(4096)
                assert more, said
                said += more
            time.sleep(0.8)  # longer than a head may take; uvicorn ends idle connections after five seconds


def test_a_request_to_speak_websocket_is_an_ordinary_request(address: tuple[str, int]) -> None:
    wanted = b"Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    head = b"GET /v1/models HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n"
    assert talk(address, head + wanted + b"\r\n").startswith(b"HTTP/1.1 200 OK")


def test_the_web_process_uses_it() -> None:
    assert serve.make_config().http is slow_client_protocol.SlowClientTimeoutProtocol
