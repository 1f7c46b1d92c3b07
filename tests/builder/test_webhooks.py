"""The pane of webhooks: who is told, and how it went."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from accounts.models import User
from builder.webhooks import views
from plugins.models import Plugin
from webhooks.models import Delivery, Event, Webhook

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]
SAID = {"url": "https://example.org/lexic", "events": ["document.ready", "question.unanswered"]}


@pytest.fixture
def client(browsing: Browse, alice: User) -> Client:
    return browsing(alice)


@pytest.fixture
def webhook(plugin: Plugin) -> Webhook:
    made = Webhook(plugin=plugin, url="https://example.org/old", events=Event.values)
    made.set_new_secret()
    made.save()
    return made


def address(name: str, plugin: Plugin, **more: Any) -> str:
    return reverse(f"admin:builder_{name}", kwargs={"pk": plugin.pk, **more})


def of(name: str, webhook: Webhook, **more: Any) -> str:
    return address(name, webhook.plugin, webhook=webhook.pk, **more)


def sent(webhook: Webhook, **columns: Any) -> Delivery:
    number = webhook.deliveries.count()
    columns = {"event": "document.ready", "state": "delivered", "attempts": 1, "next_attempt_at": None} | columns
    return Delivery.objects.create(webhook=webhook, event_id=f"evt_{number}", **columns)


def test_the_secret_is_shown_once(client: Client, plugin: Plugin) -> None:
    page = client.post(address("webhooks", plugin), SAID).content.decode()
    [secret] = re.findall(r"whsec_[A-Za-z0-9+/=]+", page)
    webhook = plugin.webhooks.get()
    assert (webhook.url, webhook.events, webhook.includes_questions) == (SAID["url"], SAID["events"], False)
    assert webhook.created_by == plugin.owner
    for url in (address("webhooks", plugin), of("webhook", webhook), address("sharing", plugin)):
        assert secret not in client.get(url).content.decode()
    renewed = client.post(of("webhook_secret", webhook)).content.decode()
    [new] = re.findall(r"whsec_[A-Za-z0-9+/=]+", renewed)
    assert new != secret
    assert "Events are also signed with the previous secret until" in renewed


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"url": "http://example.org/"}, "Events are sent to public https addresses only."),
        ({"url": "https://10.0.0.1/"}, "Events are sent to public https addresses only."),
        ({"url": ""}, "This field is required."),
        ({"events": []}, "Choose at least one event."),
        ({"events": ["webhook.test"]}, "is not one of the available choices"),
    ],
)
def test_what_is_wrong_is_said_and_what_was_typed_is_kept(
    client: Client, plugin: Plugin, webhook: Webhook, wrong: dict[str, Any], sentence: str
) -> None:
    for url in (address("webhooks", plugin), of("webhook", webhook)):
        page = client.post(url, SAID | wrong).content.decode()
        assert sentence in page
        assert f'value="{(SAID | wrong)["url"]}"' in page or wrong == {"url": ""}
    assert plugin.webhooks.get().url == "https://example.org/old"


def test_it_is_changed_switched_off_and_on_and_deleted(client: Client, plugin: Plugin, webhook: Webhook) -> None:
    client.post(of("webhook", webhook), SAID | {"includes_questions": "on"})
    webhook.refresh_from_db()
    assert (webhook.url, webhook.events, webhook.includes_questions) == (SAID["url"], SAID["events"], True)
    for to, is_active in [("off", False), ("off", False), ("on", True)]:
        client.post(of("webhook_switch", webhook), {"to": to})
        webhook.refresh_from_db()
        assert webhook.is_active is is_active
    client.post(of("webhook_delete", webhook))
    assert not plugin.webhooks.exists()


def test_the_log_shows_how_it_went_and_answers_are_text(client: Client, webhook: Webhook) -> None:
    sent(webhook, status_code=500, state="failed", response="<script>alert(1)</script>", error="It said 500.")
    page = client.get(of("webhook", webhook)).content.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>alert" not in page
    for words in ("status 500", "1 attempt", "failed, is tried again", "It said 500.", "evt_0"):
        assert words in page


def test_a_test_event_and_an_old_one_are_put_on_their_way(client: Client, webhook: Webhook) -> None:
    client.post(of("webhook_test", webhook))
    assert webhook.deliveries.get().event == "webhook.test"
    old = sent(webhook, state="given_up", attempts=10)
    page = client.post(of("webhook_redeliver", webhook, delivery=old.pk), follow=True).content.decode()
    old.refresh_from_db()
    assert (old.state, old.attempts) == ("pending", 0)
    size = len(old.body())
    assert f"is being sent again to example.org: {size} bytes, the same text with the same id." in page
    assert f'<li id="{old.pk}">\n      <details open>' in page
    assert page.count("<details open>") == 1
    assert f"webhook-id: {old.event_id}" in page
    assert f"{size} bytes of JSON" in page


def test_what_is_sent_again_is_opened_wherever_it_is_in_the_log(
    client: Client, webhook: Webhook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "PER_PAGE", 2)
    oldest, *_ = [sent(webhook) for _ in range(5)]
    answer = client.post(of("webhook_redeliver", webhook, delivery=oldest.pk))
    assert "<details open>" in client.get(answer["Location"]).content.decode()


def test_the_log_shows_the_headers_that_were_sent_and_no_signature(client: Client, webhook: Webhook) -> None:
    sent(webhook, attempted_at=datetime(2026, 11, 24, 5, 0, tzinfo=UTC))
    page = client.get(of("webhook", webhook)).content.decode()
    assert "User-Agent: Lexic-Webhooks\nwebhook-id: evt_0\nwebhook-timestamp: 1795496400\n" in page
    assert "webhook-signature" not in page


def test_one_that_was_switched_off_says_so_and_sends_nothing(client: Client, webhook: Webhook) -> None:
    old = sent(webhook, state="given_up")
    webhook.disable(reason="The receiver answered 410: it wants no more events.")
    page = client.get(of("webhook", webhook)).content.decode()
    assert "The receiver answered 410: it wants no more events." in page
    assert "Switch it on" in page
    for url in (of("webhook_test", webhook), of("webhook_redeliver", webhook, delivery=old.pk)):
        assert "This webhook is switched off." in client.post(url, follow=True).content.decode()
    assert list(webhook.deliveries.values_list("state", flat=True)) == ["given_up"]


def test_sharing_leads_there_for_those_who_may_change_it(
    browsing: Browse, client: Client, bob: User, plugin: Plugin, webhook: Webhook
) -> None:
    link = address("webhooks", plugin)
    assert link in client.get(address("sharing", plugin)).content.decode()
    plugin.viewers.add(bob)
    viewer = browsing(bob)
    assert link not in viewer.get(address("sharing", plugin)).content.decode()
    for url in (link, of("webhook", webhook)):
        assert (viewer.get(url).status_code, viewer.post(url, SAID).status_code) == (404, 404)


def test_another_plugins_webhook_is_not_found(client: Client, alice: User, webhook: Webhook) -> None:
    other = Plugin.objects.create(owner=alice, name="Other", domain="x", system_prompt="x")
    assert client.get(address("webhook", other, webhook=webhook.pk)).status_code == 404
    second = Webhook.objects.create(plugin=webhook.plugin, url="https://example.org/2", events=[])
    old = sent(webhook)
    assert client.post(of("webhook_redeliver", second, delivery=old.pk)).status_code == 404


@pytest.mark.parametrize("count", [1, 3])
def test_pages_cost_the_same_however_much_there_is(
    client: Client, webhook: Webhook, count: int, django_assert_max_num_queries: Any
) -> None:
    for number in range(count):
        sent(webhook)
        Webhook.objects.create(plugin=webhook.plugin, url=f"https://example.org/{number}", events=[])
    with django_assert_max_num_queries(24):
        client.get(of("webhook", webhook))
    with django_assert_max_num_queries(24):
        client.get(address("webhooks", webhook.plugin))
