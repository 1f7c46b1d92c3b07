"""Events on their way, to a real receiver."""

from __future__ import annotations

import json
import socket
from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from django.core import mail
from django.test import override_settings
from django.utils import timezone
from standardwebhooks import Webhook as Verifier

from accounts.quotas import WEBHOOKS, TooManyWebhooks
from lexic import egress
from tests.webhooks.receiver import Receiver
from webhooks import manage_webhooks, outbox, sender, tasks
from webhooks.models import Delivery, Event, Webhook
from webhooks.retry_schedule import MAX_ATTEMPTS

pytestmark = pytest.mark.django_db
READY = Event.DOCUMENT_READY


def record(webhook: Webhook, kind: str = READY, **data: Any) -> Delivery:
    outbox.record_event([webhook.plugin_id], kind=kind, data=data)
    return Delivery.objects.latest("created_at")


def send(webhook: Webhook) -> None:
    tasks.send_due(webhook_id=str(webhook.pk))


def again(delivery: Delivery, webhook: Webhook) -> Delivery:
    """As if the time to wait were over, one more attempt."""
    Delivery.objects.filter(pk=delivery.pk).update(next_attempt_at=timezone.now())
    Webhook.objects.filter(pk=webhook.pk).update(not_before=None)
    send(webhook)
    delivery.refresh_from_db()
    webhook.refresh_from_db()
    return delivery


def test_an_event_arrives_signed_once(webhook: Webhook, receiver: Receiver) -> None:
    receiver.will_answer(200, body=b"thanks")
    delivery = record(webhook, document={"title": "Äpfel"})
    send(webhook)
    send(webhook)
    [arrived] = receiver.arrived
    [secret] = webhook.valid_secrets(now=timezone.now())
    Verifier(secret).verify(arrived.body, dict(arrived.headers))
    assert (arrived.path, arrived.headers["User-Agent"]) == ("/events?room=1", "Lexic-Webhooks")
    assert arrived.headers["Content-Type"] == "application/json"
    assert arrived.headers["webhook-id"] == delivery.event_id
    assert arrived.event == {
        "type": "document.ready",
        "timestamp": delivery.created_at.isoformat().replace("+00:00", "Z"),
        "data": {
            "plugin": {"id": str(webhook.plugin_id), "slug": "boots", "name": "Boots", "config": {}},
            "document": {"title": "Äpfel"},
        },
    }
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts, delivery.status_code) == ("delivered", 1, 200)
    assert (delivery.response, delivery.error, delivery.next_attempt_at) == ("thanks", "", None)
    assert delivery.delivered_at is not None


@pytest.mark.parametrize("status", [200, 500])
def test_a_reply_to_words_that_were_erased_meanwhile_is_not_kept(
    webhook: Webhook, receiver: Receiver, status: int
) -> None:
    receiver.will_answer(status, body=b"You ask: where are my boots?")
    asked = uuid4()
    delivery = record(webhook, Event.QUESTION_UNANSWERED, queryId=str(asked), question="Where are my boots?")
    claimed = sender.lease_delivery(webhook.pk)
    assert claimed
    reply = sender.attempt_delivery(claimed)
    Delivery.objects.erase_questions([asked])
    sender.record_attempt(claimed, reply)
    delivery.refresh_from_db()
    assert (delivery.status_code, delivery.response) == (status, "")
    assert "question" not in delivery.data


def test_events_come_one_after_the_other_the_oldest_first(webhook: Webhook, receiver: Receiver) -> None:
    for number in range(3):
        record(webhook, number=number)
    send(webhook)
    assert [one.event["data"]["number"] for one in receiver.arrived] == [0, 1, 2]


@pytest.mark.parametrize("status", [302, 307, 400, 404, 429, 500, 503])
def test_whatever_is_no_success_is_tried_again(webhook: Webhook, receiver: Receiver, status: int) -> None:
    receiver.will_answer(status, body=b"no", Location=receiver.url)
    before = timezone.now()
    delivery = record(webhook)
    send(webhook)
    delivery.refresh_from_db()
    webhook.refresh_from_db()
    assert (delivery.state, delivery.status_code, delivery.response) == ("failed", status, "no")
    assert delivery.error == f"The receiver answered with status {status}."
    assert timedelta(seconds=20) <= delivery.next_attempt_at - before <= timedelta(seconds=60)
    assert (webhook.failures, webhook.is_active, len(receiver.arrived)) == (1, True, 1)
    assert again(delivery, webhook).state == "delivered"
    assert (webhook.failures, webhook.failing_since, webhook.not_before) == (0, None, None)
    first, second = receiver.arrived
    assert first.headers["webhook-id"] == second.headers["webhook-id"]
    assert first.body == second.body


def test_a_receiver_that_asks_for_time_gets_it(webhook: Webhook, receiver: Receiver) -> None:
    receiver.will_answer(503, Retry_After="3600")
    delivery = record(webhook)
    before = timezone.now()
    send(webhook)
    delivery.refresh_from_db()
    assert delivery.next_attempt_at - before >= timedelta(hours=1)


def test_after_the_last_attempt_it_is_given_up(webhook: Webhook, receiver: Receiver) -> None:
    receiver.will_answer(*[500] * (MAX_ATTEMPTS + 1))
    delivery = record(webhook)
    waits = []
    for _ in range(MAX_ATTEMPTS + 1):
        again(delivery, webhook)
        waits.append(delivery.next_attempt_at)
    assert (delivery.state, delivery.attempts, len(receiver.arrived)) == ("given_up", MAX_ATTEMPTS, MAX_ATTEMPTS)
    assert webhook.is_active


def test_a_failing_receiver_is_left_alone_for_a_moment_whatever_waits(webhook: Webhook, receiver: Receiver) -> None:
    receiver.will_answer(500)
    record(webhook, number=0)
    record(webhook, number=1)
    send(webhook)
    send(webhook)
    assert len(receiver.arrived) == 1
    Webhook.objects.update(not_before=timezone.now())
    send(webhook)
    assert [one.event["data"]["number"] for one in receiver.arrived] == [0, 1]


def test_gone_switches_it_off_and_says_so(
    webhook: Webhook, receiver: Receiver, django_capture_on_commit_callbacks: Any
) -> None:
    receiver.will_answer(410)
    gone, other = record(webhook, number=0), record(webhook, number=1)
    with django_capture_on_commit_callbacks(execute=True):
        send(webhook)
    for one in (webhook, gone, other):
        one.refresh_from_db()
    assert (webhook.is_active, webhook.disabled_at is not None) == (False, True)
    assert webhook.disabled_reason == "The receiver answered 410: it wants no more events."
    assert (gone.state, gone.error) == ("given_up", "The receiver answered with status 410.")
    assert (other.state, other.error) == ("given_up", "The webhook was switched off.")
    [letter] = mail.outbox
    assert letter.to == ["alice@example.org"]
    assert "Boots" in letter.subject
    assert "room=1" not in letter.body
    assert outbox.record_event([webhook.plugin_id], kind=READY, data={}) == 0


def test_days_of_nothing_but_failures_switch_it_off(webhook: Webhook, receiver: Receiver) -> None:
    receiver.will_answer(500, 500, 500)
    long_ago = timezone.now() - timedelta(days=5, minutes=1)
    Webhook.objects.update(failing_since=long_ago, failures=3)
    delivery = record(webhook)
    assert (again(delivery, webhook).state, webhook.is_active) == ("failed", True)
    Webhook.objects.update(failing_since=timezone.now() - timedelta(days=4), failures=MAX_ATTEMPTS)
    again(delivery, webhook)
    assert webhook.is_active
    Webhook.objects.update(failing_since=long_ago)
    assert again(delivery, webhook).state == "given_up"
    assert (webhook.is_active, webhook.disabled_reason) == (False, "Nothing has reached this address for 5 days.")


def test_a_slow_receiver_costs_one_attempt_and_no_more(
    webhook: Webhook, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    receiver.is_slow = True
    monkeypatch.setattr(sender, "ATTEMPT_TIMEOUT_SECONDS", 0.3)
    delivery = record(webhook)
    send(webhook)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.status_code) == ("failed", None)
    assert delivery.error == "The address took too long to answer."


def test_a_turn_ends_although_more_waits(webhook: Webhook, receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    enqueued = []
    monkeypatch.setattr(tasks, "enqueue_webhook", enqueued.append)
    monkeypatch.setattr(sender, "TURN_SECONDS", 0.0)
    record(webhook)
    record(webhook)
    send(webhook)
    assert (len(receiver.arrived), enqueued) == (1, [webhook.pk])


def test_a_long_answer_is_kept_in_part_and_as_text(webhook: Webhook, receiver: Receiver) -> None:
    receiver.will_answer(200, body=b"<b>\x00\xff" + b"x" * 100_000)
    delivery = record(webhook)
    send(webhook)
    delivery.refresh_from_db()
    assert delivery.response.startswith("<b>\ufffd\ufffdx")
    assert len(delivery.response) == sender.MAX_EXCERPT_BYTES


def test_a_payload_stays_small(webhook: Webhook, receiver: Receiver) -> None:
    record(webhook, error="é" * 100_000, document={"title": "t" * 100_000})
    send(webhook)
    data = receiver.arrived[0].event["data"]
    assert (len(data["error"]), len(data["document"]["title"])) == (outbox.MAX_TEXT_LENGTH, outbox.MAX_TEXT_LENGTH)
    assert len(receiver.arrived[0].body) < 20_000


@pytest.mark.parametrize("url", ["http://169.254.169.254/", "http://127.0.0.1/", "https://[::1]/", "http://10.0.0.1/"])
def test_what_is_not_public_is_never_sent_to(webhook: Webhook, receiver: Receiver, url: str) -> None:
    Webhook.objects.update(url=url)
    delivery = record(webhook)
    send(webhook)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.error) == ("failed", "This address may not be fetched.")
    assert receiver.arrived == []


def test_a_name_that_leads_inside_is_never_sent_to(webhook: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(egress, "post", partial(egress.post, resolver=lambda host, port: ["10.0.0.1"]))
    Webhook.objects.update(url="https://example.org/")
    delivery = record(webhook)
    send(webhook)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.status_code) == ("failed", None)


def test_an_unreachable_receiver_is_tried_again(webhook: Webhook, settings: Any) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    policy = egress.EgressPolicy(exempt=frozenset({("127.0.0.1", port)}))
    settings.WEBHOOK_POLICY = policy
    Webhook.objects.update(url=f"http://127.0.0.1:{port}/")
    delivery = record(webhook)
    send(webhook)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.error) == ("failed", "The server could not be reached.")


def test_what_nobody_foresaw_is_a_failed_attempt(webhook: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr(egress, "post", broken)
    delivery = record(webhook)
    send(webhook)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.error) == ("failed", "Something unexpected went wrong on our side.")


def test_without_a_secret_that_opens_nothing_is_sent(webhook: Webhook, receiver: Receiver) -> None:
    with override_settings(ENCRYPTION_KEY="lost"):
        delivery = record(webhook)
        send(webhook)
    delivery.refresh_from_db()
    assert (delivery.state, receiver.arrived) == ("failed", [])
    assert "Create a new one" in delivery.error


# --- What is lost when a worker dies: nothing -----------------------------------------------------------------------


def pick_up(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    enqueued: list[Any] = []
    monkeypatch.setattr(tasks, "enqueue_webhook", enqueued.append)
    assert tasks.enqueue_due_deliveries() == len(enqueued)
    return enqueued


def test_an_event_whose_message_got_lost_is_picked_up(
    webhook: Webhook, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    record(webhook)
    record(webhook)
    for found in pick_up(monkeypatch):
        tasks.send_due(webhook_id=str(found))
    assert len(receiver.arrived) == 2
    assert pick_up(monkeypatch) == []


def test_an_attempt_that_was_never_noted_is_made_again(
    webhook: Webhook, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    delivery = record(webhook)
    assert sender.lease_delivery(webhook.pk) is not None  # and here the worker dies
    send(webhook)
    assert (pick_up(monkeypatch), receiver.arrived) == ([], [])
    later = timezone.now() + sender.LEASE_DURATION + timedelta(seconds=1)
    claimed = sender.lease_delivery(webhook.pk, now=later)
    assert claimed is not None
    assert (claimed.delivery.pk, claimed.delivery.attempts) == (delivery.pk, 2)


def test_an_event_that_ends_its_workers_is_given_up(webhook: Webhook, monkeypatch: pytest.MonkeyPatch) -> None:
    delivery = record(webhook)
    Delivery.objects.update(attempts=MAX_ATTEMPTS)
    assert sender.lease_delivery(webhook.pk) is None
    assert pick_up(monkeypatch) == []
    delivery.refresh_from_db()
    assert delivery.state == "given_up"


def test_while_one_sends_nobody_else_does(webhook: Webhook) -> None:
    record(webhook)
    record(webhook)
    assert sender.lease_delivery(webhook.pk) is not None
    assert sender.lease_delivery(webhook.pk) is None


def test_a_late_failure_does_not_undo_what_somebody_asked_for_meanwhile(webhook: Webhook) -> None:
    delivery = record(webhook)
    late = sender.lease_delivery(webhook.pk)
    assert late is not None
    manage_webhooks.redeliver(Delivery.objects.get())
    sender.record_attempt(late, sender.AttemptResult(status=500))
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts) == ("pending", 0)
    sender.record_attempt(late, sender.AttemptResult(status=200))
    delivery.refresh_from_db()
    assert delivery.state == "delivered"


def test_a_webhook_that_is_deleted_while_it_is_sent_to_leaves_nothing(webhook: Webhook) -> None:
    record(webhook)
    claimed = sender.lease_delivery(webhook.pk)
    assert claimed is not None
    Webhook.objects.get().delete()
    sender.record_attempt(claimed, sender.AttemptResult(status=200))
    assert not Delivery.objects.exists()


def test_what_is_old_and_settled_is_forgotten(webhook: Webhook) -> None:
    old = timezone.now() - timedelta(days=31)
    waiting, settled, recent = record(webhook), record(webhook), record(webhook)
    Delivery.objects.filter(pk__in=[waiting.pk, settled.pk]).update(created_at=old)
    Delivery.objects.filter(pk__in=[settled.pk, recent.pk]).update(state="delivered")
    assert tasks.prune_deliveries() == 1
    assert set(Delivery.objects.values_list("pk", flat=True)) == {waiting.pk, recent.pk}


# --- What people do --------------------------------------------------------------------------------------------------


def test_a_new_secret_signs_beside_the_former_one_for_a_day(webhook: Webhook, receiver: Receiver) -> None:
    [former] = webhook.valid_secrets(now=timezone.now())
    new = manage_webhooks.rotate_secret(webhook)
    record(webhook)
    send(webhook)
    [arrived] = receiver.arrived
    Verifier(new).verify(arrived.body, dict(arrived.headers))
    Verifier(former).verify(arrived.body, dict(arrived.headers))
    webhook.refresh_from_db()
    assert webhook.valid_secrets(now=timezone.now() + timedelta(days=1)) == [new]


def test_secrets_are_not_kept_in_the_clear(webhook: Webhook) -> None:
    secret = manage_webhooks.rotate_secret(webhook)
    row = json.dumps(Webhook.objects.values().get(), default=str)
    assert secret not in row
    assert secret.removeprefix("whsec_") not in row


def test_a_test_event_is_sent_whatever_it_listens_to(webhook: Webhook, receiver: Receiver) -> None:
    manage_webhooks.update_webhook(webhook, events=[Event.RELEASE_PUBLISHED])
    manage_webhooks.send_test_event(webhook)
    send(webhook)
    assert receiver.kinds == ["webhook.test"]


def test_sending_again_keeps_the_id_and_does_not_wait(webhook: Webhook, receiver: Receiver) -> None:
    receiver.will_answer(500)
    delivery = record(webhook)
    send(webhook)
    manage_webhooks.redeliver(Delivery.objects.select_related("webhook").get())
    send(webhook)
    delivery.refresh_from_db()
    assert (delivery.state, delivery.attempts) == ("delivered", 1)
    assert len({one.headers["webhook-id"] for one in receiver.arrived}) == 1


def test_switched_off_nothing_is_sent_and_switched_on_only_what_comes(webhook: Webhook, receiver: Receiver) -> None:
    waiting = record(webhook)
    manage_webhooks.update_webhook(webhook, is_active=False)
    send(webhook)
    for refused in (lambda: manage_webhooks.send_test_event(webhook), lambda: manage_webhooks.redeliver(waiting)):
        waiting.refresh_from_db()
        waiting.webhook.refresh_from_db()
        with pytest.raises(manage_webhooks.WebhookDisabled):
            refused()
    manage_webhooks.update_webhook(webhook, is_active=True)
    record(webhook, kind=Event.DOCUMENT_FAILED)
    send(webhook)
    assert receiver.kinds == ["document.failed"]


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://169.254.169.254/latest",
        "https://2130706433/",
        "https://example.org:8443/",
        "https://user@example.org/",
        "ftp://example.org/",
        "example.org",
        "",
        "https://example.org/" + "x" * 2000,
        "https://example.org/\x00",
    ],
)
def test_only_public_https_addresses_are_receivers(webhook: Webhook, url: str) -> None:
    with pytest.raises(manage_webhooks.InvalidReceiverUrl):
        manage_webhooks.update_webhook(webhook, url=url)
    webhook.refresh_from_db()
    assert webhook.url.startswith("http://127.0.0.1:")


def test_there_are_no_other_events(webhook: Webhook) -> None:
    for events in ([], ["webhook.test"], ["document.ready", "x"]):
        with pytest.raises(manage_webhooks.UnknownEvent):
            manage_webhooks.update_webhook(webhook, events=events)


def test_a_plugin_has_a_limited_number_of_webhooks(webhook: Webhook) -> None:
    made = partial(
        manage_webhooks.create_webhook,
        webhook.plugin,
        url="https://example.org/",
        events=Event.values,
        by=webhook.created_by,
    )
    for _ in range(WEBHOOKS.limit("plugin") - 1):
        made()
    with pytest.raises(TooManyWebhooks):
        made()
