"""Mails end by the link in them, without signing in, and by a form in the settings."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from accounts.models import User
from notifications.mails import send_notification
from notifications.models import MailKind, MailPreferences
from notifications.notify import notify
from notifications.unsubscribe import make_token, preferences_of
from plugins.models import Plugin
from querying.models import Query

pytestmark = pytest.mark.django_db


def link(user: User, kind: MailKind = MailKind.WEEKLY_DIGEST) -> str:
    return reverse("unsubscribe", args=[make_token(user, kind)])


def test_the_mail_has_the_link_that_ends_it(alice: User, mailoutbox: list[Any]) -> None:
    plugin = Plugin.objects.create(owner=alice, name="Boots", slug="boots", domain="x", system_prompt="x")
    row = Query.objects.create(plugin=plugin, release_name="x", question="?", outcome="answered")
    Query.objects.filter(pk=row.pk).update(created_at=datetime(2026, 3, 4, tzinfo=UTC))
    notify(alice.pk, now=datetime(2026, 3, 9, 7, tzinfo=UTC))
    [mail] = mailoutbox
    address = mail.extra_headers["List-Unsubscribe"].strip("<>")
    assert mail.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert address in mail.body
    assert address.startswith(settings.PUBLIC_URL)
    anybody = Client(enforce_csrf_checks=True)
    ended = anybody.post(address.removeprefix(settings.PUBLIC_URL), {"List-Unsubscribe": "One-Click"})
    assert ended.status_code == 200
    assert not preferences_of(alice).weekly_digest


def test_opening_the_link_changes_nothing(alice: User, client: Client) -> None:
    page = client.get(link(alice))
    assert "Unsubscribe from these mails?" in page.content.decode()
    assert preferences_of(alice).weekly_digest


@pytest.mark.parametrize("kind", MailKind)
def test_only_mails_of_its_kind_end(alice: User, client: Client, kind: MailKind) -> None:
    for _ in range(2):
        assert "You get no more mails of this kind" in client.post(link(alice, kind)).content.decode()
    preferences = MailPreferences.objects.get()
    assert [one for one in MailKind if not preferences.wants(one)] == [kind]


def test_links_of_two_kinds_that_are_followed_at_once_end_both(alice: User) -> None:
    first, second = preferences_of(alice), preferences_of(alice)
    first.stop(MailKind.WEEKLY_DIGEST)
    second.stop(MailKind.REFUSALS)
    kept = MailPreferences.objects.get()
    assert [kept.wants(kind) for kind in MailKind] == [False, True, False]


def test_a_link_that_was_changed_ends_nothing(alice: User, client: Client) -> None:
    for address in (link(alice) + "x", reverse("unsubscribe", args=["x"])):
        assert client.post(address).status_code == 404
    alice_link = link(alice)
    alice.delete()
    assert client.post(alice_link).status_code == 404
    assert not MailPreferences.objects.exists()


def test_the_form_saves_what_is_chosen(alice: User, bob: User, client: Client) -> None:
    address = reverse("mail_preferences")
    assert client.get(address).status_code == 302
    client.force_login(alice)
    assert "Weekly digest" in client.get(address).content.decode()
    posted = client.post(address, {"failed_files": "on", "refused_percent": "80"}, follow=True)
    assert "Saved." in posted.content.decode()
    saved = MailPreferences.objects.get()
    assert (saved.user, saved.weekly_digest, saved.failed_files, saved.refusals) == (alice, False, True, False)
    assert saved.refused_percent == 80
    for wrong in ("0", "101", "", "x"):
        assert client.post(address, {"refused_percent": wrong}).status_code == 400
    assert MailPreferences.objects.get().refused_percent == 80


def test_a_subject_is_one_line_and_a_name_is_no_markup(alice: User, mailoutbox: list[Any]) -> None:
    plugin = Plugin(name="<b>Boots</b>\nBcc: x@example.org", owner=alice)
    files = [{"title": "<script>", "plugin": plugin, "reason": "Bad."}]
    send_notification(
        alice, kind=MailKind.FAILED_FILES, subject=f"{plugin.name}", template="failed_files", context={"files": files}
    )
    [mail] = mailoutbox
    assert mail.subject == "<b>Boots</b> Bcc: x@example.org"
    assert "<script>" in mail.body
    assert "<script>" not in mail.alternatives[0][0]
