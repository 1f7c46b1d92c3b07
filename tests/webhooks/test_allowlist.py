"""Receivers in private networks: those that the operator lists, and no others."""

from __future__ import annotations

import ipaddress
from functools import partial
from typing import Any

import pytest
from environs import Env, ValidationError

from accounts.models import User
from lexic import egress
from lexic.conf.egress import VARIABLE, read_webhook_policy
from plugins.models import Plugin
from tests.webhooks.receiver import Receiver, receiving
from webhooks import manage_webhooks, tasks
from webhooks.models import Delivery, Event, Webhook

METADATA = ["169.254.169.254", "100.100.100.200", "168.63.129.16", "fd00:ec2::254", "::ffff:169.254.169.254"]


@pytest.fixture
def listing(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Any:
    """Lists these networks and hosts as an operator does."""

    def listing(entries: str) -> egress.EgressPolicy:
        monkeypatch.setenv(VARIABLE, entries)
        settings.WEBHOOK_POLICY = read_webhook_policy(Env())
        return settings.WEBHOOK_POLICY

    return listing


def send(webhook: Webhook) -> Delivery:
    delivery = manage_webhooks.send_test_event(webhook)
    tasks.send_due(webhook_id=str(webhook.pk))
    delivery.refresh_from_db()
    return delivery


# --- The list ---------------------------------------------------------------------------------------------


def test_networks_addresses_and_names_are_listed(listing: Any) -> None:
    policy = listing("10.20.0.0/16, 127.0.0.1, Receiver.internal, fd12::/16")
    for host in ("10.20.3.4", "127.0.0.1", "receiver.internal", "RECEIVER.internal.", "[fd12::1]"):
        assert policy.lists(host), host
    for host in ("10.21.0.1", "127.0.0.2", "other.internal", "x.receiver.internal", "example.org", "[fd13::1]"):
        assert not policy.lists(host), host


def test_without_a_list_nothing_private_is_reached(listing: Any) -> None:
    assert listing("") == egress.EgressPolicy()


@pytest.mark.parametrize("entry", ["10.20.0.1/16", "10.0.0.0/33", "http://x/", "a b", "*", "0x7f.1", "1.2.3", "x:80"])
def test_what_is_no_network_and_no_name_is_refused(listing: Any, entry: str) -> None:
    with pytest.raises(ValidationError, match=VARIABLE):
        listing(entry)


@pytest.mark.parametrize("address", METADATA)
def test_the_metadata_of_clouds_is_never_reached(listing: Any, address: str) -> None:
    policy = listing("0.0.0.0/0, ::/0, receiver.internal")
    for port in (80, 443, 8080):
        assert not policy.allows(ipaddress.ip_address(address), port, host="receiver.internal")
    assert not policy.lists(address)


def test_other_ports_are_for_what_is_listed_alone(listing: Any) -> None:
    policy = listing("10.20.0.0/16")
    assert policy.allows(ipaddress.ip_address("10.20.0.1"), 8080)
    assert policy.allows(ipaddress.ip_address("1.1.1.1"), 443)
    assert not policy.allows(ipaddress.ip_address("1.1.1.1"), 8080)
    assert not policy.allows(ipaddress.ip_address("10.21.0.1"), 443)


# --- What authors may enter -------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("url", ["http://127.0.0.1:9000/hook", "https://10.20.1.1/", "http://receiver.internal:8080/x"])
def test_a_listed_receiver_may_be_entered_and_only_while_it_is_listed(
    listing: Any, boots: Plugin, alice: User, url: str
) -> None:
    listing("10.20.0.0/16, 127.0.0.1, receiver.internal")
    webhook, _ = manage_webhooks.create_webhook(boots, url=url, events=[Event.DOCUMENT_READY], by=alice)
    assert webhook.url == url
    listing("")
    with pytest.raises(manage_webhooks.InvalidReceiverUrl):
        manage_webhooks.create_webhook(boots, url=url, events=[Event.DOCUMENT_READY], by=alice)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "https://example.org:8443/",
        "http://10.21.0.1/",
        "https://10.21.0.1/",
        "http://127.0.0.2/",
        "http://169.254.169.254/",
        "http://127.1/",
        "http://user@127.0.0.1/",
        "ftp://127.0.0.1/",
    ],
)
def test_everything_else_stays_refused(listing: Any, boots: Plugin, alice: User, url: str) -> None:
    listing("10.20.0.0/16, 127.0.0.1, receiver.internal")
    with pytest.raises(manage_webhooks.InvalidReceiverUrl):
        manage_webhooks.create_webhook(boots, url=url, events=[Event.DOCUMENT_READY], by=alice)
    assert not Webhook.objects.exists()


# --- What is sent -----------------------------------------------------------------------------------------


@pytest.fixture
def private(listing: Any) -> Any:
    with receiving() as server:
        yield server


def make_webhook(plugin: Plugin, url: str) -> Webhook:
    webhook = Webhook(plugin=plugin, url=url, events=Event.values)
    webhook.set_new_secret()
    webhook.save()
    return webhook


@pytest.mark.django_db
def test_an_event_reaches_a_receiver_on_this_machine_once_it_is_listed(
    listing: Any, boots: Plugin, private: Receiver
) -> None:
    webhook = make_webhook(boots, private.url)
    assert send(webhook).error == "Only the usual ports of the web (80 and 443) are fetched."
    assert private.arrived == []
    Webhook.objects.update(not_before=None)
    listing("127.0.0.0/8")
    assert send(webhook).state == Delivery.State.DELIVERED
    assert "webhook.test" in private.kinds


@pytest.mark.django_db
def test_a_redirect_is_never_followed_into_the_list_either(listing: Any, boots: Plugin, private: Receiver) -> None:
    listing("127.0.0.1")
    private.will_answer(302, Location=private.url)
    delivery = send(make_webhook(boots, private.url))
    assert (delivery.state, delivery.status_code) == (Delivery.State.FAILED, 302)
    assert len(private.arrived) == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("entries", "leads_to", "arrives"),
    [
        ("receiver.internal", ["127.0.0.1"], True),
        ("127.0.0.1", ["127.0.0.1"], True),
        ("127.0.0.1", ["127.0.0.1", "10.0.0.1"], False),
        ("other.internal", ["127.0.0.1"], False),
        ("10.0.0.0/8", ["127.0.0.1"], False),
        ("receiver.internal", ["127.0.0.1", "169.254.169.254"], False),
    ],
)
def test_a_name_is_judged_by_where_it_leads_when_it_is_sent_to(
    listing: Any,
    boots: Plugin,
    private: Receiver,
    monkeypatch: pytest.MonkeyPatch,
    entries: str,
    leads_to: list[str],
    arrives: bool,
) -> None:
    """However it was resolved before: a name that leads elsewhere now reaches nothing that is not listed."""
    listing(entries)
    monkeypatch.setattr(egress, "post", partial(egress.post, resolver=lambda host, port: leads_to))
    port = private.server_address[1]
    delivery = send(make_webhook(boots, f"http://receiver.internal:{port}/"))
    assert (delivery.state == Delivery.State.DELIVERED) is arrives
    assert bool(private.arrived) is arrives


def test_the_list_is_for_webhooks_alone(listing: Any, private: Receiver) -> None:
    """Documents that an author names are fetched from public addresses, whatever is listed for webhooks."""
    listing("127.0.0.0/8")
    with pytest.raises(egress.EgressRefused):
        egress.fetch(private.url, max_bytes=100, timeout=2, content_types=["text/html"])
