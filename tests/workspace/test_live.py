"""A private conversation that goes on: asked without a script, at work, interrupted, stopped, failed, and refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from asgiref.sync import async_to_sync
from django.test import Client
from django.utils import timezone

from accounts.models import User
from agents.models import AgentRun, EventKind
from conversations.models import ChatSession, Project
from plugins.models import Plugin
from querying.types.answer import Outcome
from tests.agents.working import begin, with_budget, work
from tests.cover import handbook, plugin, published
from tests.request_slot import held_request_slot
from tests.workspace.test_conversations import PAID, shown
from workspace.message_views import wait_for_end

__all__ = ["handbook", "plugin", "published"]
pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]
ASK = "/chats/ask"
STREAM = {"accept": "text/event-stream"}
OPEN = "What is the nominal cover of a beam?"


@pytest.fixture
def asked(shared: Project, published: Plugin) -> Project:
    """The project, whose conversations ask the plugin."""
    published.is_published = True
    shared.change(plugin=published)
    shared.refresh_from_db()
    return shared


def begun(project: Project, plugin: Plugin, user: User, text: str = PAID) -> AgentRun:
    session = ChatSession.objects.begin_private(user=user, project=project, title="What Marrow pays")
    return begin(plugin, user, text, session=session)


def events_of(response: Any) -> list[tuple[str, dict[str, Any]]]:
    """The names and data of what was streamed."""

    async def collected() -> bytes:
        return b"".join([part async for part in response.streaming_content])

    blocks = [block.split("\n") for block in async_to_sync(collected)().decode().split("\n\n") if "data: " in block]
    fields = [dict(line.split(": ", 1) for line in block) for block in blocks]
    return [(one["event"], json.loads(one["data"])) for one in fields]


@pytest.mark.django_db(transaction=True)
def test_without_a_script_the_page_has_the_finished_answer(bob: User, asked: Project, browse: Browse) -> None:
    response = browse(bob).post(ASK, {"question": PAID, "project": str(asked.pk)}, follow=True)
    session = ChatSession.objects.get()
    assert response.redirect_chain[0][0].startswith(f"/c/{session.pk}#turn-")
    assert response.redirect_chain[0][1] == 303
    assert (session.project, session.user) == (asked, bob)
    page = response.content.decode()
    assert "nineteen thousand pounds" in page.split('class="evidence"')[0].split('id="talk"')[1]
    assert "1 of 1 citation found word for word" in page


def test_examples_are_titles_of_documents_of_the_project(bob: User, asked: Project, browse: Browse) -> None:
    page = shown(browse(bob), "/chats/new", project=str(asked.pk))
    assert "What does “Settlement” say?" in page
    assert "What does “Settlement” say?" not in shown(browse(bob), "/chats/new")
    assert browse(bob).get("/chats/new", {"project": str(uuid4())}).status_code == 404


def test_a_run_at_work_is_shown_with_its_steps_and_can_be_followed(
    bob: User, asked: Project, published: Plugin, browse: Browse
) -> None:
    run = begun(asked, published, bob)
    call = {"callId": "call_1", "number": 1, "tool": "search_knowledge"}
    turn = {"calls": [{"id": "call_1", "number": 1, "tool": "search_knowledge", "input": {"query": PAID}}]}
    run.append((EventKind.TURN, turn), (EventKind.STEP_START, {**call, "input": {"query": PAID}}))
    address = f"/c/{run.session_id}"
    page = shown(browse(bob), address)
    assert f'data-events="{address}/runs/{run.pk}"' in page
    assert "Searching the documents" in page
    assert f'action="{address}/stop"' in page
    assert '<meta http-equiv="refresh"' in page
    work(run)
    assert "data-events" not in shown(browse(bob), address)
    events = events_of(browse(bob).get(f"{address}/runs/{run.pk}"))
    names = [name for name, _ in events]
    assert names[0] == "run"
    assert names[-2:] == ["done", "turn"]
    assert "content" in names
    assert dict(events)["step_start"]["message"] == "Searching the documents"
    assert "nineteen thousand pounds" in events[-1][1]["html"]


def test_an_interrupted_run_goes_on_in_a_moment(bob: User, asked: Project, published: Plugin, browse: Browse) -> None:
    run = begun(asked, published, bob)
    assert "It continues in a moment." not in shown(browse(bob), f"/c/{run.session_id}")
    AgentRun.objects.update(leased_until=timezone.now() - timedelta(minutes=1))
    page = shown(browse(bob), f"/c/{run.session_id}")
    assert "It continues in a moment." in page
    assert f'data-last="{run.events.count()}"' in page


def test_a_run_that_reached_a_limit_says_so_beside_its_answer_and_in_its_diagram(
    bob: User, asked: Project, published: Plugin, browse: Browse, settings: Any
) -> None:
    with_budget(settings, iterations=2)
    run = begun(asked, published, bob)
    work(run)
    for address in (f"/c/{run.session_id}", f"/c/{run.session_id}/runs/{run.pk}/flow"):
        assert "The limit of steps was reached." in shown(browse(bob), address)


def test_a_question_back_is_asked_with_buttons(bob: User, asked: Project, published: Plugin, browse: Browse) -> None:
    run = begun(asked, published, bob, OPEN)
    work(run)
    page = shown(browse(bob), f"/c/{run.session_id}")
    assert 'name="answer" value="severe"' in page
    assert f'<input type="hidden" name="session" value="{run.session_id}">' in page


def test_whoever_waits_for_the_end_of_a_run_lets_other_requests_in(
    bob: User, asked: Project, published: Plugin
) -> None:
    with held_request_slot() as limit:
        wait_for_end(begun(asked, published, bob), seconds=0.0)
        assert limit._working == 0


def test_a_run_is_stopped_and_what_was_written_is_kept(
    bob: User, asked: Project, published: Plugin, browse: Browse
) -> None:
    run = begun(asked, published, bob)
    run.append((EventKind.CONTENT, {"text": "Marrow pays."}))
    assert browse(bob).post(f"/c/{run.session_id}/stop").status_code == 302
    work(AgentRun.objects.get(pk=run.pk))
    page = shown(browse(bob), f"/c/{run.session_id}")
    assert "You stopped this." in page
    assert "Marrow pays." in page


@pytest.mark.parametrize("outcome", [Outcome.FAILED, Outcome.ABANDONED])
def test_what_was_kept_of_a_failure_is_shown_with_its_reason(
    bob: User, asked: Project, browse: Browse, outcome: Outcome
) -> None:
    session = ChatSession.objects.begin_private(user=bob, project=asked, title="x")
    asked_id = uuid4()
    kept = {"outcome": outcome.value, "answer": "Marrow pays.", "citations": [], "error": "The model is away."}
    session.messages.create(role="user", content=PAID, query_id=asked_id)
    session.messages.create(role="assistant", content="Marrow pays.", metadata=kept, query_id=asked_id)
    page = shown(browse(bob), f"/c/{session.pk}")
    assert "Marrow pays." in page
    assert "The model is away." in page


def test_what_stands_in_the_way_is_said_and_the_message_kept(
    bob: User, asked: Project, published: Plugin, browse: Browse
) -> None:
    client = browse(bob)
    nowhere = client.post(ASK, {"question": "kept words"})
    assert nowhere.status_code == 400
    page = nowhere.content.decode()
    assert "No plugin is named for this conversation." in page
    assert ">kept words</textarea>" in page
    assert '<option value="cover">' in page
    run = begun(asked, published, bob)
    fields = {"question": "kept words", "session": str(run.session_id)}
    busy = client.post(ASK, fields)
    assert (busy.status_code, ">kept words</textarea>" in busy.content.decode()) == (409, True)
    streamed = client.post(ASK, fields, headers=STREAM)
    assert (streamed.status_code, streamed.json()["code"]) == (409, "conversation_busy")
    empty = client.post(ASK, {"session": str(run.session_id)}, headers=STREAM)
    assert (empty.status_code, empty.json()["error"]) == (400, "Write a question first.")
    assert ChatSession.objects.count() == 1


def test_nobody_else_asks_follows_or_stops(
    alice: User, charlie: User, bob: User, asked: Project, published: Plugin, browse: Browse
) -> None:
    run = begun(asked, published, bob)
    own = ChatSession.objects.begin_private(user=charlie, project=None, title="x")
    for person in (alice, charlie):
        client = browse(person)
        for session in (run.session_id, own.pk):
            assert client.get(f"/c/{session}/runs/{run.pk}").status_code == 404
        assert client.post(f"/c/{run.session_id}/stop").status_code == 404
        fields = {"question": PAID, "session": str(run.session_id), "plugin": "cover"}
        assert client.post(ASK, fields, headers=STREAM).status_code == 404
    assert browse(charlie).post(ASK, {"question": PAID, "project": str(asked.pk)}, headers=STREAM).status_code == 404
    run.refresh_from_db()
    assert run.cancel_requested_at is None
    assert AgentRun.objects.count() == 1


def test_whoever_has_left_the_project_goes_on_with_no_conversation_of_it(
    bob: User, asked: Project, published: Plugin, browse: Browse
) -> None:
    run = begun(asked, published, bob)
    work(run)
    asked.remove_member(bob.email)
    fields = {"question": PAID, "session": str(run.session_id)}
    response = browse(bob).post(ASK, fields, headers=STREAM)
    assert (response.status_code, response.json()["code"]) == (404, "unknown_project")
    assert AgentRun.objects.count() == 1
