"""What a run reads is deleted while the run goes on: no word of it is written, or what was written is erased."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction

from accounts.models import User
from agents.models import AgentEvent, AgentRun, EventKind, RunTakenOver
from conversations.models import ChatMessage
from knowledge.models import Document
from knowledge.personal_knowledge_base import personal_knowledge_base
from plugins.models import Plugin
from privacy.document_deletion import delete_private_document
from privacy.plugin_deletion import delete_plugin
from tests.agents.working import begin, kinds, work
from tests.conversations.layered import PRIVATE_DELETIONS, QUESTION, give
from tests.two_transactions import wait_in_turn

concurrent = pytest.mark.django_db(transaction=True)
WORD = "75 mm"


@pytest.fixture
def run(published: Plugin, bob: User) -> AgentRun:
    """Of Bob, who asks about his own document."""
    give(personal_knowledge_base(bob))
    return begin(published, bob, QUESTION)


def assert_no_word_is_left() -> None:
    assert not any(WORD in str(data) for data in AgentEvent.objects.values_list("data", flat=True))
    said = ChatMessage.objects.filter(role="assistant").values_list("content", "metadata")
    assert not any(WORD in str(one) for one in said)


def before(method: str, act: Callable[[], None], monkeypatch: pytest.MonkeyPatch, *, at: str) -> None:
    """Does this once, before the first write of a run by this method that has an event of the kind."""
    write, done = getattr(AgentRun, method), []

    def act_and_write(self: AgentRun, *given: Any, **named: Any) -> None:
        if not done and any(one[0] == at for one in given if isinstance(one, tuple)):
            done.append(act())
        write(self, *given, **named)

    monkeypatch.setattr(AgentRun, method, act_and_write)


@pytest.mark.django_db
@pytest.mark.parametrize("deleted", PRIVATE_DELETIONS)
@pytest.mark.parametrize(
    ("method", "at"), [("append", EventKind.FOUND), ("append", EventKind.CONTENT), ("end", EventKind.DONE)]
)
def test_nothing_of_it_is_written_later(
    run: AgentRun, deleted: str, method: str, at: EventKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    before(method, PRIVATE_DELETIONS[deleted], monkeypatch, at=at)
    ended = work(run)
    assert (ended.state, kinds(ended)[-1]) == ("failed", "error")
    assert ended.events.get(kind="error").data["code"] == "source_deleted"
    assert_no_word_is_left()


@pytest.mark.django_db
def test_what_others_delete_is_nothing_to_it(run: AgentRun, alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    other = give(personal_knowledge_base(alice))
    before("append", lambda: delete_private_document(other), monkeypatch, at=EventKind.FOUND)
    ended = work(run)
    assert (ended.state, kinds(ended)[-1]) == ("done", "done")
    assert WORD in ChatMessage.objects.get(role="assistant").content


@pytest.mark.django_db
def test_a_plugin_that_is_deleted_ends_the_run(run: AgentRun, monkeypatch: pytest.MonkeyPatch) -> None:
    before("append", lambda: delete_plugin(Plugin.objects.get()), monkeypatch, at=EventKind.FOUND)
    assert work(run).state == "failed"
    assert_no_word_is_left()


@concurrent
@pytest.mark.parametrize("deleted", PRIVATE_DELETIONS)
def test_a_deletion_waits_for_an_answer_that_is_being_written(
    run: AgentRun, deleted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    save = ChatMessage.save

    def work_and_hold(hold: Callable[[], None]) -> None:
        def save_and_hold(self: ChatMessage, *given: Any, **named: Any) -> None:
            save(self, *given, **named)
            hold()

        monkeypatch.setattr(ChatMessage, "save", save_and_hold)
        work(run)

    wait_in_turn(work_and_hold, PRIVATE_DELETIONS[deleted])
    assert AgentRun.objects.get().state == "done"
    assert_no_word_is_left()


@concurrent
@pytest.mark.parametrize("deleted", PRIVATE_DELETIONS)
def test_a_write_waits_for_a_deletion(run: AgentRun, deleted: str) -> None:
    document = Document.objects.get(knowledge_base__kind="personal")
    run.append((EventKind.SOURCE, {"citations": [{"id": str(document.pk)}]}))

    def delete(hold: Callable[[], None]) -> None:
        with transaction.atomic():
            PRIVATE_DELETIONS[deleted]()
            hold()

    def write() -> None:
        with pytest.raises(RunTakenOver):
            run.append((EventKind.CONTENT, {"text": WORD}))

    wait_in_turn(delete, write)
    assert kinds(AgentRun.objects.get()) == ["run", "error"]
