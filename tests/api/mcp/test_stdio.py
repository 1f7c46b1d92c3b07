"""`manage.py mcp`, as a child process of the official client."""

from __future__ import annotations

import json
import subprocess
import sys

import anyio
import pytest
from asgiref.sync import sync_to_async
from django.core.management import call_command
from django.utils import timezone

from accounts.models import ApiKey, User
from api.mcp.server import TOOLS
from lexic.database import release_connections
from plugins.models import Plugin
from querying.models import Query
from tests.api.mcp.clients import (
    PREVIOUS,
    ROOT,
    UNCLEAR,
    WEATHER,
    Person,
    child,
    data_of,
    error_of,
    links_of,
    over_stdio,
    surroundings,
    until,
)
from tests.api.mcp.test_http import META, message
from tests.openai_stub import OpenAIStub, SlowStream

pytestmark = pytest.mark.django_db(transaction=True)

# The command, with a tool that prints.
NOISY = """
import django
from django.core.management import call_command

django.setup()
from api.mcp.handlers import list_experts

find = list_experts.find_experts
list_experts.find_experts = lambda *args, **kwargs: print("noise", flush=True) or find(*args, **kwargs)
call_command("mcp")
"""


@pytest.mark.parametrize("mode", ["auto", PREVIOUS])
def test_a_child_process_answers_and_asks_back(published: Plugin, key: str, mode: str):
    person = Person("severe")

    async def use(client):
        tools = [tool.name for tool in (await client.list_tools()).tools]
        answered = await client.call_tool("ask_expert", {"plugin": "cover", "question": UNCLEAR})
        return tools, answered, await client.read_resource(links_of(answered)[0].uri)

    tools, answered, opened = over_stdio(child(key), use, mode=mode, elicitation_callback=person)
    assert tools == [*TOOLS]
    assert "45 mm" in data_of(answered)["answer"]
    assert "45 mm" in opened.contents[0].text
    (form,) = person.asked
    assert form.requested_schema["properties"]["exposure"]["enum"] == ["mild", "severe"]


def test_a_client_without_forms_gets_the_question_as_a_result(published: Plugin, key: str):
    asked = {"plugin": "cover", "question": UNCLEAR}
    left = over_stdio(child(key), lambda client: client.call_tool("ask_expert", asked), mode=PREVIOUS)
    assert data_of(left)["clarification"]["options"] == ["mild", "severe"]


def test_a_user_who_declines_leaves_the_question_to_the_model(published: Plugin, key: str):
    asked = {"plugin": "cover", "question": UNCLEAR}
    left = over_stdio(
        child(key),
        lambda client: client.call_tool("ask_expert", asked),
        mode=PREVIOUS,
        elicitation_callback=Person(None),
    )
    assert data_of(left)["outcome"] == "clarify"


def test_a_spent_key_is_a_tool_error_that_says_how_long_to_wait(published: Plugin, alice: User):
    secret = ApiKey.objects.issue(owner=alice, name="limited", per_minute=1)[1]

    async def use(client):
        return [await client.call_tool("list_experts", {}) for _ in range(2)]

    first, second = over_stdio(child(secret), use)
    assert data_of(first)["total"] == 1
    assert error_of(second)["code"] == "rate_limited"
    assert error_of(second)["retry_after"] > 0


def test_a_key_that_is_revoked_meanwhile_is_out_at_once(published: Plugin, key: str):
    def revoke():
        with release_connections():  # on a thread of its own, whose connection nobody else would close
            ApiKey.objects.update(revoked_at=timezone.now())

    async def use(client):
        await client.call_tool("list_experts", {})
        await sync_to_async(revoke)()
        return await client.call_tool("list_experts", {})

    assert error_of(over_stdio(child(key), use))["code"] == "not_authenticated"


def test_a_cancelled_call_stops_the_model(published: Plugin, key: str):
    with OpenAIStub(
        lambda request: "For severe exposure the nominal cover of a beam is 45 mm [Source 1]. " * 200
    ) as stub:
        stub.script.append(SlowStream(0.05))
        model = {"LEXIC_LLM": "openai", "OPENAI_API_KEY": "sk-test", "OPENAI_BASE_URL": stub.base_url}

        async def use(client):
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "ask_expert", {"plugin": "cover", "question": WEATHER})
                while not stub.calls:
                    await anyio.sleep(0.05)
                group.cancel_scope.cancel()
            assert stub.wait_for_disconnect()

        over_stdio(child(key, **model), use)
        until(lambda: list(Query.objects.values_list("outcome", flat=True)) == ["abandoned"])


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "django", "mcp", *arguments]
    return subprocess.run(
        command,
        cwd=ROOT,
        env=surroundings(**environment),
        input="",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("arguments", [[], ["--key", "lx_wrong"]])
def test_without_a_key_that_works_it_does_not_start(db: None, arguments: list[str]):
    ended = run(*arguments)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert "LEXIC_API_KEY" in ended.stderr


def test_when_the_client_leaves_it_ends_without_a_word(key: str):
    ended = run("--key", key)
    assert (ended.returncode, ended.stdout) == (0, "")


def test_what_the_program_prints_does_not_reach_the_protocol(published: Plugin, key: str):
    """Whatever prints while a tool runs: the standard output is the protocol's."""
    hello = {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ]
    process = subprocess.Popen(
        [sys.executable, "-c", NOISY],
        cwd=ROOT,
        env=surroundings(LEXIC_API_KEY=key),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    call = {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "list_experts", "arguments": {}}}
    assert process.stdin
    assert process.stdout
    for line in [*lines, call]:
        process.stdin.write(json.dumps(line) + "\n")
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _ in range(2)]
    rest, noise = process.communicate(timeout=30)
    assert [answer["id"] for answer in answers] == [1, 2]
    assert answers[1]["result"]["structuredContent"]["total"] == 1
    assert rest == ""
    assert "noise" in noise


def test_the_help_has_an_example_for_a_desktop_client(capsys):
    with pytest.raises(SystemExit) as ended:
        call_command("mcp", "--help")
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert '"mcpServers"' in shown
    assert "LEXIC_API_KEY" in shown


def test_a_client_that_leaves_without_its_answers_ends_the_command_quietly(db: None, key: str):
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    first = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [sys.executable, "-m", "django", "mcp"]
    with subprocess.Popen(command, cwd=ROOT, env=surroundings(LEXIC_API_KEY=key), **streams) as process:
        process.stdout.close()
        process.stdin.write(json.dumps(first) + "\n")
        process.stdin.close()
        said = process.stderr.read()
    assert (process.returncode, said) == (0, "")


@pytest.mark.parametrize("revision", ["2025-06-18", "2025-11-25"])
def test_each_earlier_revision_that_has_forms_asks_while_the_call_waits(published: Plugin, key: str, revision: str):
    """Message by message, as the revision has it; the current one ends the call instead."""
    hello = {
        "protocolVersion": revision,
        "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "test", "version": "1"},
    }
    asked = {"name": "ask_expert", "arguments": {"plugin": "cover", "question": UNCLEAR}}
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    command = [sys.executable, "-m", "django", "mcp"]
    with subprocess.Popen(command, cwd=ROOT, env=surroundings(LEXIC_API_KEY=key), **streams) as process:

        def send(**message: object) -> None:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            process.stdin.flush()

        def read() -> dict:
            return next(
                one for line in process.stdout if "notifications/" not in (one := json.loads(line)).get("method", "")
            )

        send(id=1, method="initialize", params=hello)
        assert read()["result"]["protocolVersion"] == revision
        send(method="notifications/initialized")
        send(id=2, method="tools/call", params=asked)
        form = read()
        assert form["method"] == "elicitation/create"
        assert form["params"]["requestedSchema"]["properties"]["exposure"]["enum"] == ["mild", "severe"]
        send(id=form["id"], result={"action": "accept", "content": {"exposure": "severe"}})
        answered = read()
        process.stdin.close()
    assert answered["id"] == 2
    assert "45 mm" in answered["result"]["structuredContent"]["answer"]


@pytest.mark.parametrize("gives_up", [True, False])
def test_a_client_that_discovers_may_give_up_and_begin_an_earlier_revision(
    published: Plugin, key: str, gives_up: bool
) -> None:
    """A process that starts slowly finds both messages; one that waits for the first is answered."""
    hello = {"protocolVersion": PREVIOUS, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    lines = [message("server/discover", _meta=META) | {"id": 1}]
    if gives_up:
        lines.append(message("initialize", **hello) | {"id": 2})
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": ROOT}
    command = [sys.executable, "-m", "django", "mcp"]
    with subprocess.Popen(command, env=surroundings(LEXIC_API_KEY=key), **streams) as process:
        process.stdin.write("".join(f"{json.dumps(line)}\n" for line in lines))
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        process.stdin.close()
    assert (answer["id"], "result" in answer) == (2 if gives_up else 1, True)
