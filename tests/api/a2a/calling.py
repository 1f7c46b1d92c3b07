"""How tests call an agent without a client of the protocol."""

from __future__ import annotations

import json
from typing import Any

from asgiref.sync import async_to_sync

from tests.api.chat_completions.asking import client_of

WEATHER = "What is the minimum cover for a beam exposed to weather?"
BEAM = "What is the nominal cover of a beam?"
CHESS = "Who won the chess olympiad in 1972?"


def message(text: str = "", *, data: Any = None, **fields: Any) -> dict[str, Any]:
    parts = [{"text": text}] if text else []
    parts += [{"data": data}] if data is not None else []
    return {"message": {"messageId": "m1", "role": "ROLE_USER", "parts": parts, **fields}}


def call(secret: str, method: str, params: Any = None, *, agent: str = "cover", **headers: str) -> Any:
    body = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params or {}}
    return client_of(secret).post(f"/a2a/{agent}", body, format="json", headers=headers)


def result(response: Any) -> dict[str, Any]:
    body = response.json()
    assert response.status_code == 200, body
    assert (body["jsonrpc"], body["id"], "error" in body) == ("2.0", 7, False), body
    found: dict[str, Any] = body["result"]
    return found


def send(secret: str, text: str = "", **fields: Any) -> dict[str, Any]:
    """The task that a message makes or continues."""
    task: dict[str, Any] = result(call(secret, "SendMessage", message(text, **fields)))["task"]
    return task


def error(response: Any, *, status: int = 200) -> tuple[int, str]:
    """Its number, and our code."""
    assert response.status_code == status, response.content
    found = response.json()["error"]
    [info] = found["data"]
    assert info["@type"].endswith("google.rpc.ErrorInfo")
    assert found["message"]
    return found["code"], info["metadata"]["code"]


def streamed(response: Any) -> list[dict[str, Any]]:
    assert response["Content-Type"] == "text/event-stream"

    async def read() -> bytes:
        return b"".join([piece async for piece in response.streaming_content])

    blocks = async_to_sync(read)().decode().strip().split("\n\n")
    return [json.loads(one.removeprefix("data: "))["result"] for one in blocks if not one.startswith(":")]


def text_of(parts: list[dict[str, Any]]) -> str:
    return "".join(part.get("text", "") for part in parts)


def data_of(parts: list[dict[str, Any]]) -> dict[str, Any]:
    (data,) = (part["data"] for part in parts if "data" in part)
    found: dict[str, Any] = data
    return found
