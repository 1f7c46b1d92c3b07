"""An operator names an owner of an organisation that has none who can sign in."""

from __future__ import annotations

import json
import uuid

import pytest
from allauth.account.models import EmailAddress
from django.core.management import CommandError, call_command

from accounts.author_access import EmailNotConfirmed
from accounts.models import User
from audit.models import AuditEntry
from knowledge.plugin_knowledge_base import own_knowledge_base
from marketplace.publishing.appoint_owner import OrganisationHasOwner, appoint_owner
from organisations.models import Organisation
from plugins.models import Plugin
from tests.organisations.conftest import Join

pytestmark = pytest.mark.django_db


def lock_out(*people: User) -> None:
    User.objects.filter(pk__in=[one.pk for one in people]).update(is_active=False)


def run(*arguments: str, capsys: pytest.CaptureFixture[str]) -> str:
    call_command("organisation_owner", *arguments)
    return capsys.readouterr().out.strip()


def test_a_member_becomes_owner_and_the_plugins_count_for_them(
    plugin: Plugin, clinic: Organisation, alice: User, bob: User, join: Join, capsys: pytest.CaptureFixture[str]
) -> None:
    base, viewer = own_knowledge_base(plugin), join("viewer")
    lock_out(alice, bob)
    assert run(capsys=capsys) == f"{clinic.pk}  Clinic"
    said = json.loads(run(str(clinic.pk), viewer.email, "--json", capsys=capsys))
    assert said == {"organisation": str(clinic.pk), "owner": viewer.email}
    plugin.refresh_from_db()
    base.refresh_from_db()
    assert (plugin.owner, base.owner, plugin.organisation) == (viewer, viewer, clinic)
    assert clinic.memberships.get(user=viewer).role == "owner"
    assert clinic.memberships.get(user=alice).role == "owner"  # the new owner decides on that
    entry = AuditEntry.objects.filter(action="organisation.member_changed").latest("at")
    assert (entry.object, entry.subject) == (f"organisation:{clinic.pk}", f"person:{viewer.pk}")
    assert entry.via.startswith("command:")
    assert run(capsys=capsys) == "Every organisation has an owner who can sign in."


def test_somebody_from_outside_where_the_owners_are_gone(clinic: Organisation, charlie: User) -> None:
    clinic.memberships.all().delete()
    assert list(Organisation.objects.without_owner()) == [clinic]
    assert appoint_owner(clinic, person=charlie).role == "owner"
    assert AuditEntry.objects.filter(action="organisation.member_added", subject=f"person:{charlie.pk}").exists()


def test_while_an_owner_can_sign_in_nobody_else_is_named(
    plugin: Plugin, clinic: Organisation, alice: User, bob: User, charlie: User
) -> None:
    lock_out(alice)
    with pytest.raises(OrganisationHasOwner):
        appoint_owner(clinic, person=charlie)
    assert clinic.memberships.count() == 2
    plugin.refresh_from_db()
    assert plugin.owner == alice


def test_what_names_nothing_is_refused(
    clinic: Organisation, alice: User, bob: User, charlie: User, capsys: pytest.CaptureFixture[str]
) -> None:
    lock_out(alice, bob)
    for arguments, said in (
        ((str(uuid.uuid4()), charlie.email), "There is no organisation"),
        ((str(clinic.pk),), "Say whose account"),
        ((str(clinic.pk), alice.email), "that may sign in"),
        ((str(clinic.pk), "nobody@example.org"), "that may sign in"),
    ):
        with pytest.raises(CommandError, match=said):
            run(*arguments, capsys=capsys)
    EmailAddress.objects.create(user=charlie, email=charlie.email, verified=False)
    with pytest.raises(EmailNotConfirmed):
        appoint_owner(clinic, person=charlie)
    assert not clinic.memberships.filter(user=charlie).exists()
