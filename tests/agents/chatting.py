"""A person's client at the routes of messages and runs, and the frames of their streams."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2

from accounts.models import ApiKey, User

SPACERS = "How far apart do spacers made of mortar stand?"


@dataclass(frozen=True)
class Frame:
    id: int | None
    event: str
    data: dict[str, Any]


def frames(response: httpx2.Response) -> Iterator[Frame]:
    """As they come."""
    lines: dict[str, str] = {}
    for line in response.iter_lines():
        if line:
            name, _, value = line.partition(": ")
            lines[name] = value
        elif "event" in lines:
            number = int(lines["id"]) if "id" in lines else None
            yield Frame(number, lines["event"], json.loads(lines["data"]))
            lines = {}


def client_of(url: str, person: User, *capabilities: str, **fields: Any) -> httpx2.Client:
    """By a key that may ask and read, or what is given."""
    chosen = list(capabilities or ["query", "read"])
    _, secret = ApiKey.objects.issue(owner=person, name="agent", capabilities=chosen, **fields)
    headers = {"Authorization": f"Bearer {secret}"}
    return httpx2.Client(trust_env=False, timeout=60, base_url=url, headers=headers)


@contextmanager
def chatting(client: httpx2.Client, message: str = SPACERS, **body: Any) -> Iterator[Iterator[Frame]]:
    headers = body.pop("headers", {})
    with client.stream("POST", "/api/chat", json={"message": message, **body}, headers=headers) as response:
        assert response.headers["content-type"] == "text/event-stream", response.read()
        yield frames(response)


def chat(client: httpx2.Client, message: str = SPACERS, **body: Any) -> list[Frame]:
    with chatting(client, message, **body) as stream:
        return list(stream)


def refusal(client: httpx2.Client, message: str = SPACERS, **body: Any) -> tuple[int, dict[str, Any]]:
    """Status and body of an error before the first event."""
    headers = body.pop("headers", {})
    answer = client.post("/api/chat", json={"message": message, **body}, headers=headers)
    assert answer.headers["content-type"] == "application/json", answer.text
    return answer.status_code, answer.json()


def followed(client: httpx2.Client, run_id: str, *, after: int | None = None) -> list[Frame]:
    headers = {} if after is None else {"Last-Event-ID": str(after)}
    with client.stream("GET", f"/api/runs/{run_id}/events", headers=headers) as response:
        assert response.status_code == 200, response.read()
        return list(frames(response))
