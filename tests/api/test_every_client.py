"""The same question through every way in: curl, a stream, OpenAI's client, MCP, the SDK and LangChain. One answer."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from lexic_sdk import Lexic
from lexic_sdk.langchain import LexicTool

from plugins.models import Plugin
from tests.api.chat_completions.test_client import make_client
from tests.api.mcp.clients import PREVIOUS, UNCLEAR, WEATHER, call, data_of
from tests.servers import asgi_server

pytestmark = pytest.mark.django_db(transaction=True)

UNKNOWN = "Who won the chess championship of 1972?"


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What a client's user sees: the words, the excerpts by document, how it ended, and what is asked back."""

    text: str
    cited: tuple[tuple[str, str], ...]
    outcome: str
    options: tuple[str, ...]


Ask = Callable[[str, str, str], Shown]


@pytest.fixture
def server(published: Plugin) -> Iterator[str]:
    with asgi_server() as url:
        yield url


def shown(answer: dict[str, Any], *, text: str | None = None) -> Shown:
    """From the JSON of an answer, and the text where it came otherwise."""
    asked = answer.get("clarification") or {}
    return Shown(
        text=answer["answer"] if text is None else text,
        cited=tuple((one["document"], one["excerpt"]) for one in answer["citations"]),
        outcome=answer["outcome"],
        options=tuple(asked.get("options", ())),
    )


def curl(server: str, key: str, question: str, *, stream: bool = False) -> str:
    program = shutil.which("curl")
    if not program:
        pytest.skip("no curl on this machine")
    body = json.dumps({"plugin": "cover", "query": question, "stream": stream})
    headers = ["-H", f"Authorization: Bearer {key}", "-H", "Content-Type: application/json"]
    command = [program, "-sS", "--noproxy", "*", "--fail-with-body", f"{server}/api/v1/query", *headers, "-d", body]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


def by_curl(server: str, key: str, question: str) -> Shown:
    return shown(json.loads(curl(server, key, question)))


def by_curl_streaming(server: str, key: str, question: str) -> Shown:
    lines = curl(server, key, question, stream=True).splitlines()
    events = [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]
    last = next(event for event in events if event["type"] == "done")
    written = "".join(event["text"] for event in events if event["type"] == "delta")
    return shown(last, text=written or last["answer"])


def by_openai(server: str, key: str, question: str) -> Shown:
    with make_client(f"{server}/v1", key) as client:
        completion = client.chat.completions.create(model="cover", messages=[{"role": "user", "content": question}])
    return _from_chat(completion.to_dict(), completion.choices[0].message.content or "")


def by_openai_streaming(server: str, key: str, question: str) -> Shown:
    with make_client(f"{server}/v1", key) as client:
        asked = [{"role": "user", "content": question}]
        chunks = list(client.chat.completions.create(model="cover", messages=asked, stream=True))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    last = next(chunk for chunk in chunks if chunk.choices and chunk.choices[0].finish_reason)
    return _from_chat(last.to_dict(), text)


def _from_chat(body: dict[str, Any], text: str) -> Shown:
    asked = body["lexic"].get("clarification")
    if asked:  # the options stand in the text as well
        assert all(option in text for option in asked["options"])
        text = asked["question"]
    return shown({**body["lexic"], "citations": body["citations"]}, text=text)


def by_mcp(server: str, key: str, question: str) -> Shown:
    # Of a revision that knows no forms, so that what is missing comes as a result.
    result = call(server, key, "ask_expert", mode=PREVIOUS, plugin="cover", question=question)
    return shown(data_of(result))


def by_a2a(server: str, key: str, question: str) -> Shown:
    message = {"messageId": "1", "role": "ROLE_USER", "parts": [{"text": question}]}
    body = {"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message}}
    headers = {"Authorization": f"Bearer {key}"}
    task = httpx2.post(f"{server}/a2a/cover", json=body, headers=headers, timeout=60, trust_env=False).json()["result"][
        "task"
    ]
    asks = task["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
    text, data = task["status"]["message"]["parts"] if asks else task["artifacts"][0]["parts"]
    return shown(data["data"], text=data["data"]["clarification"]["question"] if asks else text["text"])


def by_sdk(server: str, key: str, question: str) -> Shown:
    with Lexic(key, base_url=server, default_plugin="cover") as lexic:
        return shown(dict(lexic.query(question).raw))


def by_sdk_streaming(server: str, key: str, question: str) -> Shown:
    with Lexic(key, base_url=server, default_plugin="cover") as lexic:
        return shown(dict(lexic.query_stream_to_result(question, on_event=lambda event: None).raw))


def by_langchain(server: str, key: str, question: str) -> Shown:
    tool = LexicTool(api_key=key, base_url=server, plugin="cover")
    message = tool.invoke({"type": "tool_call", "id": "1", "name": tool.name, "args": {"query": question}})
    said, answer = json.loads(message.content), message.artifact
    assert said["answer"] == answer.answer
    return shown(dict(answer.raw))


WAYS = [
    by_curl_streaming,
    by_openai,
    by_openai_streaming,
    by_mcp,
    by_a2a,
    by_sdk,
    by_sdk_streaming,
    by_langchain,
]


@pytest.mark.parametrize("ask", WAYS)
def test_every_way_in_shows_the_same_answer_refusal_and_question(ask: Ask, server: str, key: str):
    for question, outcome in [(WEATHER, "answered"), (UNKNOWN, "refused"), (UNCLEAR, "clarify")]:
        expected = by_curl(server, key, question)
        assert expected.outcome == outcome
        assert ask(server, key, question) == expected
    assert by_curl(server, key, WEATHER).cited
    assert by_curl(server, key, UNCLEAR).options == ("mild", "severe")
