"""Mails to authors: the digest of a week, files that were not read, and plugins that refuse much."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.core.mail import EmailMultiAlternatives
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.translation import get_language

from accounts.models import User
from knowledge.models import Document, DocumentStatus, KnowledgeBase
from notifications.alerts import MAX_FILES
from notifications.digest import make_digest
from notifications.models import MAX_ATTEMPTS, MailPreferences, NotificationMail
from notifications.notify import digest_week, notify
from notifications.recipients import authors
from notifications.tasks import send_due
from plugins.models import Plugin
from querying.models import Query

pytestmark = pytest.mark.django_db

MONDAY = date(2026, 3, 2)
NOW = datetime(2026, 3, 9, 7, tzinfo=UTC)  # the Monday after


@pytest.fixture
def plugin(alice: User) -> Plugin:
    return Plugin.objects.create(owner=alice, name="Boots & <gloves>", slug="boots", domain="x", system_prompt="x")


@pytest.fixture
def base(plugin: Plugin) -> Any:
    return KnowledgeBase.objects.create(owner=plugin.owner, plugin=plugin, name="Boots", embedder="local", revision=1)


def ask(plugin: Plugin, at: datetime, outcome: str = "answered", **columns: Any) -> Query:
    row = Query.objects.create(
        plugin=plugin, release_name="boots@1.0.0", question="A secret?", outcome=outcome, confidence="high", **columns
    )
    Query.objects.filter(pk=row.pk).update(created_at=at)
    return row


def in_week(day: int = 0) -> datetime:
    return datetime(2026, 3, 2 + day, 12, tzinfo=UTC)


def fail(base: Any, title: str, at: datetime) -> Document:
    document = Document.objects.create(knowledge_base=base, title=title, source_type="pdf")
    Document.objects.filter(pk=document.pk).update(
        status=DocumentStatus.FAILED, error="The document is damaged and cannot be read.", updated_at=at
    )
    return document


def refuse_mail(mail: Any, *args: Any) -> int:
    raise ConnectionRefusedError


def html_of(mail: Any) -> str:
    assert isinstance(mail, EmailMultiAlternatives)
    return str(mail.alternatives[0][0])


def test_the_digest_says_what_a_week_brought(plugin: Plugin, base: Any, alice: User, mailoutbox: list[Any]) -> None:
    for day in range(3):
        ask(plugin, in_week(day))
    ask(plugin, in_week(3), reason="courtesy")  # "Thanks" is no question
    ask(plugin, in_week(6), "refused")
    ask(plugin, in_week(-1))
    Document.objects.create(knowledge_base=base, title="Standard", source_type="pdf", superseded_on=date(2026, 4, 1))
    assert notify(alice.pk, now=NOW) == 1
    [mail] = mailoutbox
    assert (mail.subject, mail.to) == ("Your plugins last week: 4 questions", [alice.email])
    assert "4 questions (1 the week before): 3 answered, 1 refused." in mail.body
    assert "“Standard” is superseded on 1 April 2026." in mail.body
    assert "Boots & <gloves>" in mail.body
    assert "Boots &amp; &lt;gloves&gt;" in html_of(mail)
    assert "A secret?" not in mail.body + html_of(mail)
    assert "2 March 2026 to 8 March 2026" in mail.body


def test_it_is_sent_once(plugin: Plugin, alice: User, mailoutbox: list[Any]) -> None:
    ask(plugin, in_week())
    assert [notify(alice.pk, now=NOW + timedelta(hours=hour)) for hour in range(3)] == [1, 0, 0]
    assert len(mailoutbox) == 1


def test_a_week_without_news_sends_nothing(plugin: Plugin, alice: User, mailoutbox: list[Any]) -> None:
    assert notify(alice.pk, now=NOW) == 0
    assert mailoutbox == []
    assert not NotificationMail.objects.exists()


@pytest.mark.parametrize(
    ("at", "expected"),
    [
        (datetime(2026, 3, 9, 5, 59, tzinfo=UTC), None),
        (datetime(2026, 3, 9, 6, tzinfo=UTC), MONDAY),
        (datetime(2026, 3, 10, 0, 30, tzinfo=UTC), MONDAY),
        (datetime(2026, 3, 11, 23, tzinfo=UTC), MONDAY),
        (datetime(2026, 3, 12, 0, tzinfo=UTC), None),
    ],
)
def test_a_digest_comes_at_the_beginning_of_the_week(at: datetime, expected: date | None) -> None:
    assert digest_week(at) == expected


def test_a_mail_server_that_is_away_is_asked_again_but_not_for_ever(
    plugin: Plugin, alice: User, mailoutbox: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    ask(plugin, in_week())
    with monkeypatch.context() as away:
        away.setattr(EmailMultiAlternatives, "send", refuse_mail)
        assert notify(alice.pk, now=NOW) == 0
    assert notify(alice.pk, now=NOW) == 1
    NotificationMail.objects.update(sent_at=None, attempts=MAX_ATTEMPTS)
    assert notify(alice.pk, now=NOW) == 0
    assert len(mailoutbox) == 1


def test_files_that_were_not_read_are_named_once(plugin: Plugin, base: Any, alice: User, mailoutbox: list[Any]) -> None:
    now = NOW + timedelta(days=4)
    fail(base, "Old", now - timedelta(days=3))
    fail(base, "Broken", now - timedelta(hours=2))
    fail(base, "Just now", now - timedelta(minutes=5))
    assert notify(alice.pk, now=now) == 1
    [mail] = mailoutbox
    assert mail.subject == "1 file was not read"
    assert "Broken (Boots & <gloves>): The document is damaged and cannot be read." in mail.body
    assert "Old" not in mail.body
    assert notify(alice.pk, now=now + timedelta(hours=1)) == 0
    assert notify(alice.pk, now=now + timedelta(days=1)) == 1
    assert "Just now" in mailoutbox[-1].body
    assert "Broken" not in mailoutbox[-1].body


@pytest.mark.parametrize(("asked", "refused", "sent"), [(10, 5, 1), (10, 4, 0), (9, 9, 0)])
def test_a_plugin_that_refuses_much_is_told_of(
    plugin: Plugin, alice: User, mailoutbox: list[Any], asked: int, refused: int, sent: int
) -> None:
    now = NOW + timedelta(days=4)
    release = plugin.releases.create(version="1.0.0", system_prompt="x")
    for number in range(asked):
        ask(plugin, now - timedelta(hours=1), "refused" if number < refused else "answered", release=release)
    ask(plugin, now - timedelta(hours=25), "refused", release=release)
    ask(plugin, now - timedelta(hours=1), release=release, reason="courtesy")  # "Thanks" is no question
    assert notify(alice.pk, now=now) == sent
    assert notify(alice.pk, now=now + timedelta(minutes=30)) == 0
    if sent:
        assert mailoutbox[0].subject == "Boots & <gloves> refused 50 % of its questions"
        assert "5 of 10 questions" in mailoutbox[0].body


def test_what_the_author_tries_in_the_sandbox_raises_no_alarm(plugin: Plugin, alice: User) -> None:
    now = NOW + timedelta(days=4)
    for _ in range(12):
        ask(plugin, now - timedelta(hours=1), "refused", user=alice)
    assert notify(alice.pk, now=now) == 0


def test_a_mail_that_is_tried_again_tells_no_file_twice(
    plugin: Plugin, base: Any, alice: User, mailoutbox: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = NOW + timedelta(days=4)
    fail(base, "Early", now - timedelta(hours=2))
    with monkeypatch.context() as away:
        away.setattr(EmailMultiAlternatives, "send", refuse_mail)
        assert notify(alice.pk, now=now) == 0
    fail(base, "Late", now - timedelta(minutes=30))
    assert notify(alice.pk, now=now + timedelta(hours=1)) == 1
    assert "Early" in mailoutbox[0].body
    assert "Late" in mailoutbox[0].body
    assert notify(alice.pk, now=now + timedelta(days=1)) == 0


def test_more_files_than_are_named_are_counted(plugin: Plugin, base: Any, alice: User, mailoutbox: list[Any]) -> None:
    now = NOW + timedelta(days=4)
    for number in range(MAX_FILES + 3):
        fail(base, f"File {number}", now - timedelta(hours=2, minutes=number))
    assert notify(alice.pk, now=now) == 1
    [mail] = mailoutbox
    assert mail.subject == f"{MAX_FILES + 3} files were not read"
    assert f"File {MAX_FILES - 1} " in mail.body
    assert f"File {MAX_FILES} " not in mail.body
    assert "- 3 more\n" in mail.body


def test_questions_that_a_mail_has_told_are_not_told_by_the_next_one(
    plugin: Plugin, alice: User, mailoutbox: list[Any]
) -> None:
    """Whatever day it is: a mail of eleven o'clock speaks of the same 24 hours as one of midnight."""
    morning = datetime(2026, 3, 13, 11, 7, tzinfo=UTC)
    release = plugin.releases.create(version="1.0.0", system_prompt="x")
    for _ in range(10):
        ask(plugin, morning - timedelta(hours=1), "refused", release=release)
    assert [notify(alice.pk, now=morning + timedelta(hours=hour)) for hour in range(25)] == [1, *[0] * 24]
    for _ in range(10):
        ask(plugin, morning + timedelta(hours=20), "refused", release=release)
    assert notify(alice.pk, now=morning + timedelta(hours=23)) == 0
    assert notify(alice.pk, now=morning + timedelta(hours=24)) == 1
    assert len(mailoutbox) == 2
    assert "10 of 10 questions" in mailoutbox[1].body


def test_the_subject_counts_the_questions_of_plugins_that_are_not_named(
    alice: User, mailoutbox: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("notifications.digest.MAX_PLUGINS", 1)
    for name in ("Boots", "Hats", "Gloves"):
        one = Plugin.objects.create(owner=alice, name=name, slug=name.lower(), domain="x", system_prompt="x")
        ask(one, in_week())
    assert notify(alice.pk, now=NOW) == 1
    assert mailoutbox[0].subject == "Your plugins last week: 3 questions"
    assert "2 more of your plugins have news." in mailoutbox[0].body


def test_each_kind_can_be_chosen(plugin: Plugin, base: Any, alice: User, mailoutbox: list[Any]) -> None:
    ask(plugin, in_week())
    fail(base, "Broken", NOW - timedelta(hours=2))
    MailPreferences.objects.create(user=alice, weekly_digest=False, failed_files=False)
    assert notify(alice.pk, now=NOW) == 0
    MailPreferences.objects.update(failed_files=True)
    assert notify(alice.pk, now=NOW) == 1
    assert mailoutbox[0].subject == "1 file was not read"


FAILED = "The document is damaged and cannot be read. Open the document in its own program, save it again and upload the new file."  # noqa: E501


def test_mails_are_in_the_language_that_the_person_chose(
    plugin: Plugin, base: Any, alice: User, mailoutbox: list[Any]
) -> None:
    alice.language = "de"
    alice.save()
    now = NOW - timedelta(days=3)
    release = plugin.releases.create(version="1.0.0", system_prompt="x")
    for _ in range(1200):
        ask(plugin, now - timedelta(hours=1), "refused", release=release)
    Document.objects.create(knowledge_base=base, title="Norm", source_type="pdf", superseded_on=date(2026, 4, 1))
    fail(base, "Kaputt", NOW - timedelta(hours=2))
    Document.objects.filter(title="Kaputt").update(error=FAILED)
    assert notify(alice.pk, now=NOW) == 2
    assert notify(alice.pk, now=now) == 1
    digest, files, refusals = mailoutbox
    assert digest.subject == "Ihre Plugins letzte Woche: 1.200 Fragen"
    assert "2. März 2026 bis 8. März 2026" in digest.body
    assert "1.200 Fragen (in der Woche davor: 0), davon 0 beantwortet, 1.200 nicht beantwortet." in digest.body
    assert "„Norm“ wird am 1. April 2026 abgelöst." in digest.body
    assert "Abbestellen: wöchentliche Übersicht: http" in digest.body
    assert '<html lang="de">' in html_of(digest)
    assert files.subject == "1 Datei wurde nicht gelesen"
    assert "Kaputt (Boots & <gloves>): Das Dokument ist beschädigt und kann nicht gelesen werden." in files.body
    assert refusals.subject == "Boots & <gloves> hat 100 % seiner Fragen nicht beantwortet"
    assert get_language() == "en-gb"


def test_a_reason_that_names_what_is_in_the_file_says_that_it_is_english(
    plugin: Plugin, base: Any, alice: User, mailoutbox: list[Any]
) -> None:
    alice.language = "fr"
    alice.save()
    fail(base, "Livre", NOW + timedelta(days=3))
    Document.objects.update(error="Files called .xyz are not read.")
    assert notify(alice.pk, now=NOW + timedelta(days=4)) == 1
    assert '<span lang="en">Files called .xyz are not read.</span>' in html_of(mailoutbox[0])


def test_a_language_that_the_site_does_not_have_is_english(plugin: Plugin, alice: User, mailoutbox: list[Any]) -> None:
    alice.language = "xx"
    alice.save()
    ask(plugin, in_week())
    assert notify(alice.pk, now=NOW) == 1
    assert mailoutbox[0].subject == "Your plugins last week: 1 question"


def test_those_who_work_on_a_plugin_are_told_and_nobody_else(
    plugin: Plugin, alice: User, bob: User, charlie: User, mailoutbox: list[Any]
) -> None:
    ask(plugin, in_week())
    plugin.viewers.add(charlie)
    assert set(authors()) == {alice}
    plugin.editors.add(bob)
    assert set(authors()) == {alice, bob}
    assert notify(charlie.pk, now=NOW) == 0
    assert notify(bob.pk, now=NOW) == 1
    bob.is_active = False
    bob.save()
    assert set(authors()) == {alice}
    Plugin.objects.create(owner=charlie, name="Hats", slug="hats", domain="x", system_prompt="x")
    charlie.is_superuser = True
    charlie.save()
    assert notify(charlie.pk, now=NOW) == 0
    assert [mail.to for mail in mailoutbox] == [[bob.email]]


def test_an_address_that_is_not_confirmed_gets_no_mail(plugin: Plugin, alice: User, mailoutbox: list[Any]) -> None:
    ask(plugin, in_week())
    alice.emailaddress_set.update_or_create(email=alice.email, defaults={"verified": False, "primary": True})
    assert notify(alice.pk, now=NOW) == 0
    assert mailoutbox == []


def test_as_many_statements_for_many_plugins_as_for_one(plugin: Plugin, alice: User) -> None:
    ask(plugin, in_week())
    with CaptureQueriesContext(connection) as one:
        make_digest(alice, monday=MONDAY)
    for number in range(4):
        other = Plugin.objects.create(owner=alice, name=f"P{number}", slug=f"p{number}", domain="x", system_prompt="x")
        ask(other, in_week())
    with CaptureQueriesContext(connection) as many:
        digest = make_digest(alice, monday=MONDAY)
    assert digest is not None
    assert len(digest.plugins) == 5
    assert len(many) <= len(one) <= 12


def test_the_timetable_asks_for_every_author_and_forgets_old_mails(
    plugin: Plugin, alice: User, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    published: list[Any] = []
    monkeypatch.setattr("notifications.tasks.publish_task", lambda name, **given: published.append((name, given)))
    for number, days in enumerate((1, 100)):
        mail = NotificationMail.objects.create(user=alice, kind="digest", key=f"{number}", until=NOW)
        NotificationMail.objects.filter(pk=mail.pk).update(created_at=datetime.now(UTC) - timedelta(days=days))
    send_due()
    assert published == [("notifications.notify", {"user_id": str(alice.pk), "expires": 3600})]
    assert list(NotificationMail.objects.values_list("key", flat=True)) == ["0"]
