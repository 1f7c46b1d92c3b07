"""Every block of Python in the README, as pasted, against the real server."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from plugins.models import Plugin
from tests.collaboration.experts import harbour
from tests.openai_stub import OpenAIStub, tool_call
from tests.sdk.pages import SDK, blocks

__all__ = ["harbour"]
pytestmark = pytest.mark.django_db(transaction=True)

WEATHER = "What is the minimum cover for a beam exposed to weather?"
STEPS = "1 Exposure condition? severe\n2 Cover in severe exposure 45 mm nominal cover\n"

# What each block prints, or part of it.
EXPECTED = [
    ("Quickstart", ["45 mm [Source 1]", "src_1 Cover handbook None", STEPS, "1.0.0"]),
    ("Quickstart", ["45 mm", "\n[1] Cover handbook"]),
    ("Streaming", ["[planning] Reading the question", "45 mm", "['Cover handbook'"]),
    ("Streaming", ["45 mm"]),
    ("Clarifications", ["How is the member exposed? ['mild', 'severe']", "45 mm"]),
    ("Several plugins, and texts to check", ["Harbour works, round 1: ", "60 mm", "the figures differ"]),
    ("Several plugins, and texts to check", ["error", "30 mm", "non-compliant"]),
    ("Errors", ["404 unknown_plugin Check"]),
    ("LangChain", ['"answer": ', '"decisionPath": ', "'source': 'Cover handbook'"]),
    ("AutoGPT", ["consult_expert ['query', 'facts']", "Sources:\n[1] Cover handbook", "Decision path: "]),
    ("OpenAI tools", ["The expert says: ", "45 mm"]),
]


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


def pasted(code: str, environment: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "-c", code],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(SDK), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), code
    return done.stdout


def test_every_block_runs_and_prints_what_it_should(
    published: Plugin, harbour: Plugin, server: str, key: str, model: OpenAIStub
):
    Plugin.objects.filter(pk=published.pk).update(slug="structural-engineering-concrete-cover")
    Plugin.objects.filter(pk=harbour.pk).update(slug="harbour-works")
    environment = {
        "LEXIC_BASE_URL": server,
        "LEXIC_API_KEY": key,
        "OPENAI_BASE_URL": model.base_url,
        "OPENAI_API_KEY": "sk-test",
    }
    found = blocks("python")
    assert [heading for heading, _ in found] == [heading for heading, _ in EXPECTED]
    for (heading, code), (_, expected) in zip(found, EXPECTED, strict=True):
        printed = pasted(code, environment)
        for text in expected:
            assert text in printed, (heading, printed)
