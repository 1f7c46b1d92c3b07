"""How tests ask for responses without a client."""

from __future__ import annotations

import json
from typing import Any

from tests.api.chat_completions.asking import client_of


def respond(secret: str, asked: Any, **body: Any) -> Any:
    return client_of(secret).post("/v1/responses", {"model": "cover", "input": asked, **body}, format="json")


def body_of(response: Any) -> dict[str, Any]:
    assert response.status_code == 200, response.content
    return response.json()


def said(response: Any) -> str:
    [item] = body_of(response)["output"]
    [part] = item["content"]
    return part["text"]


def read(secret: str, response_id: str) -> Any:
    return client_of(secret).get(f"/v1/responses/{response_id}")


def events_of(content: bytes) -> list[dict[str, Any]]:
    """The events of a stream; each has its name twice, as the protocol wants it."""
    events = []
    for block in content.decode().strip().split("\n\n"):
        if block.startswith(":"):
            continue
        name, data = block.split("\n")
        event = json.loads(data.removeprefix("data: "))
        assert name == f"event: {event['type']}"
        events.append(event)
    return events
