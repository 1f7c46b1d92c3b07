"""Published TypeScript hosts list and call our tools, show their users our errors, and go on after each of them."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from accounts.models import ApiKey, User
from api.mcp.server import TOOLS
from plugins.models import Plugin
from tests.api.mcp.clients import ROOT, UNCLEAR, WEATHER, surroundings
from tests.client_packages import npm_installed, run
from tests.clients import table

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

PROGRAM = Path(__file__).parent / "hosts.mjs"
# The newest that run on Node 20.
PACKAGES = (
    "@modelcontextprotocol/sdk@1.32.2",
    "@modelcontextprotocol/client@2.4.0",
    "@modelcontextprotocol/inspector@2.12.0",
    "@ai-sdk/mcp@2.0.99",
    "@langchain/mcp-adapters@1.1.4",
    "@langchain/core@1.4.0",
    "@langchain/langgraph@1.7.3",
    "mcp-use@1.34.6",
    "@openai/agents@0.20.0",
    "zod@4.6.7",
)
# What each of them calls, and part of what its user sees. Python's JSON writes the odd characters as escapes.
ERRORS: list[tuple[dict[str, Any], str]] = [
    ({"plugin": "nothing", "question": WEATHER}, "No plugin of this name can be asked with this key."),
    ({"plugin": "cover", "question": "a\x00b"}, "null character or half a character"),
    ({"plugin": "cover", "question": "a\ud800b"}, "null character or half a character"),
    ({"plugin": "cover"}, "question is missing."),
]
# Those that ask their user for a missing fact.
ASKING_HTTP_HOSTS = {"client", "sdk"}
ASKING_STDIO_HOSTS = {"client", "sdk"}
# The package of each.
HOSTS = {
    "sdk": "@modelcontextprotocol/sdk@",
    "client": "@modelcontextprotocol/client@",
    "ai-sdk": "@ai-sdk/mcp@",
    "langchain": "@langchain/mcp-adapters@",
    "mcp-use": "mcp-use@",
    "openai-agents": "@openai/agents@",
}


@pytest.fixture
def node_modules() -> Path:
    # What only their other parts need is left out, such as React for a page: half of a gigabyte.
    return npm_installed("mcp-hosts", PACKAGES, "--legacy-peer-deps", "--omit=optional")


@pytest.fixture
def folder(node_modules: Path, tmp_path: Path) -> Path:
    """Where the program finds the packages."""
    shutil.copy(PROGRAM, tmp_path)
    (tmp_path / "node_modules").symlink_to(node_modules)
    return tmp_path


@pytest.fixture
def issue(published: Plugin, alice: User) -> Callable[[int], str]:
    """A new key of Alice's that may make so many calls a minute."""

    def issue_key(per_minute: int) -> str:
        capabilities = ["query", "read"]
        return ApiKey.objects.issue(owner=alice, name="host", capabilities=capabilities, per_minute=per_minute)[1]

    return issue_key


def by_http(server: str, secret: str) -> dict[str, Any]:
    return {"url": f"{server}/mcp", "headers": {"Authorization": f"Bearer {secret}"}}


def by_command(secret: str) -> dict[str, Any]:
    arguments = ["-m", "django", "mcp"]
    environment = surroundings(LEXIC_API_KEY=secret, PYTHONPATH=str(ROOT))
    return {"command": sys.executable, "args": arguments, "cwd": str(ROOT), "env": environment, "stderr": "ignore"}


def assert_works(host: str, server: dict[str, Any], folder: Path, *, is_asked_back: bool) -> None:
    good = {"plugin": "cover", "question": WEATHER}
    given = [{"plugin": "cover", "question": UNCLEAR}, *(wrong for wrong, _ in ERRORS), good, good]
    calls = [["ask_expert", arguments] for arguments in given]
    printed = run("node", "hosts.mjs", cwd=folder, stdin=json.dumps({"host": host, "server": server, "calls": calls}))
    shown = json.loads(printed.splitlines()[-1])
    assert sorted(shown["tools"]) == sorted(TOOLS)
    unclear, *wrong, answered, spent = (result["text"] for result in shown["results"])
    assert ("45 mm" if is_asked_back else "How is the member exposed?") in unclear
    for text, (_, told) in zip(wrong, ERRORS, strict=True):
        assert told in text
    assert "45 mm" in answered
    assert "Too many requests. Try again in " in spent


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_over_http(host: str, folder: Path, server: str, issue: Callable[[int], str]) -> None:
    is_asked_back = host in ASKING_HTTP_HOSTS
    secret = issue(2 + len(ERRORS) + is_asked_back)
    assert_works(host, by_http(server, secret), folder, is_asked_back=is_asked_back)
    name, _, version = next(package for package in PACKAGES if package.startswith(HOSTS[host])).rpartition("@")
    tried = ["tools", "ask_expert", "errors", *(["elicitation"] if is_asked_back else [])]
    table.record(f"{name} (Node)", version=version, interface="MCP", tried=tried)


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_on_the_standard_streams(host: str, folder: Path, issue: Callable[[int], str]) -> None:
    is_asked_back = host in ASKING_STDIO_HOSTS
    secret = issue(2 + len(ERRORS) + is_asked_back)
    assert_works(host, by_command(secret), folder, is_asked_back=is_asked_back)


def test_the_inspector_shows_the_text_of_an_error(
    node_modules: Path, server: str, issue: Callable[[int], str], tmp_path: Path
) -> None:
    """Its exit status 5 says that the tool answered with an error."""
    header = f"Authorization: Bearer {issue(2)}"
    inspector = [node_modules / ".bin" / "mcp-inspector", "--cli", f"{server}/mcp", "--transport", "http"]
    assert '"ask_expert"' in run(*inspector, "--header", header, "--method", "tools/list")
    call = [*inspector, "--header", header, "--method", "tools/call", "--tool-name", "ask_expert", "--tool-arg"]
    assert "45 mm" in run(*call, "plugin=cover", f"question={WEATHER}")
    for plugin, told in [("nothing", "No plugin of this name"), ("cover", "Too many requests.")]:
        done = subprocess.run([*call, f"plugin={plugin}", f"question={WEATHER}"], capture_output=True, text=True)
        assert done.returncode == 5
        assert told in done.stdout
