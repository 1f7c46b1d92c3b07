"""`/api/plugins/…/webhooks`: who is told what happens."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient
from standardwebhooks import Webhook as Verifier

from accounts.models import ApiKey, User
from plugins.models import Plugin
from tests.remembered import remembered
from webhooks import signing
from webhooks.models import Delivery, Event, Webhook

pytestmark = pytest.mark.django_db
SAID = {"url": "https://example.org/lexic", "events": ["document.ready"]}


@pytest.fixture
@remembered
def boots(alice: User) -> Plugin:
    return Plugin.objects.create(owner=alice, name="Boots", slug="boots", domain="x", system_prompt="x")


@pytest.fixture
def webhook(boots: Plugin) -> Webhook:
    made = Webhook(plugin=boots, url="https://example.org/old", events=Event.values)
    made.set_new_secret()
    made.save()
    return made


@pytest.fixture
def delivery(webhook: Webhook) -> Delivery:
    return Delivery.objects.create(
        webhook=webhook, event="document.ready", event_id="evt_1", state="given_up", attempts=10, data={"a": 1}
    )


def agent(owner: User, *, can: tuple[str, ...] = ("author",), **limits: Any) -> APIClient:
    client = APIClient()
    _, secret = ApiKey.objects.issue(owner=owner, name="agent", capabilities=list(can), **limits)
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def routes(webhook: Webhook, delivery: Delivery) -> list[tuple[str, str]]:
    base = f"/api/plugins/{webhook.plugin.slug}/webhooks"
    one = f"{base}/{webhook.pk}"
    return [
        ("get", base),
        ("post", base),
        ("get", one),
        ("patch", one),
        ("delete", one),
        ("post", f"{one}/secret"),
        ("post", f"{one}/test"),
        ("get", f"{one}/deliveries"),
        ("post", f"{one}/deliveries/{delivery.pk}/redeliver"),
    ]


def test_the_secret_is_in_the_answer_to_making_it_and_nowhere_else(alice: User, boots: Plugin) -> None:
    client = agent(alice)
    made = client.post("/api/plugins/boots/webhooks", SAID, format="json")
    assert made.status_code == 201
    secret = made.json()["secret"]
    headers = signing.signature_headers(event_id="evt_1", at=timezone.now(), body=b"{}", valid=[secret])
    Verifier(secret).verify(b"{}", headers)
    webhook = boots.webhooks.get()
    expected = {
        "id": str(webhook.pk),
        **SAID,
        "includesQuestions": False,
        "isActive": True,
        "disabledAt": None,
        "disabledReason": "",
        "failures": 0,
        "failingSince": None,
        "createdAt": webhook.created_at.isoformat().replace("+00:00", "Z"),
    }
    assert {**made.json(), "secret": ""} == {**expected, "secret": ""}
    assert webhook.created_by == alice
    assert client.get(f"/api/plugins/{boots.pk}/webhooks/{webhook.pk}").json() == expected
    listed = client.get("/api/plugins/boots/webhooks").json()
    assert listed == {"results": [expected], "next": None, "previous": None}
    renewed = client.post(f"/api/plugins/boots/webhooks/{webhook.pk}/secret").json()
    assert renewed["secret"] not in ("", secret)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({**SAID, "url": "http://example.org/"}, "invalid_url"),
        ({**SAID, "url": "https://169.254.169.254/"}, "invalid_url"),
        ({**SAID, "events": ["everything"]}, "unknown_event"),
        ({**SAID, "events": []}, "unknown_event"),
        ({**SAID, "events": "document.ready"}, "invalid"),
        ({**SAID, "events": [["document.ready"]]}, "invalid"),
        ({**SAID, "includesQuestions": "yes"}, "invalid"),
        ({**SAID, "includeQuestions": True}, "invalid"),
        ({"url": SAID["url"]}, "invalid"),
        ([], "invalid"),
    ],
)
def test_what_is_wrong_is_said(alice: User, boots: Plugin, body: Any, code: str) -> None:
    answer = agent(alice).post("/api/plugins/boots/webhooks", body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert not boots.webhooks.exists()


def test_it_is_changed_switched_off_and_on_and_deleted(alice: User, webhook: Webhook) -> None:
    client, url = agent(alice), f"/api/plugins/boots/webhooks/{webhook.pk}"
    changed = client.patch(url, {"url": SAID["url"], "includesQuestions": True}, format="json").json()
    assert (changed["url"], changed["events"], changed["includesQuestions"]) == (SAID["url"], Event.values, True)
    assert client.patch(url, {"isActive": False}, format="json").json()["isActive"] is False
    assert client.post(f"{url}/test").json()["code"] == "switched_off"
    assert client.patch(url, {"isActive": True}, format="json").json()["disabledAt"] is None
    assert client.delete(url).status_code == 204
    assert client.get(url).status_code == 404


def test_what_was_sent_can_be_read_and_sent_again(alice: User, webhook: Webhook, delivery: Delivery) -> None:
    client, url = agent(alice), f"/api/plugins/boots/webhooks/{webhook.pk}/deliveries"
    [row] = client.get(url).json()["results"]
    assert (row["eventId"], row["state"], row["attempts"]) == ("evt_1", "given_up", 10)
    assert row["payload"] == delivery.payload
    again = client.post(f"{url}/{delivery.pk}/redeliver")
    assert (again.status_code, again.json()["state"], again.json()["attempts"]) == (202, "pending", 0)
    test = client.post(f"/api/plugins/boots/webhooks/{webhook.pk}/test")
    assert (test.status_code, test.json()["event"]) == (202, "webhook.test")


def test_strangers_and_keys_for_other_plugins_find_nothing(
    alice: User, charlie: User, webhook: Webhook, delivery: Delivery
) -> None:
    other = Plugin.objects.create(owner=alice, name="Other", domain="x", system_prompt="x")
    for client in (agent(charlie), agent(alice, plugins=[other])):
        for method, url in routes(webhook, delivery):
            answer = getattr(client, method)(url, SAID, format="json")
            assert (answer.status_code, answer.json()["code"]) == (404, "unknown_plugin"), url
    assert Webhook.objects.get().url == "https://example.org/old"


def test_who_may_only_look_at_a_plugin_sees_none_of_it(bob: User, webhook: Webhook, delivery: Delivery) -> None:
    webhook.plugin.viewers.add(bob)
    for method, url in routes(webhook, delivery):
        answer = getattr(agent(bob), method)(url, SAID, format="json")
        assert (answer.status_code, answer.json()["code"]) == (403, "read_only"), url


def test_a_key_that_may_not_author_changes_nothing(alice: User, webhook: Webhook, delivery: Delivery) -> None:
    for method, url in routes(webhook, delivery):
        answer = getattr(agent(alice, can=("query",)), method)(url, SAID, format="json")
        assert (answer.status_code, answer.json()["code"]) == (403, "missing_capability"), url


def test_ones_own_plugin_is_no_way_to_the_webhooks_of_another(
    alice: User, charlie: User, webhook: Webhook, delivery: Delivery
) -> None:
    own = Plugin.objects.create(owner=charlie, name="Own", slug="own", domain="x", system_prompt="x")
    mine = Webhook.objects.create(plugin=own, url="https://example.org/", events=[])
    client = agent(charlie)
    for method, url in routes(webhook, delivery):
        url = url.replace("/boots/", "/own/")
        if str(webhook.pk) in url:
            assert getattr(client, method)(url, SAID, format="json").status_code == 404, url
    crossed = f"/api/plugins/own/webhooks/{mine.pk}/deliveries/{delivery.pk}/redeliver"
    assert client.post(crossed).json()["code"] == "unknown_delivery"


def test_lists_cost_the_same_for_one_and_for_three(alice: User, webhook: Webhook, delivery: Delivery) -> None:
    client, base = agent(alice), "/api/plugins/boots/webhooks"
    client.get(base)

    def costs() -> list[int]:
        found = []
        for url in (base, f"{base}/{webhook.pk}/deliveries"):
            with CaptureQueriesContext(
                connection,
            ) as queries:
                assert client.get(url).status_code == 200
            found.append(len(queries))
        return found

    one = costs()
    for number in range(2):
        Webhook.objects.create(plugin=webhook.plugin, url=f"https://example.org/{number}", events=[])
        Delivery.objects.create(webhook=webhook, event="document.ready", event_id=f"evt_more_{number}")
    assert costs() == one
    assert max(one) <= 8
