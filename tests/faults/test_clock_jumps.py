"""The clock of a machine was wrong and is set right: by an hour, or by years, as after a start without a battery.

Clocks cannot be set for one process here. What a process with a wrong clock leaves behind, in rows and in the file of
the timetable, is written by the real code with its `now`, and read by the code with the clock of today.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from accounts.models import User
from agents.models import AgentRun, RunState
from conversations.models import ChatMessage, ChatSession
from knowledge.models import Document
from knowledge.tasks import resume_unfinished
from lexic.beat_scheduler import Timetable
from lexic.celery import app
from tests.knowledge.bases import add_markdown, make_base
from tests.webhooks.conftest import boots, receiver, webhook
from tests.webhooks.receiver import Receiver
from webhooks import sender
from webhooks.models import Delivery, Webhook
from webhooks.outbox import record_test_event
from webhooks.tasks import enqueue_due_deliveries

__all__ = ["boots", "receiver", "webhook"]
pytestmark = pytest.mark.django_db
HOUR, YEARS = timedelta(hours=1), timedelta(days=4000)
OFTEN = {"task": "knowledge.resume_unfinished", "schedule": timedelta(seconds=20)}


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the timetable has sent."""
    names: list[str] = []
    monkeypatch.setattr(Timetable, "apply_async", lambda _self, entry, **_: names.append(entry.name))
    return names


@pytest.fixture
def timetable(tmp_path: Path) -> Iterator[Timetable]:
    found = Timetable(app, schedule_filename=str(tmp_path / "timetable"))
    found.schedule.clear()
    found.update_from_dict({"one": OFTEN, "two": OFTEN})
    yield found
    found.close()


def tick_at(moment: timedelta, timetable: Timetable, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the timetable does when its clock shows this time from now."""
    at = timezone.now() + moment
    monkeypatch.setattr(app, "now", lambda: at)
    while timetable.tick() == 0:
        pass


@pytest.mark.parametrize("ahead", [HOUR, YEARS])
def test_the_timetable_goes_on(
    timetable: Timetable, sent: list[str], ahead: timedelta, monkeypatch: pytest.MonkeyPatch
) -> None:
    tick_at(ahead, timetable, monkeypatch)
    tick_at(ahead + timedelta(seconds=21), timetable, monkeypatch)
    assert {"one", "two"} <= set(sent)
    sent.clear()
    tick_at(timedelta(), timetable, monkeypatch)  # the clock is set right
    tick_at(timedelta(seconds=21), timetable, monkeypatch)
    tick_at(timedelta(seconds=42), timetable, monkeypatch)
    assert (sent.count("one"), sent.count("two")) == (2, 2)


@pytest.mark.parametrize("ahead", [HOUR, YEARS])
def test_an_event_that_failed_while_the_clock_was_ahead_is_sent_again(
    webhook: Webhook, receiver: Receiver, ahead: timedelta
) -> None:
    receiver.will_answer(500)
    record_test_event(webhook)
    future = timezone.now() + ahead
    claimed = sender.lease_delivery(webhook.pk, now=future)
    assert claimed
    sender.record_attempt(claimed, sender.attempt_delivery(claimed, now=future), now=future)
    assert Delivery.objects.get().state == Delivery.State.FAILED
    # A day is the longest that anything is put off for; an hour more or less is within it.
    now = timezone.now() + (2 * HOUR if ahead == HOUR else timedelta())
    claimed = sender.lease_delivery(webhook.pk, now=now)
    assert claimed, "neither the event nor its receiver waits for a time that is far away"
    sender.record_attempt(claimed, sender.attempt_delivery(claimed, now=now), now=now)
    assert Delivery.objects.get().state == Delivery.State.DELIVERED


def test_an_event_whose_sender_died_while_the_clock_was_ahead_is_picked_up(
    webhook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_test_event(webhook)
    assert sender.lease_delivery(webhook.pk, now=timezone.now() + YEARS)
    assert enqueue_due_deliveries() == 1


def test_a_document_that_was_touched_while_the_clock_was_ahead_is_read() -> None:
    document = add_markdown(make_base(), "Wear boots.")
    Document.objects.update(updated_at=timezone.now() + HOUR)
    assert resume_unfinished() == 1
    assert resume_unfinished() == 0, "it counts as touched now"
    assert Document.objects.get().pk == document.pk


@pytest.mark.parametrize(("ahead", "is_taken"), [(timedelta(seconds=10), False), (HOUR, True), (YEARS, True)])
def test_a_run_whose_process_died_while_the_clock_was_ahead_is_taken_up(
    bob: User, ahead: timedelta, is_taken: bool
) -> None:
    session = ChatSession.objects.create(user=bob, is_private=True)
    message = ChatMessage.objects.create(session=session, role="user", content="When?")
    run = AgentRun.objects.create(
        session=session, message=message, user=bob, leased_until=timezone.now() + ahead, attempts=1
    )
    assert run.state == RunState.RUNNING
    assert run.take_over() is is_taken
