"""Knowledge of somebody else is used by a grant of its owner, for as long as it stands and as far as it goes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import ApiKey, User
from accounts.quotas import QuotaExceeded
from knowledge.documents.lifecycle import add_text, replace_file
from knowledge.ingest import ingest
from knowledge.models import Consent, Document, KnowledgeBase, KnowledgeGrant, Page
from knowledge.plugin_knowledge_base import own_knowledge_base
from marketplace.publishing.ownership_transfer import accept_ownership, offer_ownership
from marketplace.publishing.publish import NotReady, publish
from marketplace.publishing.rollback import RollbackKnowledgeGone, roll_back
from marketplace.sharing.installs import install_copy
from marketplace.sharing.shareability import CannotBeShared, sharing_blockers
from plugins.models import Plugin
from privacy.data_export import export_personal_data
from querying import releases
from querying.models import Query

pytestmark = pytest.mark.django_db
SECRET = "Formwork of the tower is struck after nineteen days."
QUESTION = "When is the formwork of the tower struck?"


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Alice's private plugin with a secret in its base, which Bob edits; and Bob's own plugin."""

    base: KnowledgeBase
    private: Plugin
    bobs: Plugin

    def grant(self, bob: User, alice: User, consent: str) -> KnowledgeGrant:
        grant = KnowledgeGrant.objects.attach(self.base, self.bobs, by=bob)
        grant.give(by=alice, consent=consent)
        return grant


@pytest.fixture
def setting(alice: User, bob: User) -> Setting:
    private = Plugin.objects.create(owner=alice, name="Tower", domain="x", system_prompt="You answer.")
    private.editors.add(bob)
    base = KnowledgeBase.objects.create(owner=alice, plugin=private, name="Tower", embedder="local")
    bobs = Plugin.objects.create(owner=bob, name="Formwork", slug="formwork", domain="x", system_prompt="You answer.")
    own = KnowledgeBase.objects.create(owner=bob, plugin=bobs, name="Formwork", embedder="local")
    for one, title, text in ((base, "Tower", SECRET), (own, "Boots", "Boots have a sole of rubber.")):
        ingest(add_text(knowledge_base=one, title=title, text=text, enqueue=False).document.pk)
    return Setting(base=base, private=private, bobs=bobs)


def signed_in(user: User) -> Client:
    client = Client()
    User.objects.filter(pk=user.pk).update(is_staff=True)
    client.force_login(user)
    return client


def ask(plugin: str, user: User) -> str:
    _, secret = ApiKey.objects.issue(owner=user, name="agent")
    body = {"plugin": plugin, "query": QUESTION}
    answer = APIClient().post("/api/v1/query", body, format="json", headers={"Authorization": f"Bearer {secret}"})
    assert answer.status_code == 200, answer.content
    return answer.content.decode()


def test_an_editor_asks_and_the_owner_agrees(setting: Setting, alice: User, bob: User) -> None:
    address = reverse("admin:builder_knowledge_attach", args=[setting.bobs.pk])
    signed_in(bob).post(address, {"base": setting.base.pk})
    grant = setting.bobs.knowledge_grants.get()
    assert "nineteen" not in ask("formwork@draft", bob)
    page = signed_in(bob).get(reverse("admin:builder_knowledge", args=[setting.bobs.pk])).content.decode()
    assert "was asked on" in page
    listed = signed_in(alice).get(reverse("admin:builder_grants")).content.decode()
    assert "asked for it on" in listed
    signed_in(alice).post(reverse("admin:builder_grant", args=[grant.pk]), {"act": "give", "consent": "draft"})
    assert "nineteen" in ask("formwork@draft", bob)
    settings = (
        signed_in(alice)
        .get(reverse("admin:builder_knowledge_base", args=[setting.private.pk, setting.base.pk]))
        .content.decode()
    )
    assert ("Who else uses it" in settings, "Formwork" in settings) == (True, True)
    shown = signed_in(bob).get(reverse("admin:builder_knowledge", args=[setting.bobs.pk])).content.decode()
    assert "Granted by Alice" in shown


def test_nobody_but_the_owner_decides(setting: Setting, bob: User, charlie: User) -> None:
    grant = KnowledgeGrant.objects.attach(setting.base, setting.bobs, by=bob)
    for person in (bob, charlie):
        answer = signed_in(person).post(
            reverse("admin:builder_grant", args=[grant.pk]), {"act": "give", "consent": "shared"}
        )
        assert answer.status_code == 404
        assert "asks for it" not in signed_in(person).get(reverse("admin:builder_grants")).content.decode()
    assert not KnowledgeGrant.objects.standing().exists()


def take_off(setting: Setting, alice: User, bob: User) -> None:
    address = reverse("admin:builder_change_role", args=[setting.private.pk, bob.pk])
    signed_in(alice).post(address, {"role": ""})
    setting.private.editors.add(bob)  # a new role does not bring the old grant back


def take_off_unnoticed(setting: Setting, alice: User, bob: User) -> None:
    setting.private.editors.remove(bob)


def end_it(setting: Setting, alice: User, bob: User) -> None:
    grant = setting.base.grants.get()
    signed_in(alice).post(reverse("admin:builder_grant", args=[grant.pk]), {"act": "end"})


def deactivate(setting: Setting, alice: User, bob: User) -> None:
    User.objects.filter(pk=bob.pk).update(is_active=False)


@pytest.mark.parametrize("end", [take_off, take_off_unnoticed, end_it, deactivate])
def test_whatever_ends_the_grant_ends_every_use(
    setting: Setting, alice: User, bob: User, charlie: User, end: Callable[[Setting, User, User], None]
) -> None:
    setting.grant(bob, alice, Consent.SHARED)
    Plugin.objects.filter(pk=setting.bobs.pk).update(is_shared=True)
    first = publish(setting.bobs, by=bob).release
    page = Page.objects.get(document__knowledge_base=setting.base)
    assert "nineteen" in ask("formwork", charlie)
    assert Page.objects.visible_to(None).filter(pk=page.pk).exists()
    end(setting, alice, bob)
    # What the owner uploads from now on is not read, and what was there is not either.
    newer = io.BytesIO(SECRET.replace("nineteen", "ninety").encode())
    replace_file(page.document, file_name="tower.md", stream=newer, enqueue=False)
    ingest(page.document.pk)
    for reference in ("formwork", f"formwork@{first.version}"):
        assert all(word not in ask(reference, charlie) for word in ("nineteen", "ninety"))
    assert not Page.objects.visible_to(None).filter(document__knowledge_base=setting.base).exists()
    assert releases.snapshot(Plugin.objects.get(pk=setting.bobs.pk)).knowledge[1:] == []
    with pytest.raises(RollbackKnowledgeGone):
        roll_back(setting.bobs, to=first, by=bob)
    with pytest.raises(CannotBeShared):
        install_copy("formwork", by=charlie)


def test_a_citation_that_a_key_was_given_is_not_read_again_once_the_grant_ended(
    setting: Setting, alice: User, bob: User, charlie: User
) -> None:
    from api.mcp.handlers.sources import UnknownSourceUri, find_source
    from api.mcp.resources import citation_uri

    setting.grant(bob, alice, Consent.PUBLISHED)
    publish(setting.bobs, by=bob)
    ask("formwork", charlie)
    key, row = ApiKey.objects.get(owner=charlie), Query.objects.get(user=charlie)
    address = citation_uri(str(row.pk), row.citations[0]["id"])
    assert "nineteen" in find_source(address, key=key).text
    setting.base.grants.all().end()
    with pytest.raises(UnknownSourceUri):
        find_source(address, key=key)


@pytest.mark.parametrize(
    ("consent", "is_published", "is_copied"),
    [(Consent.DRAFT, False, False), (Consent.PUBLISHED, True, False), (Consent.SHARED, True, True)],
)
def test_publishing_and_sharing_need_the_owners_consent(
    setting: Setting, alice: User, bob: User, charlie: User, consent: str, is_published: bool, is_copied: bool
) -> None:
    setting.grant(bob, alice, consent)
    assert "nineteen" in ask("formwork@draft", bob)
    if not is_published:
        with pytest.raises(NotReady, match="“Tower” belongs to Alice, who has not agreed to its being published"):
            publish(setting.bobs, by=bob)
        return
    publish(setting.bobs, by=bob)
    assert "nineteen" in ask("formwork", charlie)
    Plugin.objects.filter(pk=setting.bobs.pk).update(is_shared=True)
    assert bool(sharing_blockers(setting.bobs)) is not is_copied
    if is_copied:
        assert "nineteen" in ask(f"{install_copy('formwork', by=charlie).install.copy.slug}@draft", charlie)


def test_consent_that_is_taken_back_closes_what_is_published(
    setting: Setting, alice: User, bob: User, charlie: User
) -> None:
    grant = setting.grant(bob, alice, Consent.PUBLISHED)
    publish(setting.bobs, by=bob)
    grant.give(by=alice, consent=Consent.DRAFT)
    assert "nineteen" not in ask("formwork", charlie)
    assert "nineteen" in ask("formwork@draft", bob)


def test_an_editor_of_two_plugins_of_one_owner_opens_neither_by_the_other(
    setting: Setting, alice: User, bob: User, charlie: User
) -> None:
    public = Plugin.objects.create(owner=alice, name="Public", slug="public", domain="x", system_prompt="x")
    public.editors.add(bob)
    address = reverse("admin:builder_knowledge_attach", args=[public.pk])
    signed_in(bob).post(address, {"base": setting.base.pk})
    assert not KnowledgeGrant.objects.standing().exists()


def test_a_detached_base_is_read_by_the_releases_that_pinned_it_alone(
    setting: Setting, alice: User, bob: User, charlie: User
) -> None:
    grant = setting.grant(bob, alice, Consent.PUBLISHED)
    publish(setting.bobs, by=bob)
    address = reverse("admin:builder_knowledge_detach", args=[setting.bobs.pk, grant.pk])
    signed_in(bob).post(address)
    assert "nineteen" not in ask("formwork@draft", bob)
    assert "nineteen" in ask("formwork", charlie)


def test_a_plugin_that_changes_hands_leaves_the_grants_of_others_behind(
    setting: Setting, alice: User, bob: User, charlie: User
) -> None:
    setting.grant(bob, alice, Consent.PUBLISHED)
    publish(setting.bobs, by=bob)
    setting.bobs.editors.add(charlie)
    offer_ownership(setting.bobs, to=charlie, by=setting.bobs.owner)
    accept_ownership(setting.bobs, by=charlie)
    assert "nineteen" not in ask("formwork", charlie)
    own = KnowledgeBase.objects.get(plugin=setting.bobs)
    assert own.owner == charlie


@pytest.mark.parametrize("name", ["account_plugins", "account_documents"])
def test_a_plugin_that_changes_hands_counts_against_the_quotas_of_its_new_owner(
    setting: Setting, bob: User, charlie: User, settings: Any, name: str
) -> None:
    Plugin.objects.create(owner=charlie, name="Mine", domain="x", system_prompt="x")
    add_text(knowledge_base=own_knowledge_base(charlie.owned_plugins.get()), title="x", text="x", enqueue=False)
    setting.bobs.editors.add(charlie)
    offer_ownership(setting.bobs, to=charlie, by=setting.bobs.owner)
    settings.QUOTAS = {name: 1}
    with pytest.raises(QuotaExceeded):
        accept_ownership(setting.bobs, by=charlie)
    assert Plugin.objects.get(pk=setting.bobs.pk).owner == bob
    settings.QUOTAS = {name: 2}
    accept_ownership(setting.bobs, by=charlie)


def test_an_account_that_is_deleted_takes_its_grants_and_nobodys_knowledge(
    setting: Setting, alice: User, bob: User
) -> None:
    setting.grant(bob, alice, Consent.PUBLISHED)
    from privacy.account_deletion import delete_account

    delete_account(bob)
    assert KnowledgeBase.objects.filter(pk=setting.base.pk).exists()
    assert Page.objects.filter(document__knowledge_base=setting.base).exists()
    assert not KnowledgeGrant.objects.standing().exists()


def quoting(setting: Setting, alice: User, bob: User, charlie: User) -> Query:
    """Charlie, who views Bob's plugin, may not open Alice's base. Bob asks a question that quotes it."""
    setting.grant(bob, alice, Consent.PUBLISHED)
    setting.bobs.viewers.add(charlie)
    publish(setting.bobs, by=bob)
    ask("formwork", bob)
    return Query.objects.get()


def export_of(user: User, name: str = "questions") -> str:
    with export_personal_data(user) as file, zipfile.ZipFile(file) as archive:
        return archive.read(f"{name}.jsonl").decode()


def places_of_log(setting: Setting, query: Query) -> list[str]:
    """Everywhere that logged answers are shown to people who may look at the plugin."""
    plugin = setting.bobs.pk
    return [
        reverse("admin:querying_query_change", args=[query.pk]),
        reverse("admin:querying_query_changelist"),
        reverse("admin:builder_sandbox", args=[plugin], query={"turns": str(query.pk)}),
        reverse("admin:builder_inbox", args=[plugin]),
        reverse("admin:builder_analytics", args=[plugin]),
        reverse("admin:builder_analytics_csv", args=[plugin]),
        reverse("admin:builder_overall_csv"),
        f"/api/plugins/{setting.bobs.slug}/queries",
    ]


def test_the_log_withholds_quotations_of_knowledge_that_one_may_not_open(
    setting: Setting, alice: User, bob: User, charlie: User
) -> None:
    query = quoting(setting, alice, bob, charlie)
    for address in places_of_log(setting, query):
        answer = signed_in(charlie).get(address)
        assert answer.status_code == 200, address
        assert "nineteen" not in answer.content.decode(), address
    readable = [address for address in places_of_log(setting, query) if "nineteen" in read(bob, address)]
    assert len(readable) >= 4
    search = reverse("admin:querying_query_changelist", query={"q": "nineteen"})
    assert signed_in(charlie).get(search).context["cl"].result_count == 0


def test_the_log_withholds_what_was_written_of_an_answer_that_failed(
    setting: Setting, alice: User, bob: User, charlie: User
) -> None:
    query = quoting(setting, alice, bob, charlie)
    Query.objects.update(outcome="failed", answer=SECRET, citations=[], error="The language model has failed.")
    for address in places_of_log(setting, query):
        assert "nineteen" not in read(charlie, address), address
    assert "nineteen" in read(bob, f"/api/plugins/{setting.bobs.slug}/queries")
    search = reverse("admin:querying_query_changelist", query={"q": "nineteen"})
    assert signed_in(charlie).get(search).context["cl"].result_count == 0
    Query.objects.update(answer="")
    assert "may not open" not in read(charlie, f"/api/plugins/{setting.bobs.slug}/queries")


def read(user: User, address: str) -> str:
    return signed_in(user).get(address).content.decode()


def test_who_asked_reads_the_answer_again_while_the_grant_stands(
    setting: Setting, alice: User, bob: User, charlie: User
) -> None:
    quoting(setting, alice, bob, charlie)
    ask("formwork", charlie)
    mine = Query.objects.get(user=charlie)
    address = reverse("admin:querying_query_change", args=[mine.pk])
    assert ("nineteen" in read(charlie, address), "nineteen" in export_of(charlie)) == (True, True)
    setting.base.grants.all().end()
    assert ("nineteen" in read(charlie, address), "nineteen" in export_of(charlie)) == (False, False)
    assert "nineteen" in read(bob, address)  # he still edits the plugin that the base belongs to


def test_the_copy_of_a_chat_holds_what_the_chat_shows(setting: Setting, alice: User, bob: User, charlie: User) -> None:
    grant = setting.grant(bob, alice, Consent.PUBLISHED)
    Document.objects.update(is_public=True)
    Plugin.objects.filter(pk=setting.bobs.pk).update(public_chat=True)
    publish(setting.bobs, by=bob)
    signed_in(charlie).post("/chat/formwork/ask", {"question": QUESTION})
    assert "nineteen" in export_of(charlie, "chats")
    KnowledgeGrant.objects.filter(pk=grant.pk).end()
    copy = export_of(charlie, "chats")
    assert ("nineteen" in copy, QUESTION in copy, "may not open" in copy) == (False, True, True)


def test_quotations_of_the_plugins_own_knowledge_are_shown(
    setting: Setting, alice: User, bob: User, charlie: User
) -> None:
    quoting(setting, alice, bob, charlie)
    _, secret = ApiKey.objects.issue(owner=bob, name="agent")
    body = {"plugin": "formwork", "query": "What is the sole of boots of?"}
    APIClient().post("/api/v1/query", body, format="json", headers={"Authorization": f"Bearer {secret}"})
    query = Query.objects.latest("created_at")
    assert "rubber" in read(charlie, reverse("admin:querying_query_change", args=[query.pk]))
