"""A visitor at the chat's page, without a script and with one."""

from __future__ import annotations

import json
import re
from typing import Any

from asgiref.sync import async_to_sync
from django.test import Client

CHAT = "/chat/boots"
ASK = f"{CHAT}/ask"
WORN = "What is worn on every site?"
OPEN = "Which boots must be worn?"
LONG = " ".join([OPEN] * 50)
DIVER = "Which gloves does a diver need in the Arctic?"
STREAM = {"accept": "text/event-stream"}


def ask(client: Client, question: str = WORN, **more: str) -> str:
    """The conversation's page after a question without a script."""
    answer = client.post(ASK, {"question": question, **more}, follow=True)
    assert answer.status_code == 200
    assert answer.redirect_chain[0][1] == 303
    return answer.content.decode()


def reply(client: Client, html: str, answer: str) -> str:
    return ask(client, "", token=token_in(html), answer=answer, session=session_in(html))


def streamed(client: Client, **fields: str) -> tuple[list[dict[str, Any]], Any]:
    """The events, and the response they came in."""
    answer = client.post(ASK, fields, headers=STREAM)
    assert answer["Content-Type"] == "text/event-stream", answer.content

    async def collected() -> bytes:
        return b"".join([part async for part in answer.streaming_content])

    blocks = async_to_sync(collected)().decode().split("\n\n")
    return [json.loads(block.removeprefix("data: ")) for block in blocks if block.startswith("data: ")], answer


def token_in(html: str) -> str:
    return re.findall(r'name="token" value="([^"]+)"', html)[-1]


def session_in(html: str) -> str:
    found = re.search(r'name="session" value="([^"]+)"', html)
    assert found
    return found[1]
