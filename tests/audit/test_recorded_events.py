"""Whoever does something that opens, closes or takes away, by whichever door: the audit log has it, and who it was."""

from __future__ import annotations

import json
import zipfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.signals import authenticator_added, authenticator_removed
from django.contrib.auth.signals import user_login_failed
from django.core.management import call_command
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from oauth2_provider.models import Application

from accounts.authorized_clients import authorize_client
from accounts.models import ApiKey, Capability, User
from audit.actions import Action
from audit.chain import verify_chain
from audit.models import AuditEntry, AuditName
from knowledge.documents.lifecycle import add_text, delete_document, update_details
from knowledge.models import Consent, Document, KnowledgeBase, KnowledgeGrant
from knowledge.plugin_knowledge_base import own_knowledge_base
from marketplace.models import ReleaseApproval
from marketplace.publishing.approval import request_approval
from marketplace.publishing.member_departure import change_member_role, delete_organisation, remove_member
from marketplace.publishing.membership import remove_from_plugin
from marketplace.publishing.ownership_transfer import accept_ownership, offer_ownership, offer_to_organisation
from marketplace.publishing.provisioning import save_group
from marketplace.publishing.withdraw import withdraw_from_marketplace
from organisations.domains import mark_verified
from organisations.identity_provider import save_provider
from organisations.invitations import invite_member
from organisations.models import DirectoryToken, Membership, Organisation, OrganisationDomain, ProvisionedGroup
from plugins import collaborators
from plugins.models import Plugin, Role, Visibility
from privacy.account_deletion import delete_account
from privacy.data_export import export_personal_data
from privacy.plugin_deletion import delete_plugin
from tests.accounts.signing import signed_in_by
from webhooks import manage_webhooks

pytestmark = pytest.mark.django_db
PASSWORD = "correct horse battery"


@pytest.fixture
def plugin(alice: User) -> Plugin:
    return Plugin.objects.create(owner=alice, name="Cover", slug="cover", system_prompt="x", domain="d")


@pytest.fixture
def base(plugin: Plugin) -> KnowledgeBase:
    return own_knowledge_base(plugin)


def commit() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE; SET CONSTRAINTS ALL DEFERRED")


def entries(*actions: Action) -> list[AuditEntry]:
    commit()
    return list(AuditEntry.objects.filter(action__in=actions).order_by("number"))


def last() -> AuditEntry:
    commit()
    return AuditEntry.objects.latest("number")


def names(entry: AuditEntry) -> dict[str, str]:
    return {key: AuditName.objects.get(digest=digest).name for key, digest in entry.names.items()}


def test_on_a_page(plugin: Plugin, alice: User) -> None:
    client = signed_in_by(alice, {"method": "password"})
    address = reverse("admin:builder_use", args=[plugin.pk])
    client.post(address, {"public_chat": "on"}, headers={"X-Request-Id": "asked-7"})
    entry = entries(Action.CHAT_OPENED)[0]
    assert (entry.actor, entry.via) == (f"person:{alice.pk}", "page")
    assert (entry.object, entry.request_id) == (f"plugin:{plugin.pk}", "asked-7")
    assert entry.details == {"was": {"public_chat": False}, "now": {"public_chat": True}}
    assert names(entry) == {f"person:{alice.pk}": "Alice <alice@example.org>", f"plugin:{plugin.pk}": "Cover"}


def test_with_a_key(plugin: Plugin, alice: User) -> None:
    key, secret = ApiKey.objects.issue(owner=alice, name="robot", capabilities=[Capability.AUTHOR, Capability.READ])
    response = Client().patch(
        f"/api/plugins/{plugin.slug}",
        json.dumps({"publicChat": True}),
        content_type="application/json",
        headers={"Authorization": f"Bearer {secret}"},
    )
    assert response.status_code == 200, response.content
    entry = entries(Action.CHAT_OPENED)[0]
    assert (entry.actor, entry.via) == (f"person:{alice.pk}", f"key:{key.pk}")


def test_by_command(plugin: Plugin) -> None:
    plugin.save()
    entry = entries(Action.PLUGIN_CREATED)[0]
    assert entry.actor == ""
    assert entry.via.startswith("command:")


def test_nothing_of_a_request_is_left_for_the_next(plugin: Plugin, alice: User) -> None:
    signed_in_by(alice, {"method": "password"}).get("/")
    plugin.unpublish()
    Plugin.objects.filter(pk=plugin.pk).update(public_only=True)
    assert last().via.startswith("command:")


def test_a_deed_that_is_taken_back_leaves_no_entry(plugin: Plugin) -> None:
    from django.db import transaction

    with transaction.atomic():
        plugin.public_chat = True
        plugin.save()
        transaction.set_rollback(True)
    assert not entries(Action.CHAT_OPENED)


def test_sign_in_and_out(alice: User, client: Client) -> None:
    client.post(reverse("account_login"), {"login": "alice@example.org", "password": "hunter2hunter2"})
    client.post(reverse("account_login"), {"login": "hunter3hunter3@example.org", "password": "x"})
    failed = entries(Action.SIGN_IN_FAILED)
    assert {entry.object for entry in failed} == {f"person:{alice.pk}", ""}
    client.post(reverse("account_login"), {"login": "alice@example.org", "password": PASSWORD})
    client.post(reverse("account_logout"))
    assert [entry.actor for entry in entries(Action.SIGN_IN, Action.SIGN_OUT)] == [f"person:{alice.pk}"] * 2
    written = str(list(AuditEntry.objects.values())) + str(list(AuditName.objects.values()))
    assert "hunter" not in written


def test_a_sign_in_that_fails_is_of_the_account_and_reads_no_other(alice: User) -> None:
    with CaptureQueriesContext(connection) as queries:
        user_login_failed.send(None, credentials={"email": " Alice@Example.org "}, request=None)
        assert User.objects.get_by_natural_key(" Alice@Example.org ") == alice
    assert [entry.object for entry in entries(Action.SIGN_IN_FAILED)] == [f"person:{alice.pk}"]
    assert not [query["sql"] for query in queries if "UPPER(" in query["sql"]]


@pytest.mark.parametrize("is_on", [True, False])
def test_address_by_setting(alice: User, client: Client, is_on: bool) -> None:
    with override_settings(AUDIT={"keep_days": 0, "addresses": is_on}):
        client.post(reverse("account_login"), {"login": "alice@example.org", "password": PASSWORD})
    entry = entries(Action.SIGN_IN)[0]
    assert ("127.0.0.1" in names(entry).values()) is is_on
    alice.delete()
    assert not AuditName.objects.filter(name="127.0.0.1").exists()


def test_titles_of_private_documents_are_not_in_it(alice: User) -> None:
    private = KnowledgeBase.objects.create(owner=alice, name="Divorce", kind="personal")
    document = Document.objects.create(knowledge_base=private, title="Letter to my lawyer", source_type="pdf")
    document.delete()
    assert [entry.action for entry in entries(Action.DOCUMENT_ADDED, Action.DOCUMENT_DELETED)] == [
        "document.added",
        "document.deleted",
    ]
    assert not AuditName.objects.filter(name__in=["Divorce", "Letter to my lawyer"]).exists()


def test_whoever_leaves_is_named_no_more(plugin: Plugin, bob: User, alice: User) -> None:
    EmailAddress.objects.create(user=bob, email=bob.email, verified=True, primary=True)
    collaborators.invite_collaborator(plugin, email=bob.email, role=Role.EDITOR, by=alice)
    collaborators.assign_role(plugin, person=bob, role=Role.EDITOR)
    ApiKey.objects.issue(owner=bob, name="Bob's own key")
    client = Client()
    client.force_login(bob)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    response = client.post(reverse("delete_your_account"), {"address": bob.email})
    assert response.status_code == 302, response.content
    assert [entry.actor for entry in entries(Action.ACCOUNT_DELETED)] == [f"person:{bob.pk}"]
    shown = " ".join(AuditName.objects.values_list("name", flat=True)).lower()
    assert "bob" not in shown
    assert "alice" in shown
    found = verify_chain()
    assert found.erased > 2
    # What still runs in their name afterwards does not name them again.
    client.force_login(alice)
    assert AuditEntry.objects.filter(object=f"person:{bob.pk}").exists()


def test_many_at_once(base: KnowledgeBase) -> None:
    """One entry for each document, in a number of statements that does not grow with them."""
    documents = [Document(knowledge_base=base, title=f"Page {n}", source_type="pdf") for n in range(60)]
    counting = Counting()
    with connection.execute_wrapper(counting):
        Document.objects.bulk_create(documents)
    assert counting.statements < 12
    Document.objects.filter(knowledge_base=base).update(is_public=True)
    assert len(entries(Action.DOCUMENT_ADDED)) == len(entries(Action.DOCUMENT_OPENED)) == 60


class Counting:
    def __init__(self) -> None:
        self.statements = 0

    def __call__(self, execute: Any, *args: Any) -> Any:
        self.statements += 1
        return execute(*args)


def test_what_changes_nothing_is_not_recorded(plugin: Plugin) -> None:
    before = last().number
    plugin.save()
    Plugin.objects.update(is_published=False)
    plugin.name = "Another"
    plugin.save()
    assert last().number == before


def test_every_action_is_recorded(alice: User, bob: User, plugin: Plugin, base: KnowledgeBase, tmp_path: Path) -> None:
    """Does everything that the log records. Whoever adds an action adds what causes it here."""
    # People and how they sign in.
    client = Client()
    client.post(reverse("account_login"), {"login": "alice@example.org", "password": "wrong wrong wrong"})
    client.post(reverse("account_login"), {"login": "alice@example.org", "password": PASSWORD})
    changed = {"oldpassword": PASSWORD, "password1": "a quite new staple", "password2": "a quite new staple"}
    client.post(reverse("account_change_password"), changed)
    client.post(reverse("account_logout"))
    second_step = Authenticator(user=alice, type="totp")
    for signal in (authenticator_added, authenticator_removed):
        signal.send(Authenticator, request=None, user=alice, authenticator=second_step)
    from allauth.account.signals import password_reset

    password_reset.send(User, request=None, user=alice)
    bob.is_superuser = True
    bob.save()
    export_personal_data(alice).close()
    # Keys.
    key, _ = ApiKey.objects.issue(owner=alice, name="robot", plugins=[plugin])
    key.reveal_to(alice)
    key.capabilities = [Capability.READ]
    key.save()
    key.limits.all().delete()
    ApiKey.objects.filter(pk=key.pk).get().rotate(overlap=timedelta())
    key.revoke()
    key.delete()
    # Plugins, and who works on them.
    plugin.is_published = plugin.is_shared = plugin.public_chat = plugin.public_only = True
    plugin.save()
    plugin.visibility = Visibility.UNLISTED
    plugin.save()
    withdraw_from_marketplace(plugin)
    plugin.is_shared = plugin.public_chat = plugin.public_only = False
    plugin.save()
    plugin.block_publishing()
    plugin.unblock_publishing()
    plugin.set_legal_hold(by_operator=True)
    plugin.lift_legal_hold(by_operator=True)
    collaborators.invite_collaborator(plugin, email="carol@example.org", role=Role.VIEWER, by=alice)
    plugin.invitations.all().delete()
    collaborators.assign_role(plugin, person=bob, role=Role.EDITOR)
    offer_ownership(plugin, to=bob, by=plugin.owner)
    call_command("export_plugin", "cover", output=tmp_path / "cover.zip")
    # Organisations.
    organisation = Organisation.objects.create_with_owner(name="Ward", owner=alice)
    organisation.name, organisation.requires_approval = "Clinic", True
    organisation.save()
    owner = organisation.memberships.get()
    invite_member(owner, email="dora@example.org", role="viewer")
    carla = User.objects.create_user("carla@example.org")
    member = Membership.objects.create(organisation=organisation, user=carla, role="viewer")
    change_member_role(member, role="editor", by=owner)
    remove_member(member, by=owner)
    offer_to_organisation(plugin, to=organisation, by=alice)
    reviewed = Plugin.objects.create(owner=alice, organisation=organisation, name="Reviewed", domain="d")
    asked = request_approval(reviewed, by=alice)
    ReleaseApproval.objects.filter(pk=asked.pk).update(state="declined")
    delete_plugin(reviewed)
    domain = OrganisationDomain.objects.create(organisation=organisation, name="example.org")
    mark_verified(domain)
    save_provider(organisation, server_url="https://login.example.org", client_id="x", secret="y", default_role="")
    DirectoryToken.objects.issue(organisation, by=alice)
    DirectoryToken.objects.all().delete()
    save_group(ProvisionedGroup(organisation=organisation, display_name="Nurses"))
    delete_organisation(organisation)
    offer_ownership(plugin, to=bob, by=plugin.owner)
    # Knowledge.
    document = add_text(knowledge_base=base, title="Exposure", text="Severe.", enqueue=False).document
    for name in ("is_public", "is_template"):
        Document.objects.filter(pk=document.pk).update(**{name: True})
        Document.objects.filter(pk=document.pk).update(**{name: False})
    other = Plugin.objects.create(owner=alice, name="Other", slug="other", system_prompt="x", domain="d")
    KnowledgeGrant.objects.attach(base, other, by=alice).detach()
    KnowledgeGrant.objects.get().give(by=alice, consent=Consent.DRAFT)
    private = KnowledgeBase.objects.create(owner=alice, name="mine", kind="project")
    KnowledgeBase.objects.filter(pk=base.pk).update(plugin=None)
    KnowledgeBase.objects.filter(pk=base.pk).update(plugin=plugin)
    member = private.members.create(email="dora@example.org", role=Role.VIEWER)
    member.role = Role.EDITOR
    member.save()
    private.members.all().delete()
    update_details(document, title="Exposed", enqueue=False)
    delete_document(document)
    # A program that signs in for somebody.
    program = Application.objects.create(name="Assistant", client_type="public", redirect_uris="https://a.example.org/")
    authorize_client(program, user=alice, capabilities=["query"], plugins=[])
    # Webhooks.
    webhook, _ = manage_webhooks.create_webhook(
        plugin, url="https://hooks.example.org/T0/secret", events=["document.ready"], by=alice
    )
    manage_webhooks.update_webhook(webhook, includes_questions=True, url="https://hooks.example.com/T1/secret")
    manage_webhooks.rotate_secret(webhook)
    manage_webhooks.delete_webhook(webhook)
    # Handed over, left and deleted.
    accept_ownership(plugin, by=bob)
    remove_from_plugin(plugin, person=alice)
    delete_plugin(other)
    delete_plugin(plugin)
    delete_account(alice)
    call_command("audit", "export", output=tmp_path / "log.jsonl", format="json")
    commit()
    recorded = set(AuditEntry.objects.values_list("action", flat=True))
    # About entries that are older than this test: tests/audit/test_chain.py; under another key: tests/privacy.
    elsewhere = {Action.LOG_PRUNED.value, Action.ENCRYPTION_ROTATED.value}
    assert set(Action.values) - recorded == elsewhere
    assert "secret" not in str(list(AuditEntry.objects.values_list("details", flat=True)))
    verify_chain()


def test_is_in_the_copy_of_their_data(plugin: Plugin, alice: User, bob: User) -> None:
    for person in (alice, bob):
        signed_in_by(person, {"method": "password"}).post(reverse("account_logout"))
    with export_personal_data(alice) as file, zipfile.ZipFile(file) as archive:
        lines = [json.loads(line) for line in archive.read("audit_log.jsonl").splitlines()]
    assert [(line["action"], line["object"]) for line in lines] == [("account.sign_out", f"person:{alice.pk}")]
