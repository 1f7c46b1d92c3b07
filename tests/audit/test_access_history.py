"""An auditor's questions: who could read this document on that day, and who opened it to whom."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from audit.models import AuditEntry
from audit.references import person
from knowledge.access_history import ANYBODY, document_access
from knowledge.models import BaseMember, Consent, Document, KnowledgeBase, KnowledgeGrant
from knowledge.plugin_knowledge_base import own_knowledge_base
from marketplace.publishing.member_departure import remove_member
from marketplace.publishing.ownership_transfer import accept_for_organisation, offer_to_organisation
from organisations.models import Membership, Organisation
from plugins import collaborators
from plugins.models import Plugin, Role
from privacy.plugin_deletion import delete_plugin

pytestmark = pytest.mark.django_db
Days = Callable[[int], None]


@pytest.fixture(autouse=True)
def on_day(monkeypatch: pytest.MonkeyPatch) -> Days:
    """From now on entries are written on this day of November."""

    def set_day(day: int) -> None:
        moment = datetime(2026, 11, day, 12, tzinfo=UTC)
        monkeypatch.setattr(AuditEntry._meta.get_field("at"), "_get_default", lambda: moment)

    set_day(1)  # before anybody has an account
    return set_day


@pytest.fixture
def document(alice: User) -> Document:
    plugin = Plugin.objects.create(owner=alice, name="Cover", slug="cover", system_prompt="x", domain="d")
    return Document.objects.create(knowledge_base=own_knowledge_base(plugin), title="Manual", source_type="pdf")


@pytest.fixture
def plugin(document: Document) -> Plugin:
    return document.knowledge_base.plugin  # type: ignore[return-value]


def commit() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")


def readers(document: Document, day: int) -> set[str]:
    commit()
    return {each.who for each in document_access(document.pk, day=date(2026, 11, day)).readers}


def test_a_day_with_many_deeds_is_read_at_once(document: Document, plugin: Plugin, bob: User, on_day: Days) -> None:
    def count_queries() -> int:
        commit()
        with CaptureQueriesContext(connection) as queries:
            document_access(document.pk, day=date(2026, 11, 10))
        return len(queries)

    on_day(10)
    collaborators.assign_role(plugin, person=bob, role=Role.VIEWER)
    once = count_queries()
    moments = (datetime(2026, 11, 10, 13, minute, tzinfo=UTC) for minute in range(60))
    with mock.patch.object(AuditEntry._meta.get_field("at"), "_get_default", side_effect=moments):
        for _ in range(3):
            collaborators.remove_collaborator(plugin, person=bob)
            collaborators.assign_role(plugin, person=bob, role=Role.EDITOR)
    assert count_queries() == once


def test_role_given_and_taken(document: Document, plugin: Plugin, alice: User, bob: User, on_day: Days) -> None:
    on_day(10)
    collaborators.assign_role(plugin, person=bob, role=Role.VIEWER)
    on_day(12)
    collaborators.remove_collaborator(plugin, person=bob)
    owner, viewer = f"person:{alice.pk}", f"person:{bob.pk}"
    assert [readers(document, day) for day in (9, 10, 11, 12, 13)] == [
        {owner},
        {owner, viewer},
        {owner, viewer},
        {owner, viewer},
        {owner},
    ]


def test_published_shared_and_closed(document: Document, plugin: Plugin, on_day: Days) -> None:
    on_day(5)
    plugin.is_published = True
    plugin.save()
    on_day(6)
    Plugin.objects.filter(pk=plugin.pk).update(is_shared=True)
    on_day(8)
    plugin.refresh_from_db()
    plugin.unpublish()

    def why(day: int) -> list[str]:
        found = document_access(document.pk, day=date(2026, 11, day)).readers
        return sorted(each.why.split()[0] for each in found if each.who == ANYBODY)

    commit()
    assert [why(day) for day in (4, 5, 6, 8, 9)] == [
        [],
        ["quotations"],
        ["pages", "quotations"],
        ["pages", "quotations"],
        [],
    ]


def test_only_public_documents(document: Document, plugin: Plugin, on_day: Days) -> None:
    on_day(5)
    plugin.is_published = plugin.public_only = True
    plugin.save()
    on_day(7)
    Document.objects.filter(pk=document.pk).update(is_public=True)
    assert [ANYBODY in readers(document, day) for day in (6, 7)] == [False, True]


def test_granted_to_another_plugin(document: Document, alice: User, charlie: User, on_day: Days) -> None:
    on_day(5)
    other = Plugin.objects.create(owner=charlie, name="Other", slug="other", system_prompt="x", domain="d")
    grant = KnowledgeGrant.objects.attach(document.knowledge_base, other, by=alice, consent=Consent.DRAFT)
    on_day(7)
    KnowledgeGrant.objects.filter(pk=grant.pk).end()
    theirs = f"person:{charlie.pk}"
    assert [theirs in readers(document, day) for day in (4, 5, 6, 7, 8)] == [False, True, True, True, False]


def test_private_document_of_a_project(alice: User, bob: User, on_day: Days) -> None:
    base = KnowledgeBase.objects.create(owner=alice, name="Matter", kind="project")
    document = Document.objects.create(knowledge_base=base, title="Contract", source_type="pdf")
    User.objects.filter(pk=bob.pk).update(is_superuser=True)
    on_day(3)
    member = BaseMember.objects.create(knowledge_base=base, email="charlie@example.org", role=Role.VIEWER)
    on_day(5)
    base.members.all().delete()
    assert [readers(document, day) for day in (2, 4, 6)] == [
        {f"person:{alice.pk}"},
        {f"person:{alice.pk}", f"member:{member.pk}"},
        {f"person:{alice.pk}"},
    ]


def test_roles_on_the_site(document: Document, bob: User, on_day: Days) -> None:
    on_day(5)
    bob.is_superuser = True
    bob.save()
    on_day(7)
    User.objects.filter(pk=bob.pk).update(is_active=False)
    assert [f"person:{bob.pk}" in readers(document, day) for day in (4, 5, 7, 8)] == [False, True, True, False]


def test_what_is_deleted_is_still_answered(document: Document, plugin: Plugin, bob: User, on_day: Days) -> None:
    on_day(4)
    collaborators.assign_role(plugin, person=bob, role=Role.EDITOR)
    owner, editor = f"person:{plugin.owner_id}", f"person:{bob.pk}"
    on_day(6)
    delete_plugin(plugin)
    assert [readers(document, day) for day in (5, 7)] == [{owner, editor}, set()]
    bob_pk = bob.pk
    on_day(8)
    bob.delete()
    assert readers(document, 5) == {owner, f"person:{bob_pk}"}


def test_before_the_log(document: Document) -> None:
    commit()
    with pytest.raises(CommandError, match="begins on 2026-11-01"):
        call_command("audit", "access", document=document.pk, at=date(2026, 10, 1))


def run(*args: Any, **options: Any) -> str:
    out = io.StringIO()
    call_command("audit", *args, stdout=out, stderr=io.StringIO(), **options)
    return out.getvalue()


def test_by_command(document: Document, plugin: Plugin, alice: User, bob: User, on_day: Days) -> None:
    on_day(10)
    with mock.patch("audit.record.current_actor", return_value=(person(alice), "page")):
        collaborators.assign_role(plugin, person=bob, role=Role.VIEWER)
    commit()
    shown = run("access", document=document.pk, at=date(2026, 11, 17))
    assert "Bob <bob@example.org>: may open the documents of plugin" in shown
    assert "2026-11-10 12:00:00 role on a plugin given: Cover → Bob <bob@example.org> by Alice" in shown
    found = json.loads(run("access", document=document.pk, at=date(2026, 11, 17), json=True))
    assert {each["who"] for each in found["readers"]} == {f"person:{alice.pk}", f"person:{bob.pk}"}
    assert found["deeds"][-1]["names"][f"person:{bob.pk}"] == "Bob <bob@example.org>"
    head = run("verify").split("head ")[1].strip()
    assert "as they were written" in run("verify", "--head", head)


def test_exports(document: Document, plugin: Plugin, on_day: Days, tmp_path: Path) -> None:
    on_day(20)
    Plugin.objects.filter(pk=plugin.pk).update(name='A "quoted] name\\', public_chat=True)
    Plugin.objects.filter(pk=plugin.pk).update(public_chat=False)
    commit()
    run("export", since=date(2026, 11, 20), output=(file := tmp_path / "log.jsonl"))
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["action"] for line in lines][:2] == ["plugin.chat_opened", "plugin.chat_closed"]
    assert lines[0]["names"] == {f"plugin:{plugin.pk}": 'A "quoted] name\\'}
    commit()
    message = next(line for line in run("export", format="syslog").splitlines() if "chat_opened" in line)
    head, _, rest = message.partition(" [lexic@32473 ")
    assert head.startswith("<109>1 2026-11-20T12:00:00.000000Z ")
    assert head.endswith((" lexic-audit - plugin.chat_opened", " lexic-audit - plugin.chat_closed"))
    data, _, words = rest.partition("] ")
    assert '\\"was\\"' in data
    assert words.startswith("\ufeffpublic chat")


def test_members_of_the_organisation_by_their_roles(
    document: Document, plugin: Plugin, alice: User, bob: User, charlie: User, on_day: Days
) -> None:
    on_day(3)
    clinic = Organisation.objects.create_with_owner(name="Clinic", owner=alice)
    member = Membership.objects.create(organisation=clinic, user=bob, role="operator")
    on_day(5)
    offer_to_organisation(plugin, to=clinic, by=alice)
    accept_for_organisation(plugin, by=alice)
    on_day(7)
    member.role = "reviewer"
    member.save()
    on_day(9)
    remove_member(member, by=clinic.memberships.get(user=alice))
    owner, reviewer = f"person:{alice.pk}", f"person:{bob.pk}"
    assert [readers(document, day) for day in (4, 6, 7, 8, 9, 10)] == [
        {owner},
        {owner},
        {owner, reviewer},
        {owner, reviewer},
        {owner, reviewer},
        {owner},
    ]
    found = document_access(document.pk, day=date(2026, 11, 8))
    why = {each.why for each in found.readers if each.who == reviewer}
    assert why == {f"may open the documents of plugin {plugin.pk} as reviewer of organisation {clinic.pk}"}
    assert "organisation.member_changed" in {deed.action for deed in found.deeds}
