"""The command `lexic` as a process, against the real server."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.sdk.pages import SDK

pytestmark = pytest.mark.django_db(transaction=True)

WEATHER = "What is the minimum cover for a beam exposed to weather?"
BEAM = "What is the nominal cover of a beam?"


def lexic(server: str, key: str, *arguments: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(SDK),
        "LEXIC_BASE_URL": server,
        "LEXIC_API_KEY": key,
    }
    return subprocess.run(
        [sys.executable, "-m", "lexic_sdk", *arguments],
        env=environment,
        input=typed,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_plugin_is_found_and_asked(server: str, key: str) -> None:
    listed = lexic(server, key, "plugins")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert listed.stdout.split()[0] == "cover"
    asked = lexic(server, key, "ask", "cover", WEATHER)
    assert (asked.returncode, asked.stderr) == (0, "")
    assert "45 mm" in asked.stdout
    assert "[1] Cover handbook" in asked.stdout


def test_a_missing_fact_is_told_and_given(server: str, key: str) -> None:
    missing = lexic(server, key, "ask", "cover", BEAM)
    assert missing.returncode == 4
    assert "--fact exposure=" in missing.stdout
    given = lexic(server, key, "ask", "cover", BEAM, "--fact", "exposure=severe", "--json")
    assert given.returncode == 0
    assert "45 mm" in json.loads(given.stdout)["answer"]


def test_a_chat_remembers_and_a_refusal_is_no_error(server: str, key: str) -> None:
    chat = lexic(server, key, "chat", "cover", typed=f"{WEATHER}\nWho won the chess olympiad in 1972?\n")
    assert (chat.returncode, chat.stderr) == (0, "")
    assert "45 mm" in chat.stdout
    assert "I don't have verified information" in chat.stdout
    assert lexic(server, key, "ask", "cover", "Who won the chess olympiad in 1972?").returncode == 3


def test_a_plugin_that_is_not_there_and_a_wrong_key(server: str, key: str) -> None:
    for secret, arguments in ((key, ("ask", "nothing", WEATHER)), ("lx_wrong", ("plugins",))):
        refused = lexic(server, secret, *arguments)
        assert (refused.returncode, refused.stdout) == (1, "")
        assert refused.stderr.count("\n") == 1
