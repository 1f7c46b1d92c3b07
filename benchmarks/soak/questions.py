"""Questions by every door, as clients ask them."""

from __future__ import annotations

import json
import random
import time
import uuid
from typing import Any

import httpx2

from benchmarks.ingestion import NOUNS, VERBS
from benchmarks.soak.record import SoakRecord
from benchmarks.soak.site import MACHINES, PLUGINS, PRIVATE_QUESTION, Expert, Site
from benchmarks.soak.verdicts import (
    CLEAN,
    CLEAN_CODES,
    CUT,
    RIGHT,
    events_of,
    tool_reply,
    verdict,
    verdict_of_events,
    verdict_of_tool,
)

RUN_PATIENCE_SECONDS = 180  # until a run whose process was killed has been taken up by another one, and has ended
SUBJECTS = {PLUGINS[0]: NOUNS, PLUGINS[1]: list(MACHINES)}


def question(choose: random.Random) -> str:
    """About either plugin's subjects, whichever plugin is asked: of the other one's it must know nothing."""
    return f"When is the {choose.choice([*NOUNS, *MACHINES])} {choose.choice(VERBS)}?"


def headers_of(expert: Expert) -> dict[str, str]:
    return {"Authorization": f"Bearer {expert.secret}"}


def ask(site: Site, record: SoakRecord, client: httpx2.Client, choose: random.Random) -> str:
    expert = choose.choice(site.experts)
    body = {"plugin": expert.plugin, "query": question(choose)}
    response = client.post("/api/v1/query", json=body, headers=headers_of(expert))
    if response.status_code == 200:
        record.add_answer(expert.plugin, response.json())
    return verdict(response)


def stream(site: Site, record: SoakRecord, client: httpx2.Client, choose: random.Random) -> str:
    """Now and then the client leaves after the first event."""
    expert = choose.choice(site.experts)
    body = {"plugin": expert.plugin, "query": question(choose), "stream": True}
    if choose.random() < 0.1:
        with client.stream("POST", "/api/v1/query", json=body, headers=headers_of(expert)) as left:
            if left.status_code == 200:
                next(left.iter_lines(), "")
                return RIGHT
            left.read()
            return verdict(left)
    response = client.post("/api/v1/query", json=body, headers=headers_of(expert))
    if response.status_code != 200:
        return verdict(response)
    last = events_of(response.text)[-1]
    if last["type"] == "done":
        record.add_answer(expert.plugin, last)
    return verdict_of_events(last, end="done")


def collaborate(site: Site, record: SoakRecord, client: httpx2.Client, choose: random.Random) -> str:
    """Both plugins on one question, as a stream."""
    expert = choose.choice(site.experts)
    body = {"experts": list(PLUGINS), "query": question(choose), "maxRounds": 2, "stream": True}
    response = client.post("/api/v1/collaborate", json=body, headers=headers_of(expert))
    if response.status_code != 200:
        return verdict(response)
    return verdict_of_events(events_of(response.text)[-1], end="done")


def complete_chat(site: Site, record: SoakRecord, client: httpx2.Client, choose: random.Random) -> str:
    """In the OpenAI form, whose stream ends with `[DONE]` or with an error."""
    expert = choose.choice(site.experts)
    asked = [{"role": "user", "content": question(choose)}]
    body = {"model": expert.plugin, "messages": asked, "stream": True}
    response = client.post("/v1/chat/completions", json=body, headers=headers_of(expert))
    if response.status_code != 200:
        return verdict(response)
    lines = [line[6:] for line in response.text.splitlines() if line.startswith("data: ")]
    if any(f'"code": "{code}"' in line for code in CLEAN_CODES for line in lines[-2:]):
        return CLEAN
    return RIGHT if lines[-1] == "[DONE]" else f"the chat ended with {lines[-1][:300]}"


def call_tool(site: Site, record: SoakRecord, client: httpx2.Client, choose: random.Random) -> str:
    expert = choose.choice(site.experts)
    name = choose.choice(["ask_expert", "search_sources", "list_experts"])
    arguments: dict[str, Any] = {} if name == "list_experts" else {"plugin": expert.plugin}
    arguments |= {"ask_expert": {"question": question(choose)}, "search_sources": {"query": question(choose)}}.get(
        name, {}
    )
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
    response = client.post("/mcp", json=message, headers=headers | headers_of(expert))
    if response.status_code != 200:
        return verdict(response)
    outcome = verdict_of_tool(response)
    if outcome == RIGHT and name == "ask_expert":
        answer = tool_reply(response)["result"].get("structuredContent") or {}
        if "queryId" in answer:
            record.add_answer(expert.plugin, answer)
    return outcome


def chat_in_public(site: Site, record: SoakRecord, client: httpx2.Client, choose: random.Random) -> str:
    """Now and then the client leaves before anything has come."""
    path, body = f"/api/public/{choose.choice(PLUGINS)}/chat", {"message": question(choose)}
    if choose.random() < 0.2:
        try:
            client.post(path, json=body, timeout=choose.uniform(0.02, 0.4))
        except httpx2.TimeoutException:
            return RIGHT
    response = client.post(path, json=body)
    if response.status_code == 200 and not response.text:
        return "the public chat sent an empty answer"
    return verdict(response)


def converse(site: Site, record: SoakRecord, client: httpx2.Client, choose: random.Random) -> str:
    """A message in a private conversation. Where the stream breaks, its run is followed to its end."""
    expert = choose.choice(site.experts)
    text = choose.choice([PRIVATE_QUESTION, question(choose)])
    headers = headers_of(expert) | {"Idempotency-Key": str(uuid.UUID(int=choose.getrandbits(128)))}
    body, begun = {"message": text, "plugin": expert.plugin}, time.monotonic()
    try:
        response = client.post("/api/chat", json=body, headers=headers)
    except httpx2.HTTPError:
        if not record.was_cut(begun, time.monotonic()):
            raise
        response = client.post("/api/chat", json=body, headers=headers)  # the same request, by its key
    if response.status_code != 200:
        return verdict(response)
    frames = frames_of(response.text)
    run = str(frames[0]["data"]["runId"])
    record.runs.add(run)
    if frames[-1]["event"] == "done":
        return RIGHT
    return _follow(client, run, headers_of(expert))


def frames_of(text: str) -> list[dict[str, Any]]:
    """The named events of a stream: `event` and `data`."""
    frames = []
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        if "event" in fields:
            frames.append({"event": fields["event"], "data": json.loads(fields["data"])})
    return frames


def _follow(client: httpx2.Client, run: str, headers: dict[str, str]) -> str:
    """Asks for the events of the run until they end as they should."""
    end, last = time.monotonic() + RUN_PATIENCE_SECONDS, "nothing"
    while time.monotonic() < end:
        time.sleep(2)
        try:
            response = client.get(f"/api/runs/{run}/events", headers=headers)
        except httpx2.HTTPError as error:
            last = repr(error)
            continue
        if response.status_code == 200 and (frames := frames_of(response.text)):
            last = str(frames[-1])[:300]
            if frames[-1]["event"] == "done":
                return CUT
            if frames[-1]["event"] == "error" and frames[-1]["data"].get("code") in CLEAN_CODES:
                return CLEAN
    return f"run {run} did not end in {RUN_PATIENCE_SECONDS} s: {last}"
