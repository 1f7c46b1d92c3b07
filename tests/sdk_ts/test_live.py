"""The TypeScript package against the real server: what its users write type-checks, and works."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from querying.models import Feedback, Query
from tests.sdk_ts.package import program

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

WEATHER = "What is the minimum cover for a beam exposed to weather?"
BEAM = "What is the nominal cover of a beam?"
CHESS = "Who won the chess olympiad in 1972?"
_COMMON = {"strict": True, "target": "es2022", "module": "nodenext", "types": ["node"]}


def check(*, lib: list[str], **options: Any) -> str:
    return json.dumps({"compilerOptions": {**_COMMON, "lib": lib, **options}, "include": ["*.ts"]})


# A strict program for Node alone, whose own libraries are checked as well.
CLIENT = check(lib=["es2022"], exactOptionalPropertyTypes=True)
TOOLS = check(lib=["es2022", "dom", "dom.iterable"], skipLibCheck=True)


def run_program(path: Path, *given: str, server: str, secret: str) -> dict[str, Any]:
    environment = {**os.environ, "LEXIC_BASE_URL": server, "LEXIC_API_KEY": secret}
    done = subprocess.run(
        ["node", path, *given], env=environment, capture_output=True, text=True, timeout=180, check=False
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    printed: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return printed


def test_the_client_asks_streams_resumes_clarifies_reads_and_runs_batches(server: str, secret: str) -> None:
    printed = run_program(program("live_client", CLIENT), WEATHER, BEAM, CHESS, server=server, secret=secret)
    answer = printed["answer"]
    assert "45 mm" in answer
    assert (printed["deltas"], printed["resumed"], printed["sameStreamed"]) == (answer, answer, True)
    assert printed["kinds"] == ["status", "delta", "done"]
    assert printed["options"] == ["mild", "severe"]
    assert "45 mm" in printed["clarified"]
    assert "20 mm" in printed["streamedClarified"]
    assert printed["refused"][0::2] == ["refused", 0]
    assert (printed["excerptStandsOnPage"], printed["source"], printed["feedback"]) == (True, True, "up")
    assert (printed["batch"], printed["batchListed"]) == ([["beam", "answered"], ["nothing", "answered"]], True)
    assert (printed["unknown"], printed["stranger"]) == ("unknown_plugin", 401)
    assert (printed["me"], printed["marketplace"]) == (["cover"], ["cover"])
    assert Feedback.objects.count() == 1


def test_a_plugin_is_a_tool_of_the_ai_sdk_and_of_langchain(server: str, secret: str) -> None:
    printed = run_program(program("live_tools", TOOLS), WEATHER, server=server, secret=secret)
    answered, unclear, known, wrong = (printed[name] for name in ("ai", "aiUnclear", "aiKnown", "aiWrong"))
    assert answered["seen"] == {"type": "json", "value": answered["output"]}
    assert "45 mm" in answered["output"]["answer"]
    assert answered["output"]["citations"][0]["document"] == "Cover handbook"
    assert answered["schema"]["required"] == ["query"]
    assert unclear["output"]["clarification"]["field"] == "exposure"
    assert "20 mm" in known["output"]["answer"]
    assert wrong["seen"]["type"] == "error-text"
    assert printed["langchain"]["content"]["answer"] == answered["output"]["answer"]
    assert Query.objects.filter(pk=printed["langchain"]["queryId"]).exists()
    assert printed["langchain"]["documents"] == len(printed["documents"]) > 0
    assert printed["langchainWrong"]["code"] == "unknown_plugin"
    text, metadata = printed["documents"][0]
    assert "45 mm" in text
    assert metadata["source"] == "Cover handbook"
    assert not printed["keyIsKept"]
