"""What those who run the site withdraw stays withdrawn until they lift that."""

from __future__ import annotations

from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import User
from knowledge.documents.lifecycle import add_text
from knowledge.ingest import ingest
from knowledge.plugin_knowledge_base import own_knowledge_base
from marketplace.models import Report
from marketplace.publishing.publish import NotReady, publish, publish_blockers
from marketplace.publishing.rollback import roll_back
from marketplace.reviews import moderation
from plugins.models import Plugin, PublishingBlocked

pytestmark = pytest.mark.django_db
WORDS = "An operator withdrew this plugin after a report; it cannot be published until they allow it."


@pytest.fixture
def ruth(db: None) -> User:
    """Runs the site."""
    return User.objects.create_superuser("ruth@example.org", "correct horse battery", display_name="Ruth")


@pytest.fixture
def reported(alice: User) -> Report:
    """Of a plugin that could be published at any time."""
    plugin = Plugin.objects.create(owner=alice, name="Boots", slug="boots", domain="x", system_prompt="Brief.")
    text = "# Boots\n\nSafety boots are worn on every site."
    ingest(add_text(knowledge_base=own_knowledge_base(plugin), title="Rules", text=text, enqueue=False).document.pk)
    publish(plugin, by=alice)
    plugin.refresh_from_db()
    return Report.objects.create(plugin=plugin, reason="rights", fingerprint="x")


@pytest.fixture
def plugin(reported: Report, ruth: User) -> Plugin:
    moderation.withdraw_plugin(reported, by=ruth)
    reported.plugin.refresh_from_db()
    return reported.plugin


def is_on_the_air() -> bool:
    return Plugin.objects.get().is_published


def signed_in(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def test_its_owner_cannot_publish_it_and_reads_why(plugin: Plugin, alice: User) -> None:
    with pytest.raises(NotReady) as refused:
        publish(plugin, by=alice)
    assert refused.value.reasons == publish_blockers(plugin) == [f"{WORDS} {PublishingBlocked.hint}"]
    address = reverse("admin:builder_publish", args=[plugin.pk])
    assert WORDS in signed_in(alice).get(address).content.decode()
    signed_in(alice).post(address, {"version": "", "notes": ""})
    assert not is_on_the_air()


def test_neither_a_new_version_nor_an_earlier_one_nor_the_api_is_a_way_round(plugin: Plugin, alice: User) -> None:
    with pytest.raises(NotReady):
        publish(plugin, by=alice, version="2.0.0")
    release = plugin.latest_release()
    assert release is not None
    with pytest.raises(PublishingBlocked):
        roll_back(plugin, to=release, by=alice)
    client = APIClient()
    client.force_login(alice)
    said = client.post("/api/plugins/boots/publish", {}, format="json")
    assert (said.status_code, said.json()["missing"]) == (409, [f"{WORDS} {PublishingBlocked.hint}"])
    said = client.patch("/api/plugins/boots", {"isHeld": False, "is_held": False}, format="json")
    assert Plugin.objects.get().is_held
    assert (is_on_the_air(), plugin.releases.count()) == (False, 1)


def test_taking_it_off_the_air_oneself_first_does_not_help(reported: Report, ruth: User, mailoutbox: Any) -> None:
    reported.plugin.unpublish()
    decision = moderation.withdraw_plugin(reported, by=ruth)
    assert (decision.is_mail_sent, Plugin.objects.get().is_held) == (True, True)
    assert "It cannot be published again until the operators allow it." in mailoutbox[0].body


def test_who_reviewed_it_leaves_and_it_stays_withdrawn(plugin: Plugin, alice: User) -> None:
    """Reports may go with what they are of."""
    Report.objects.all().delete()
    with pytest.raises(NotReady):
        publish(plugin, by=alice)


def test_a_copy_and_a_file_of_it_begin_anew(plugin: Plugin) -> None:
    from marketplace.bundle.columns import PLUGIN_COLUMNS

    assert "is_held" not in PLUGIN_COLUMNS


def test_once_it_is_lifted_its_owner_publishes_it(
    plugin: Plugin, reported: Report, alice: User, ruth: User, mailoutbox: Any
) -> None:
    mailoutbox.clear()
    client, page = signed_in(ruth), reverse("admin:marketplace_report_change", args=[reported.pk])
    assert "Allow the plugin to be published again" in client.get(page).content.decode()
    lifting = reverse("admin:marketplace_report_decide", args=[reported.pk])
    for said in ("Its owner may publish it again.", "This was lifted before."):
        assert said in client.post(lifting, {"action": "lift"}, follow=True).content.decode()
    assert "Allow the plugin to be published again" not in client.get(page).content.decode()
    assert [mail.to for mail in mailoutbox] == [[alice.email]]
    assert not is_on_the_air()
    publish(plugin, by=alice)
    assert is_on_the_air()


def test_nobody_else_lifts_it(plugin: Plugin, reported: Report, alice: User) -> None:
    lifting = reverse("admin:marketplace_report_decide", args=[reported.pk])
    assert signed_in(alice).post(lifting, {"action": "lift"}).status_code == 404
    assert Plugin.objects.get().is_held


def test_opening_the_report_again_does_not_lift_it(plugin: Plugin, reported: Report, ruth: User) -> None:
    reported.refresh_from_db()
    moderation.reopen_report(reported)
    moderation.dismiss_report(reported, by=ruth)
    assert Plugin.objects.get().is_held


def test_it_is_lifted_by_command_too(plugin: Plugin) -> None:
    call_command("publish", "boots", "--lift")
    assert (Plugin.objects.get().is_held, is_on_the_air()) == (False, False)
