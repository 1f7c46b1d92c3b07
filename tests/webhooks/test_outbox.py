"""What is written down, when, and for whom."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import transaction
from kombu.exceptions import OperationalError as BrokerUnavailable

from accounts.models import User
from plugins.models import Plugin
from webhooks import outbox, tasks
from webhooks.models import Delivery, Event, Webhook

pytestmark = pytest.mark.django_db
KIND = Event.DOCUMENT_READY


@pytest.fixture
def listener(boots: Plugin) -> Webhook:
    webhook = Webhook(plugin=boots, url="https://example.org/", events=[KIND])
    webhook.set_new_secret()
    webhook.save()
    return webhook


def other(listener: Webhook, **columns: Any) -> Webhook:
    columns = {"plugin": listener.plugin, "url": listener.url, "events": [KIND], "secret_encrypted": "x"} | columns
    return Webhook.objects.create(**columns)


def test_when_nobody_listens_it_costs_one_statement(boots: Plugin, django_assert_num_queries: Any) -> None:
    with django_assert_num_queries(1):
        assert outbox.record_event([boots.pk], kind=KIND, data={}) == 0
    assert not Delivery.objects.exists()


@pytest.mark.parametrize("count", [1, 3])
def test_it_costs_the_same_for_one_and_for_three(listener: Webhook, count: int, django_assert_num_queries: Any) -> None:
    for _ in range(count - 1):
        other(listener)
    with django_assert_num_queries(4):  # who listens; a savepoint, its end, and the rows
        assert outbox.record_event([listener.plugin_id], kind=KIND, data={}) == count


def test_only_those_are_told_who_listen(listener: Webhook, alice: User) -> None:
    other(listener, events=[Event.RELEASE_PUBLISHED])
    other(listener, is_active=False)
    stranger = Plugin.objects.create(owner=alice, name="Gloves", domain="x", system_prompt="x")
    other(listener, plugin=stranger)
    outbox.record_event([listener.plugin_id], kind=KIND, data={})
    assert Delivery.objects.get().webhook == listener


def test_one_event_has_one_id_for_all_webhooks_of_a_plugin_and_another_for_the_next_plugin(
    listener: Webhook, alice: User
) -> None:
    other(listener)
    gloves = Plugin.objects.create(owner=alice, name="Gloves", slug="gloves", domain="x", system_prompt="x")
    other(listener, plugin=gloves)
    outbox.record_event(Plugin.objects.all(), kind=KIND, data={})
    rows = Delivery.objects.all()
    assert sorted(row.data["plugin"]["slug"] for row in rows) == ["boots", "boots", "gloves"]
    ids = {row.data["plugin"]["slug"]: {r.event_id for r in rows if r.data == row.data} for row in rows}
    assert {slug: len(found) for slug, found in ids.items()} == {"boots": 1, "gloves": 1}
    assert ids["boots"].isdisjoint(ids["gloves"])
    assert all("." not in row.event_id for row in rows)


def test_what_is_personal_goes_only_where_it_was_asked_for(listener: Webhook) -> None:
    asking = other(listener, includes_questions=True)
    outbox.record_event([listener.plugin_id], kind=KIND, data={"reason": "x"}, personal={"question": "Am I ill?"})
    told = {row.webhook: row.data.get("question") for row in Delivery.objects.all()}
    assert told == {listener: None, asking: "Am I ill?"}


def test_what_is_rolled_back_never_happened(
    listener: Webhook, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(outbox, "enqueue_webhook", sent.append)
    with django_capture_on_commit_callbacks(execute=True):
        with transaction.atomic():
            outbox.record_event([listener.plugin_id], kind=KIND, data={})
            transaction.set_rollback(True)
        assert not Delivery.objects.exists()
        outbox.record_event([listener.plugin_id], kind=KIND, data={})
        assert sent == []
    assert sent == [listener.pk]


def test_a_broker_that_is_away_breaks_nothing(
    listener: Webhook, django_capture_on_commit_callbacks: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(**kwargs: object) -> None:
        raise BrokerUnavailable("away")

    monkeypatch.setattr(tasks.send_due, "apply_async", away)
    with django_capture_on_commit_callbacks(execute=True):
        outbox.record_event([listener.plugin_id], kind=KIND, data={})
    assert Delivery.objects.get().state == "pending"


def test_an_event_has_what_the_author_keeps_for_programs(listener: Webhook) -> None:
    Plugin.objects.update(config={"crm": 7})
    outbox.record_event([listener.plugin_id], kind=KIND, data={})
    assert Delivery.objects.get().data["plugin"]["config"] == {"crm": 7}
