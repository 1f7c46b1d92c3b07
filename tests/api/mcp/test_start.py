"""The libraries of MCP and of SCIM take longer to load than all the rest: only who speaks them waits for that."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.api.mcp.clients import ROOT, surroundings


@pytest.mark.parametrize("what", ["lexic.asgi", "lexic.urls", "api.management.commands.mcp"])
def test_nothing_loads_the_libraries_before_they_are_needed(what: str):
    loaded = "any(name in sys.modules for name in ('mcp', 'scim2_models'))"
    program = f"import sys, django; django.setup(); import {what}; sys.exit({loaded})"
    ended = subprocess.run([sys.executable, "-c", program], cwd=ROOT, timeout=300, check=False)
    assert ended.returncode == 0


# What reads questions and texts: models, their libraries, and what is worked out from long lists of words.
HEAVY = ("onnxruntime", "tokenizers", "openai", "dateparser", "pypdfium2", "pdfplumber", "lxml", "matplotlib")
HEAVY += ("numpy", "PIL", "httpcore2", "Stemmer", "language.terms", "language.units")
# What does the work of the tools.
PIPELINE = ("api.mcp.handlers", "querying.pipeline", "querying.json_format", "knowledge.search.hybrid", "trees.walk")
# The builder, which is loaded with the addresses that lead to it.
PAGES = ("lexic.urls", "unfold.admin", "builder.admin", "marketplace.admin", "drf_spectacular.generators")
MAX_MEGABYTES = 200


@pytest.mark.django_db(transaction=True)
def test_a_client_that_starts_the_server_does_not_wait_for_models(key: str, tmp_path: Path):
    """Until the first question: no model, no large library, little memory."""
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    ]
    log = tmp_path / "imports.log"  # a pipe that nobody empties would be full
    command = [sys.executable, "-X", "importtime", "-m", "django", "mcp"]
    with (
        log.open("w") as errors,
        subprocess.Popen(
            command,
            cwd=ROOT,
            env=surroundings(LEXIC_API_KEY=key),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        ) as process,
    ):
        assert process.stdin
        assert process.stdout
        process.stdin.write("".join(f"{json.dumps(line)}\n" for line in lines))
        process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
        status = Path(f"/proc/{process.pid}/status").read_text()
        process.communicate()
    assert [answer["id"] for answer in answers] == [1, 2]
    [peak] = [int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")]
    assert peak / 1024 < MAX_MEGABYTES
    loaded = {
        line.rpartition("|")[2].strip() for line in log.read_text().splitlines() if line.startswith("import time:")
    }
    assert "api.mcp.server" in loaded
    assert loaded.isdisjoint(HEAVY + PIPELINE + PAGES)
