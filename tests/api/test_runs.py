"""Messages to the agent over HTTP: the frames, who reads them again, and what is refused before the first one."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from asgiref.sync import sync_to_async

from accounts.models import ApiKey, User
from agents.execution import execute_run, follow_run
from agents.models import AgentRun
from agents.tools import registry
from agents.tools.tool_types import ToolOutput
from conversations.models import ChatMessage, ChatSession, Project
from knowledge.ingest import ingest
from knowledge.models import Document
from knowledge.personal_knowledge_base import personal_knowledge_base
from plugins.models import Plugin
from querying.models import Query
from querying.query_log.quotations import WITHHELD_TEXT
from tests.agents.chatting import SPACERS, Frame, chat, chatting, client_of, followed, frames, refusal
from tests.api.mcp.clients import until
from tests.conversations.layered import QUESTION as ABOUT_MARROW
from tests.conversations.layered import give

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _all_runs_end(transactional_db: None) -> Iterator[None]:
    """Before the tables are emptied."""
    yield
    until(lambda: not AgentRun.objects.running().exists())


@pytest.fixture
def client(published: Plugin, bob: User, server: str) -> Iterator[httpx2.Client]:
    with client_of(server, bob) as client:
        yield client


@pytest.fixture
def hanging(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """A search that hangs until this is set."""
    release = threading.Event()

    async def hang(*args: Any) -> ToolOutput:
        await sync_to_async(release.wait)(60)
        return ToolOutput(result="late")

    tool = replace(registry.TOOLS["search_knowledge"], call=hang)
    monkeypatch.setitem(registry.TOOLS, "search_knowledge", tool)
    yield release
    release.set()


def first(stream: Iterator[Frame], kind: str) -> Frame:
    return next(frame for frame in stream if frame.event == kind)


def text_of(got: list[Frame]) -> str:
    return "".join(frame.data["text"] for frame in got if frame.event == "content")


def test_jl_018_jl_019_jl_039_jl_041_jl_042_a_message_is_answered_in_frames(client: httpx2.Client) -> None:
    got = chat(client, plugin="cover")
    kinds = [frame.event for frame in got]
    assert kinds == ["run", "agent_type", "step_start", "step_end", *["source", "content"] * 2, "done"]
    numbers = [frame.id for frame in got]
    assert all(isinstance(number, int) for number in numbers)
    assert numbers == sorted(numbers, key=lambda number: number or 0)
    assert got[-1].data == {
        "outcome": "answered",
        "stopped": None,
        "usage": {"promptTokens": 0, "completionTokens": 0},
    }
    begun = got[0].data
    assert begun.keys() == {"runId", "conversationId", "messageId", "title"}
    question, answer = ChatMessage.objects.order_by("pk")
    assert (str(question.uuid), question.content, answer.content) == (begun["messageId"], SPACERS, text_of(got))


def test_jl_022_without_a_conversation_one_begins_and_the_next_message_goes_on(client: httpx2.Client) -> None:
    begun = chat(client, "What is the nominal cover of a beam?", plugin="cover")[0].data
    assert begun["title"] == "What is the nominal cover of a beam?"
    got = chat(client, "severe", plugin="cover", conversationId=begun["conversationId"])
    assert "45 mm" in text_of(got)
    assert ChatSession.objects.count() == 1
    listed = client.get(f"/api/conversations/{begun['conversationId']}/messages").json()["results"]
    assert [one["role"] for one in listed] == ["user", "assistant"] * 2


def test_jl_043_the_content_events_joined_are_the_message(client: httpx2.Client) -> None:
    got = chat(client, "What is the minimum cover for a beam exposed to weather?", plugin="cover")
    listed = client.get(f"/api/conversations/{got[0].data['conversationId']}/messages").json()["results"]
    assert listed[1]["content"] == text_of(got)
    assert [one["id"] for one in listed[1]["citations"]] == ["src_1"]


def test_the_plugin_is_the_bodys_or_the_projects_or_the_sites(
    client: httpx2.Client, published: Plugin, bob: User, settings: Any
) -> None:
    assert refusal(client)[1]["code"] == "no_plugin"
    project = Project.objects.create_with_base(owner=bob, name="Marrow House", plugin=published)
    assert chat(client, projectId=str(project.pk))[-1].event == "done"
    settings.AGENTS = replace(settings.AGENTS, desk="cover")
    assert chat(client)[-1].event == "done"
    assert set(AgentRun.objects.values_list("release_name", flat=True)) == {"cover@1.0.0"}


def test_the_same_request_is_one_run(client: httpx2.Client) -> None:
    headers = {"Idempotency-Key": "once"}
    one = chat(client, plugin="cover", headers=headers)
    again = chat(client, plugin="cover", headers=headers)
    assert one == again
    assert (AgentRun.objects.count(), Query.objects.count()) == (1, 1)
    assert refusal(client, plugin="cover", headers={"Idempotency-Key": "x" * 300})[1]["code"] == "invalid_header"


# --- Read again ---------------------------------------------------------------------------------------------------


def test_a_second_tab_and_a_reload_show_the_same_events(client: httpx2.Client) -> None:
    with chatting(client, plugin="cover") as stream:
        run_id = first(stream, "run").data["runId"]
        beside = followed(client, run_id)
        rest = list(stream)
    assert beside[1:] == rest
    assert followed(client, run_id) == beside
    assert followed(client, run_id, after=beside[3].id) == beside[4:]
    assert followed(client, run_id, after=10**6) == []


def test_leaving_the_page_does_not_stop_it(client: httpx2.Client, hanging: threading.Event) -> None:
    with chatting(client, plugin="cover") as stream:
        run_id = first(stream, "run").data["runId"]
        first(stream, "step_start")
    hanging.set()
    assert followed(client, run_id)[-1].event == "done"


def test_a_run_is_shown(client: httpx2.Client) -> None:
    begun = chat(client, plugin="cover")[0].data
    shown = client.get(f"/api/runs/{begun['runId']}").json()
    assert (shown["state"], shown["agentType"], shown["release"]) == ("done", "rag", "cover@1.0.0")
    assert (shown["conversationId"], shown["messageId"]) == (begun["conversationId"], begun["messageId"])
    assert shown["budgets"]["iterations"] == 15


def test_jl_007_a_run_is_nobody_elses(client: httpx2.Client, server: str, alice: User, bob: User) -> None:
    run_id = chat(client, plugin="cover")[0].data["runId"]
    operator = User.objects.create_superuser("olga@example.org", "correct horse battery")
    strangers = [client_of(server, alice), client_of(server, operator), client_of(server, bob, "query")]
    for stranger in strangers:
        with stranger:
            for method, address in (("GET", ""), ("GET", "/events"), ("POST", "/cancel"), ("POST", "/resume")):
                answer = stranger.request(method, f"/api/runs/{run_id}{address}")
                assert (answer.status_code, answer.json()["code"]) == (404, "unknown_run")


def test_jl_010_whoever_leaves_a_project_reads_no_events_of_it(
    client: httpx2.Client, published: Plugin, alice: User, bob: User
) -> None:
    project = Project.objects.create_with_base(owner=alice, name="Marrow House", plugin=published)
    give(project.knowledge_base)
    project.set_members({bob.email: "viewer"})
    got = chat(client, ABOUT_MARROW, projectId=str(project.pk))
    assert "75 mm" in text_of(got)
    project.set_members({})
    withheld = followed(client, got[0].data["runId"])
    assert text_of(withheld) == WITHHELD_TEXT
    assert {frame.event for frame in withheld} == {"run", "agent_type", "content", "done"}
    body = {"conversationId": got[0].data["conversationId"], "plugin": "cover"}
    assert refusal(client, **body)[1]["code"] == "unknown_project"


# --- Stopped ------------------------------------------------------------------------------------------------------


def test_it_stops_within_two_seconds_also_while_a_tool_hangs(client: httpx2.Client, hanging: threading.Event) -> None:
    with chatting(client, plugin="cover") as stream:
        begun = first(stream, "run").data
        call = first(stream, "step_start").data["callId"]
        since = time.monotonic()
        assert client.post(f"/api/runs/{begun['runId']}/cancel").status_code == 200
        rest = list(stream)
        assert time.monotonic() - since < 30, "of the sixty seconds that the tool takes"
    # What is waited for in between, each at its longest; the rest is work, and depends on the machine.
    assert execute_run._CANCEL_CHECK_SECONDS + follow_run._MOST_POLL_SECONDS < 2
    assert [frame.event for frame in rest] == ["step_end", "done"]
    assert (rest[0].data["callId"], rest[0].data["error"]["code"]) == (call, "cancelled")
    assert rest[1].data["stopped"] == "cancelled"
    hanging.set()
    assert client.get(f"/api/runs/{begun['runId']}").json()["state"] == "cancelled"
    resumed = client.post(f"/api/runs/{begun['runId']}/resume")
    assert (resumed.status_code, resumed.json()["code"]) == (409, "run_ended")


def test_of_two_messages_at_once_one_is_refused(client: httpx2.Client, hanging: threading.Event) -> None:
    with chatting(client, plugin="cover") as stream:
        begun = first(stream, "run").data
        status, said = refusal(client, plugin="cover", conversationId=begun["conversationId"])
        assert (status, said["code"], said["runId"]) == (409, "conversation_busy", begun["runId"])
        resumed = client.post(f"/api/runs/{begun['runId']}/resume")
        assert (resumed.status_code, resumed.json()["state"]) == (200, "running")
        hanging.set()


def test_of_two_posts_in_the_same_moment_one_is_refused(
    client: httpx2.Client, server: str, bob: User, hanging: threading.Event
) -> None:
    session = ChatSession.objects.begin_private(user=bob, project=None, title="Cover")
    both = threading.Barrier(2)
    body = {"message": SPACERS, "plugin": "cover", "conversationId": str(session.pk)}

    def post() -> tuple[int, str]:
        both.wait(120)
        with client.stream("POST", "/api/chat", json=body) as response:
            if response.status_code == 200:
                return 200, next(frames(response)).data["runId"]
            return response.status_code, json.loads(response.read())["runId"]

    with ThreadPoolExecutor(2) as pool:
        answers = sorted(one.result(120) for one in [pool.submit(post) for _ in range(2)])
    hanging.set()
    assert [status for status, _ in answers] == [200, 409]
    assert {run for _, run in answers} == {str(AgentRun.objects.get().pk)}, "the refusal names the run that goes on"
    assert session.messages.filter(role="user").count() == 1


def test_a_person_has_three_at_once(client: httpx2.Client, hanging: threading.Event) -> None:
    with chatting(client, plugin="cover") as a, chatting(client, plugin="cover") as b:
        first(a, "run")
        first(b, "run")
        with chatting(client, plugin="cover") as c:
            first(c, "run")
            status, said = refusal(client, plugin="cover")
            hanging.set()
    assert (status, said["code"]) == (429, "too_many_runs")


# --- Refused before the first event -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        {"message": ""},
        {"message": "x" * 8001},
        {"message": 7},
        {"model": "gpt-4o"},
        {"thinkMode": "yes"},
        {"thinkingBudgetTokens": 1023},
        {"thinkingBudgetTokens": 32_001},
        {"conversationId": "mine"},
        {"userId": str(uuid4())},
        {"attachments": [{}]},
        {"attachments": [{"documentId": str(uuid4()), "text": "x"}]},
        {"attachments": [{"documentId": str(uuid4())}] * 6},
        {"attachments": [{"name": "x", "text": "x" * 200_001}]},
    ],
)
def test_jl_021_bodies_are_strict(client: httpx2.Client, body: dict[str, Any]) -> None:
    status, said = refusal(client, **{"plugin": "cover", **body})
    assert (status, said["code"]) == (400, "invalid")
    assert not ChatSession.objects.exists()


def test_what_one_may_not_see_is_not_there(
    client: httpx2.Client, published: Plugin, handbook: Document, alice: User
) -> None:
    conversation = ChatSession.objects.begin_private(user=alice, project=None, title="x")
    project = Project.objects.create_with_base(owner=alice, name="Marrow House")
    secret = give(personal_knowledge_base(alice))
    Plugin.objects.create(owner=alice, name="Draft", slug="draft", domain="x", system_prompt="x")
    for body, code in (
        ({"conversationId": str(conversation.pk)}, "unknown_conversation"),
        ({"projectId": str(project.pk)}, "unknown_project"),
        ({"attachments": [{"documentId": str(secret.pk)}]}, "unknown_document"),
        ({"plugin": "draft"}, "unknown_plugin"),
    ):
        status, said = refusal(client, **{"plugin": "cover", **body})
        assert (status, said["code"]) == (404, code)
    assert not AgentRun.objects.exists()


def test_a_document_has_to_be_read_and_a_conversation_has_its_limit(
    client: httpx2.Client, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = give(personal_knowledge_base(bob))
    Document.objects.update(status="queued")
    body = {"plugin": "cover", "attachments": [{"documentId": str(document.pk)}]}
    status, said = refusal(client, **body)
    assert (status, said["code"]) == (409, "document_not_ready")
    begun = chat(client, plugin="cover")[0].data
    monkeypatch.setattr("agents.messages.begin_run.MAX_QUESTIONS", 1)
    status, said = refusal(client, plugin="cover", conversationId=begun["conversationId"])
    assert (status, said["code"]) == (409, "conversation_full")


def test_a_key_needs_to_ask_and_reads_what_is_private_only_where_it_may_read(
    server: str, published: Plugin, bob: User
) -> None:
    give(personal_knowledge_base(bob))
    with client_of(server, bob, "read") as reads_only:
        status, said = refusal(reads_only, plugin="cover")
        assert (status, said["code"]) == (403, "missing_capability")
    for narrow in (client_of(server, bob, "query"), client_of(server, bob, plugins=[published])):
        with narrow:
            got = chat(narrow, ABOUT_MARROW, plugin="cover")
            assert "75 mm" not in text_of(got)
            assert followed(narrow, got[0].data["runId"]) == got
            texts = {"attachments": [{"name": "x", "text": "x"}]}
            assert refusal(narrow, plugin="cover", **texts)[1]["code"] == "missing_capability"
    assert [run.layers for run in AgentRun.objects.all()] == [[], []]
    with client_of(server, bob) as whole:
        assert "75 mm" in text_of(chat(whole, ABOUT_MARROW, plugin="cover"))


def test_a_key_that_opens_nothing_private_goes_on_with_what_it_asked_alone(
    server: str, published: Plugin, bob: User, alice: User
) -> None:
    with (
        client_of(server, bob, "query") as key,
        client_of(server, bob, "query") as other,
        client_of(server, bob) as own,
    ):
        body = {"plugin": "cover", "conversationId": chat(key, plugin="cover")[0].data["conversationId"]}
        assert chat(key, **body)[-1].data["outcome"] == "answered"
        with client_of(server, alice, "query") as stranger:
            assert refusal(stranger, **body)[0] == 404
        status, said = refusal(other, **body)
        assert (status, said["code"]) == (404, "unknown_conversation")
        assert "in which it asked every question" in said["hint"]
        assert refusal(other, plugin="cover", conversationId=str(uuid4()))[1] == said, "there or not"
        assert chat(own, **body)[-1].event == "done"
        assert refusal(key, **body)[1] == said, "its person has asked in it meanwhile"


def test_a_key_that_is_revoked_reads_no_further(client: httpx2.Client, hanging: threading.Event) -> None:
    with chatting(client, plugin="cover") as stream:
        first(stream, "step_start")
        ApiKey.objects.get().revoke()
        last = list(stream)[-1]
    assert (last.event, last.data["code"]) == ("error", "access_ended")
    hanging.set()


def test_a_text_that_comes_along_is_read_and_asked(server: str, published: Plugin, bob: User) -> None:
    with client_of(server, bob, "query", "read", "author") as client:
        sent = {"attachments": [{"name": "Marrow House", "text": "The footings of Marrow House get 75 mm of cover."}]}
        with chatting(client, "What cover do the footings of Marrow House get?", plugin="cover", **sent) as stream:
            first(stream, "run")
            ingest(Document.objects.get(title="Marrow House").pk)
            got = list(stream)
    assert "75 mm" in text_of(got)
