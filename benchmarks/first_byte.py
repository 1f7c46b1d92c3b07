"""How soon a stream begins: `python -m benchmarks.first_byte` (a minute).

A small made-up code of practice is published on a throw-away PostgreSQL, and a real server of one process is asked over
one connection, one request after another: milliseconds from the request to the first byte of the body at each door that
streams, in turn with the health of the site, and the whole extractive answer. The least of all rounds is what a quiet
machine gives; the load of the machine is printed with the figures. `--json` prints them for programs.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import socket
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchmarks._harness import run_benchmark, temporary_database
from benchmarks.query import create_published_plugin

CHUNKS = 200
ROUNDS = 40

Body = dict[str, Any] | None


def main() -> None:
    run_benchmark(__doc__, run_with_database)


def run_with_database() -> dict[str, float]:
    with temporary_database(with_redis=True):
        from accounts.models import ApiKey

        plugin, asked = create_published_plugin(random.Random(5), chunks=CHUNKS)
        key = ApiKey.objects.issue(owner=plugin.owner, name="bench", per_minute=10**6, per_day=10**6)[1]
        with running_server() as port:
            return measure(port, key, plugin.slug, asked)


def measure(port: int, key: str, slug: str, asked: list[str]) -> dict[str, float]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    first, whole = defaultdict[str, list[float]](list), defaultdict[str, list[float]](list)
    for number in range(ROUNDS + 5):
        for name, (path, body) in requests(slug, asked[number % len(asked)], number).items():
            begun, ended = time_one(connection, path, key, body)
            if number >= 5:  # the first ones load the model
                first[name].append(begun)
                whole[name].append(ended)
    figures = {"load of the machine": os.getloadavg()[0]}
    for name in first:
        figures[f"{name}: first byte, least ms"] = min(first[name])
        figures[f"{name}: first byte, p50 ms"] = statistics.median(first[name])
        figures[f"{name}: first byte, p95 ms"] = statistics.quantiles(first[name], n=20)[-1]
        figures[f"{name}: whole, p50 ms"] = statistics.median(whole[name])
    return figures


def requests(slug: str, question: str, number: int) -> dict[str, tuple[str, Body]]:
    """What is asked at each door, by its name. No two have the same words, which would be embedded once."""
    whole, question = f"{question} Case {2 * number}.", f"{question} Case {2 * number + 1}."
    turn = [{"role": "user", "content": question}]
    message = {"messageId": "1", "role": "ROLE_USER", "parts": [{"text": question}]}
    call = {"jsonrpc": "2.0", "id": 1, "method": "SendStreamingMessage", "params": {"message": message}}
    return {
        "health": ("/healthz", None),
        "query, in one piece": ("/api/v1/query", {"plugin": slug, "query": whole}),
        "query": ("/api/v1/query", {"plugin": slug, "query": question, "stream": True}),
        "chat": ("/v1/chat/completions", {"model": slug, "messages": turn, "stream": True}),
        "responses": ("/v1/responses", {"model": slug, "input": question, "stream": True}),
        "a2a": (f"/a2a/{slug}", call),
    }


def time_one(connection: http.client.HTTPConnection, path: str, key: str, body: Body) -> tuple[float, float]:
    """Milliseconds to the first byte of the answer's body, and to its last."""
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    begun = time.perf_counter()
    connection.request("POST" if body else "GET", path, body=json.dumps(body) if body else None, headers=headers)
    response = connection.getresponse()
    response.read(1)
    first = time.perf_counter()
    response.read()
    assert response.status == 200, response.status
    return 1000 * (first - begun), 1000 * (time.perf_counter() - begun)


@contextmanager
def running_server() -> Iterator[int]:
    """Its port. It answers by the time that this is left to its caller."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "uvicorn", "lexic.asgi:application", "--port", str(port), "--log-level", "error"]
    server = subprocess.Popen(command)
    try:
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                time.sleep(0.1)
        yield port
    finally:
        server.terminate()
        server.wait(30)


if __name__ == "__main__":
    main()
