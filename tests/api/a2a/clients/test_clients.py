"""Published clients of the protocol, unmodified, over real HTTP: of the revisions 1.0 and 0.3, and of TypeScript."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import override_settings

from querying.models import Query
from tests.api.a2a.calling import BEAM, CHESS, WEATHER
from tests.client_packages import npm_installed, python_with, run
from tests.clients import table
from tests.servers import asgi_server

pytestmark = [pytest.mark.long, pytest.mark.django_db(transaction=True)]

HERE = Path(__file__).parent
A2A_PACKAGE = "a2a-sdk==1.3.0"
PYTHON_CLIENTS = {"client_10.py": A2A_PACKAGE, "client_03.py": "a2a-sdk==0.3.26"}
TYPESCRIPT_CLIENT = "@a2a-js/sdk@1.3.0"
TRIED = ("send", "stream", "a question back", "a refusal", "reading a task")
REFUSAL = "I don't have verified information"
QUESTION = "How is the member exposed?"


@pytest.fixture
def agent(published: Any) -> Iterator[str]:
    """The address of the agent, which its card names as well."""
    with asgi_server() as url, override_settings(PUBLIC_URL=url):
        yield f"{url}/a2a/cover"


@pytest.mark.parametrize("program", PYTHON_CLIENTS)
def test_a_client_of_python(program: str, agent: str, key: str) -> None:
    python = python_with(PYTHON_CLIENTS[program])
    printed = json.loads(run(python, HERE / program, agent, key, WEATHER, BEAM, CHESS).splitlines()[-1])
    for seen in printed.values():
        assert "45 mm" in seen["answered"]["text"]
        assert seen["answered"]["data"]["citations"][0]["document"] == "Cover handbook"
        assert seen["refused"]["text"].startswith(REFUSAL)
        assert seen["refused"]["data"]["outcome"] == "refused"
        assert QUESTION in seen["asked"]["text"]
        assert "45 mm" in seen["continued"]["text"]
        assert seen["continued"]["task_id"] == seen["asked"]["task_id"]
        assert "45 mm" in seen["read"][1]
        assert "no such task" in seen["missing"][1]
    states = {name: printed["whole"][name]["state"] for name in ("answered", "refused", "asked", "continued")}
    assert len(set(states.values())) == 2
    assert printed["streamed"]["asked"]["state"] == states["asked"]
    assert len(printed["streamed"]["answered"]["kinds"]) > 3 > len(printed["whole"]["answered"]["kinds"])
    assert Query.objects.count() == 8
    version = PYTHON_CLIENTS[program].partition("==")[2]
    interface = {"client_10.py": "A2A 1.0", "client_03.py": "A2A 0.3"}[program]
    table.record("a2a-sdk (Python)", version=version, interface=interface, tried=TRIED)


def test_a_client_of_typescript(agent: str, key: str, tmp_path: Path) -> None:
    modules = npm_installed("a2a-client", (TYPESCRIPT_CLIENT,), "--legacy-peer-deps", "--omit=peer")
    (tmp_path / "node_modules").symlink_to(modules)
    program = tmp_path / "client.mjs"
    program.write_text((HERE / "client.mjs").read_text())
    printed = json.loads(run("node", program, agent, key, WEATHER, BEAM, CHESS).splitlines()[-1])
    for name in ("answered", "streamed", "continued"):
        assert "45 mm" in printed[name]["text"]
        assert printed[name]["data"]["citations"][0]["document"] == "Cover handbook"
    assert printed["refused"]["text"].startswith(REFUSAL)
    assert QUESTION in printed["asked"]["text"]
    assert printed["asked"]["taskId"] == printed["continued"]["taskId"]
    assert printed["asked"]["state"] != printed["continued"]["state"] == printed["streamed"]["state"]
    assert "no such task" in printed["missing"][1]
    version = TYPESCRIPT_CLIENT.rpartition("@")[2]
    table.record("@a2a-js/sdk (Node)", version=version, interface="A2A 1.0", tried=TRIED)
