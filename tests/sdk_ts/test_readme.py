"""Every block of TypeScript in the README, as pasted, against the real server."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from plugins.models import Plugin
from tests.client_packages import npm_installed
from tests.collaboration.experts import harbour
from tests.openai_stub import OpenAIStub, tool_call
from tests.sdk_ts.package import CONSUMER, SDK, built, install
from webhooks.signing import generate_webhook_secret, signature_headers

__all__ = ["harbour"]
pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

WEATHER = "What is the minimum cover for a beam exposed to weather?"
STEPS = "1 Exposure condition? severe\n2 Cover in severe exposure 45 mm nominal cover\n"
_PIECE = re.compile(r"^## (?P<heading>[^\n]+)$|^```typescript\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)

# What each block prints, or part of it.
EXPECTED = [
    ("Quickstart", ["45 mm [Source 1]", "src_1 Cover handbook undefined", STEPS, "1.0.0"]),
    ("Quickstart", ["45 mm", "\n[1] Cover handbook"]),
    ("Streaming", ["[planning] Reading the question", "45 mm"]),
    ("Streaming", ["45 mm"]),
    ("Clarifications", ["How is the member exposed? [ 'mild', 'severe' ]", "45 mm"]),
    ("Several plugins, and texts to check", ["Harbour works, round 1: ", "60 mm", "the figures differ"]),
    ("Several plugins, and texts to check", ["error", "30 mm", "non-compliant"]),
    ("Batches", ["2 of 2", "beam answered", "chess refused"]),
    ("Errors", ["404 unknown_plugin Check"]),
    ("AI SDK", ["The expert says: ", "45 mm"]),
    ("LangChain", ['"answer":', "45 mm", "Cover handbook"]),
]


def blocks() -> list[tuple[str, str]]:
    """Heading and code of each block, in their order."""
    heading, found = "", []
    for piece in _PIECE.finditer((SDK / "README.md").read_text()):
        heading = piece["heading"] or heading
        if piece["code"]:
            found.append((heading, piece["code"]))
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    install(built(), npm_installed("sdk-ts-consumer", CONSUMER), tmp_path / "node_modules")
    return tmp_path


@pytest.fixture
def model() -> Iterator[OpenAIStub]:
    """A language model that asks the expert once, and repeats what it says."""

    def answer(request: dict[str, Any]) -> Any:
        last = request["messages"][-1]
        if last["role"] == "tool":
            return f"The expert says: {last['content']}"
        return None, [tool_call(request["tools"][0]["function"]["name"], {"query": WEATHER})]

    with OpenAIStub() as stub:
        stub.answer = answer
        yield stub


def run_pasted(code: str, folder: Path, **environment: str) -> str:
    (folder / "program.mjs").write_text(code)
    given = {"PATH": os.environ["PATH"], **environment}
    command = ["node", folder / "program.mjs"]
    done = subprocess.run(command, cwd=folder, env=given, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stderr) == (0, ""), code + done.stdout + done.stderr
    return done.stdout


def test_every_block_runs_and_prints_what_it_should(
    published: Plugin, harbour: Plugin, folder: Path, server: str, secret: str, model: OpenAIStub
) -> None:
    Plugin.objects.filter(pk=published.pk).update(slug="structural-engineering-concrete-cover")
    Plugin.objects.filter(pk=harbour.pk).update(slug="harbour-works")
    environment = {"LEXIC_BASE_URL": server, "LEXIC_API_KEY": secret}
    environment |= {"OPENAI_BASE_URL": model.base_url, "OPENAI_API_KEY": "sk-test"}
    found = blocks()
    assert [heading for heading, _ in found] == [*(heading for heading, _ in EXPECTED), "Webhooks"]
    for (heading, code), (_, expected) in zip(found, EXPECTED, strict=False):
        printed = run_pasted(code, folder, **environment)
        assert [text for text in expected if text not in printed] == [], (heading, printed)


def test_a_webhook_that_this_server_signs_is_read_by_the_receiver_of_the_readme(folder: Path) -> None:
    secret = generate_webhook_secret()
    body = json.dumps({"type": "document.ready", "timestamp": "2026-01-01T00:00:00Z", "data": {"title": "Größe"}})
    headers = signature_headers(event_id="evt_1", at=datetime.now(UTC), body=body.encode(), valid=[secret])
    sender = f"""
    await new Promise((resolve) => receiver.listen(0, resolve));
    const url = `http://127.0.0.1:${{receiver.address().port}}`;
    const [headers, body] = [{json.dumps(headers)}, {json.dumps(body)}];
    const send = async (sent) => (await fetch(url, {{ method: "POST", headers, body: sent }})).status;
    for (const sent of [body, body + " "]) console.log(await send(sent));
    receiver.close();
    """
    printed = run_pasted(dict(blocks())["Webhooks"] + sender, folder, LEXIC_WEBHOOK_SECRET=secret)
    assert printed.split("\n")[:3] == ["document.ready { title: 'Größe' }", "204", "400"]
