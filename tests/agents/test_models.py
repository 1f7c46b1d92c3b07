"""A run and its journal: one at a time in a conversation, one writer at a time, and nothing that is changed later."""

from __future__ import annotations

import threading
import zipfile
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone

from accounts.models import ApiKey, User
from agents.models import MAX_EVENT_BYTES, AgentEvent, AgentRun, EventKind, EventTooLarge, RunState, RunTakenOver
from conversations.models import ChatMessage, ChatSession, Project
from conversations.retention import delete_private_conversation
from knowledge.models import Document
from plugins.models import Plugin
from privacy.account_deletion import delete_account
from privacy.data_export import export_personal_data
from privacy.plugin_deletion import delete_plugin
from privacy.project_deletion import delete_project

pytestmark = pytest.mark.django_db


def begin(session: ChatSession, **columns: Any) -> AgentRun:
    message = ChatMessage.objects.create(session=session, role="user", content="What cover?", query_id=uuid4())
    return AgentRun.objects.begin(session=session, message=message, **{"release_name": "cover@1.0.0", **columns})


def interrupt(run: AgentRun) -> AgentRun:
    """As if its process had died, seen by another one."""
    AgentRun.objects.filter(pk=run.pk).update(leased_until=timezone.now() - timedelta(seconds=1))
    return AgentRun.objects.get(pk=run.pk)


def kinds(run: AgentRun) -> list[str]:
    return list(run.events.values_list("kind", flat=True))


def test_a_run_begins_with_an_event_that_names_it(session: ChatSession) -> None:
    run = begin(session)
    event = run.events.get()
    assert (event.number, event.kind, event.is_public) == (1, "run", True)
    assert event.data == {
        "runId": str(run.pk),
        "conversationId": str(session.pk),
        "messageId": str(run.message.uuid),
        "title": "Cover",
    }


def test_a_conversation_has_one_running_run(session: ChatSession) -> None:
    run = begin(session)
    with pytest.raises(IntegrityError), transaction.atomic():
        begin(session)
    run.end(RunState.DONE, (EventKind.DONE, {}))
    begin(session)
    assert AgentRun.objects.running().count() == 1


def test_events_are_numbered_and_never_changed(session: ChatSession) -> None:
    run = begin(session)
    run.append((EventKind.TURN, {"calls": []}))
    run.append((EventKind.CONTENT, {"text": "45 mm."}))
    written = run.events.get(number=3)
    assert [(one.number, one.kind) for one in run.events.after(1)] == [(3, "content")]
    assert not run.events.get(number=2).is_public
    written.data = {"text": "20 mm."}
    with pytest.raises(IntegrityError), transaction.atomic():
        written.save()
    with pytest.raises(TypeError):
        AgentEvent.objects.update(data={})
    with pytest.raises(IntegrityError), transaction.atomic():
        AgentEvent.objects.create(run=run, number=2, kind="done", is_public=True)


def test_an_event_is_small(session: ChatSession) -> None:
    run = begin(session)
    run.append((EventKind.CONTENT, {"text": "x" * (MAX_EVENT_BYTES - 20)}))
    with pytest.raises(EventTooLarge):
        run.append((EventKind.CONTENT, {"text": "ø" * (MAX_EVENT_BYTES // 2)}))
    with pytest.raises(IntegrityError), transaction.atomic():
        AgentEvent.objects.create(
            run=run, number=9, kind="content", data={"text": "x" * MAX_EVENT_BYTES}, is_public=True
        )


def test_what_cannot_be_stored_is_replaced(session: ChatSession) -> None:
    """As a model may write it: a null character, and half a pair of surrogates."""
    run = begin(session)
    run.append((EventKind.TURN, {"calls": [{"input": {"query": "a\x00b\ud800"}}]}))
    assert run.events.get(number=2).data == {"calls": [{"input": {"query": "a b?"}}]}


def test_nothing_follows_the_last_event(session: ChatSession) -> None:
    run = begin(session)
    run.end(RunState.DONE, (EventKind.DONE, {}))
    with pytest.raises(RunTakenOver):
        run.append((EventKind.CONTENT, {"text": "More."}))
    with pytest.raises(RunTakenOver):
        run.end(RunState.FAILED, (EventKind.ERROR, {}))
    assert kinds(run) == ["run", "done"]


def test_an_interrupted_run_is_taken_over_once_and_its_first_process_writes_no_more(session: ChatSession) -> None:
    first = begin(session)
    assert not AgentRun.objects.get(pk=first.pk).take_over(), "its process lives"
    second, third = interrupt(first), AgentRun.objects.get(pk=first.pk)
    assert (second.is_interrupted, second.take_over(), third.take_over()) == (True, True, False)
    with pytest.raises(RunTakenOver):
        first.append((EventKind.CONTENT, {"text": "Late."}))
    with pytest.raises(RunTakenOver):
        first.renew()
    second.append((EventKind.CONTENT, {"text": "45 mm."}))
    second.renew()
    assert kinds(second) == ["run", "content"]


def test_after_three_processes_no_further_one_works_on_it(session: ChatSession) -> None:
    run = begin(session)
    for has_died_too_often in (False, False, True):
        held = interrupt(run)
        assert (held.take_over(), held.has_died_too_often) == (True, has_died_too_often)


def test_whoever_works_on_it_hears_that_it_is_to_stop(session: ChatSession) -> None:
    run = begin(session)
    assert not run.is_cancel_requested()
    AgentRun.objects.get(pk=run.pk).request_cancel()
    assert run.is_cancel_requested()


def test_a_person_sees_their_own_and_a_limited_key_those_it_began(session: ChatSession, alice: User, bob: User) -> None:
    whole, _ = ApiKey.objects.issue(owner=bob, name="x", capabilities=["query", "read"])
    asks_only, _ = ApiKey.objects.issue(owner=bob, name="x", capabilities=["query"])
    run = begin(session)
    run.end(RunState.DONE, (EventKind.DONE, {}))
    by_key = begin(session, api_key=asks_only)
    for principal, seen in ((bob, {run, by_key}), (whole, {run, by_key}), (asks_only, {by_key}), (alice, set())):
        assert set(AgentRun.objects.visible_to(principal)) == seen


def test_jl_040_there_are_eleven_events_and_two_of_ours_on_the_wire() -> None:
    table = {"agent_type", "step_start", "step_end", "content", "source", "contract_result", "nda_result"}
    table |= {"document_question", "document_result", "done", "error"}
    assert len(table) == 11
    assert {kind.value for kind in EventKind if kind.is_public} == table | {"run", "clarification"}


# --- What becomes of it -------------------------------------------------------------------------------------------


def test_it_goes_with_its_conversation_and_with_its_person(session: ChatSession, bob: User) -> None:
    begin(session)
    delete_private_conversation(session)
    assert not AgentEvent.objects.exists()
    begin(ChatSession.objects.begin_private(user=bob, project=None, title=""))
    delete_account(bob)
    assert not AgentRun.objects.exists()


def test_a_deleted_plugin_takes_what_was_read_of_it_out_of_the_journal(
    session: ChatSession, published: Plugin, handbook: Document
) -> None:
    pin = {"knowledge_base": handbook.knowledge_base_id, "revision": 1, "embedder": "local"}
    run = begin(session, release=published.releases.get(), knowledge=[pin])
    run.append((EventKind.CONTENT, {"text": "45 mm."}))
    run.append((EventKind.FOUND, {"passages": []}))
    run.end(RunState.DONE, (EventKind.DONE, {}))
    delete_plugin(published)
    run.refresh_from_db()
    assert (run.release, run.state, kinds(run)) == (None, "done", ["run", "done"])


def test_a_person_can_take_along_what_they_had_done(session: ChatSession, bob: User) -> None:
    begin(session)
    with export_personal_data(bob) as file, zipfile.ZipFile(file) as archive:
        assert "What cover?" in archive.read("agent_runs.jsonl").decode()


def test_a_reader_sees_the_end_of_a_run_whose_journal_was_erased(session: ChatSession) -> None:
    run = begin(session, knowledge=[])
    run.append((EventKind.CONTENT, {"text": "45 mm."}), (EventKind.CONTENT, {"text": "20 mm."}))
    AgentRun.objects.filter(pk=run.pk).erase_content()
    assert [event.kind for event in run.events.after(3)] == ["error"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("way", ["conversation", "project", "account"])
def test_it_is_deleted_while_it_is_written(bob: User, way: str) -> None:
    """Whoever deletes it meets no half of an event, and its writer finds it gone."""
    project = Project.objects.create_with_base(owner=bob, name="Marrow House")
    session = ChatSession.objects.begin_private(user=bob, project=project, title="")
    run = begin(session)
    writes, ended = threading.Event(), []

    def write() -> None:
        try:
            while True:
                run.append((EventKind.CONTENT, {"text": "45 mm."}))
                writes.set()
        except Exception as error:
            ended.append(error)
        finally:
            connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    assert writes.wait(120)
    if way == "conversation":
        delete_private_conversation(session)
    elif way == "project":
        delete_project(project)
    else:
        delete_account(bob)
    writer.join(120)
    assert [type(error) for error in ended] == [RunTakenOver]
    assert not AgentEvent.objects.exists()
