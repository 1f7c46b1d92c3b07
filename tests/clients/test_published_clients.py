"""Published clients of OpenAI's protocol and of MCP, each in an environment of its own, as they come: each thing that
its users do with it is answered."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from plugins.models import Plugin
from tests.api.mcp.clients import WEATHER
from tests.client_packages import npm_installed, python_with, run
from tests.clients import table
from tests.cover import key, plugin, published
from tests.servers import asgi_server

__all__ = ["key", "plugin", "published"]
pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

HERE = Path(__file__).parent
OPENAI, MCP = "OpenAI protocol", "MCP"
# The newest versions when they were tried, with the interfaces that they use.
PYTHON = {
    "openai": ("openai==3.57.0", OPENAI),
    "openai-agents": ("openai-agents==0.24.0", OPENAI),
    "pydantic-ai": ("pydantic-ai-slim[openai]==2.68.0", OPENAI),
    "langchain-openai": ("langchain-openai==1.7.4", OPENAI),
    "llama-index": ("llama-index-llms-openai-like==0.8.1", OPENAI),
    "litellm": ("litellm==1.110.2", OPENAI),
    "fastmcp": ("fastmcp==4.2.3", MCP),
}
NPM = ("openai", "@openai/agents", "@ai-sdk/openai", "@langchain/openai")
NPM_PACKAGES = (
    "openai@7.57.0",
    "ai@7.0.173",
    "@ai-sdk/openai@4.0.118",
    "@langchain/openai@1.6.0",
    "@langchain/core@1.4.0",
    "@openai/agents@0.20.0",
    "@modelcontextprotocol/client@2.4.0",
    "zod@4.6.7",
)


@pytest.fixture
def site(published: Plugin) -> Any:
    with asgi_server() as url:
        yield url


def check(printed: str, *, client: str, language: str, interface: str) -> None:
    told = json.loads(printed.splitlines()[-1])
    assert [name for name, text in told["shown"].items() if "45 mm" not in text] == [], told
    table.record(f"{client} ({language})", version=told["version"], interface=interface, tried=told["shown"])


@pytest.mark.parametrize("client", PYTHON)
def test_a_client_of_python(client: str, site: str, key: str) -> None:
    package, interface = PYTHON[client]
    printed = run(python_with(package), HERE / "python_clients.py", client, site, key, "cover", WEATHER)
    check(printed, client=client, language="Python", interface=interface)


@pytest.mark.parametrize("client", NPM)
def test_a_client_of_npm(client: str, site: str, key: str, tmp_path: Path) -> None:
    modules = npm_installed("openai-clients", NPM_PACKAGES, "--legacy-peer-deps", "--omit=optional")
    (tmp_path / "node_modules").symlink_to(modules)
    shutil.copy(HERE / "npm_clients.mjs", tmp_path)
    given = {"client": client, "server": site, "key": key, "plugin": "cover", "question": WEATHER}
    printed = run("node", "npm_clients.mjs", cwd=tmp_path, stdin=json.dumps(given))
    check(printed, client=client, language="Node", interface=OPENAI)
