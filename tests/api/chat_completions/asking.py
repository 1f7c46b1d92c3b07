"""How tests ask at the OpenAI-compatible door without a client."""

from __future__ import annotations

from typing import Any

from rest_framework.test import APIClient

WEATHER = "What is the minimum cover for a beam exposed to weather?"
OPEN = "What is the nominal cover of a beam?"
ASKED_BACK = "How is the member exposed?\n\n- mild\n- severe"


def client_of(secret: str) -> APIClient:
    client = APIClient()
    if secret:
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def chat(secret: str, *messages: Any, **body: Any) -> Any:
    """Messages are texts, the user's and the assistant's in turn from the user's, or whole messages."""
    roles = ("user", "assistant")
    whole = [
        {"role": roles[at % 2], "content": message} if isinstance(message, str) else message
        for at, message in enumerate(messages)
    ]
    return client_of(secret).post("/v1/chat/completions", {"model": "cover", "messages": whole, **body}, format="json")


def said(response: Any) -> str:
    assert response.status_code == 200, response.content
    return response.json()["choices"][0]["message"]["content"]


def assert_error(response: Any, status: int, code: str, *, param: str | None = None) -> dict[str, Any]:
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/json"
    error = response.json()["error"]
    assert set(error) == {"message", "type", "param", "code", "hint"}
    assert (error["code"], error["param"]) == (code, param)
    assert error["message"]
    return error
