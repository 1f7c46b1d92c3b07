from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from knowledge.ingest import ingest
from knowledge.models import Document, KnowledgeBase
from plugins.models import Plugin
from tests.knowledge.bases import CountingEmbedder, add_markdown, alive, attach, make_base, registered
from tests.remembered import remembered

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def embedder() -> Iterator[CountingEmbedder]:
    embedder = CountingEmbedder()
    with registered(embedder):
        yield embedder


@pytest.fixture
@remembered
def base(alice: User) -> KnowledgeBase:
    """Alice's."""
    return make_base()


@pytest.fixture
def as_alice(alice: User) -> Client:
    client = Client()
    client.force_login(alice)
    return client


@pytest.fixture
def as_charlie(charlie: User) -> Client:
    client = Client()
    client.force_login(charlie)
    return client


def listing(model: str) -> str:
    return reverse(f"admin:knowledge_{model}_changelist")


def change(document: Document) -> str:
    return reverse("admin:knowledge_document_change", args=[document.pk])


def test_people_see_only_what_is_theirs(as_alice: Client, as_charlie: Client, base: KnowledgeBase) -> None:
    document = add_markdown(base, "Wear boots.", title="Secret boots")
    ingest(document.pk)
    for model in ("knowledgebase", "document"):
        assert as_alice.get(listing(model)).context["cl"].result_count == 1
        assert as_charlie.get(listing(model)).context["cl"].result_count == 0
    assert as_charlie.get(change(document)).status_code == 302
    assert "Secret" not in as_charlie.get(listing("document")).content.decode()
    as_charlie.post(reverse("admin:knowledge_document_delete", args=[document.pk]), {"post": "yes"})
    assert alive(base) == ["Wear boots."]


def test_people_without_the_builder_are_sent_away(base: KnowledgeBase, client: Client) -> None:
    client.force_login(User.objects.create_user("dora@example.org"))
    assert client.get(listing("document")).status_code == 302


def test_a_row_leads_to_the_builder(as_alice: Client, base: KnowledgeBase) -> None:
    plugin = Plugin.objects.create(owner=base.owner, name="Boots", domain="safety", system_prompt="x")
    attach(base, plugin)
    document = add_markdown(base, "Wear boots.")
    own = base.plugin or plugin
    pane = reverse("admin:builder_knowledge_document", args=[own.pk, document.pk])
    assert f'href="{pane}' in as_alice.get(listing("document")).content.decode()
    assert as_alice.get(change(document))["Location"] == pane
    pane = reverse("admin:builder_knowledge_base", args=[own.pk, base.pk])
    assert f'href="{pane}' in as_alice.get(listing("knowledgebase")).content.decode()
    assert as_alice.get(pane).status_code == 200


def test_nothing_is_added_changed_or_deleted_here(as_alice: Client, alice: User, base: KnowledgeBase) -> None:
    User.objects.filter(pk=alice.pk).update(is_superuser=True)
    document = add_markdown(base, "Wear boots.", title="Boots")
    ingest(document.pk)
    for model, row in (("document", document), ("knowledgebase", base)):
        addresses = [reverse(f"admin:knowledge_{model}_{page}", args=[row.pk]) for page in ("change", "delete")]
        for address in [reverse(f"admin:knowledge_{model}_add"), *addresses]:
            assert as_alice.post(address, {"post": "yes", "title": "Taken", "name": "Taken"}).status_code == 403
        chosen = {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"}
        as_alice.post(listing(model), chosen)
    assert alive(base) == ["Wear boots."]
    assert Document.objects.get().title == "Boots"


def test_the_list_says_why_a_document_could_not_be_read(as_alice: Client, base: KnowledgeBase) -> None:
    add_markdown(base, "Wear boots.")
    Document.objects.update(status="failed", error="Too dark to read.", error_code="x")
    assert "Too dark to read." in as_alice.get(listing("document")).content.decode()


def test_text_of_documents_is_never_markup(as_alice: Client, base: KnowledgeBase) -> None:
    attack = "<script>alert(1)</script>"
    document = add_markdown(base, f"```\n{attack}\n```", title=attack)
    ingest(document.pk)
    for model in ("document", "knowledgebase"):
        assert attack not in as_alice.get(listing(model)).content.decode()
    assert attack not in as_alice.get(change(document), follow=True).content.decode()


@pytest.mark.parametrize("model", ["knowledgebase", "document"])
def test_lists_cost_the_same_for_one_row_and_for_three(as_alice: Client, base: KnowledgeBase, model: str) -> None:
    counts = []
    for number in (1, 2, 3):
        other = make_base(name=f"base {number}")
        ingest(add_markdown(other, f"Rule {number}.", name=f"{number}.md").pk)
        if number != 2:
            with CaptureQueriesContext(connection) as queries:
                as_alice.get(listing(model))
            counts.append(len(queries))
    assert counts[0] == counts[1] <= 9
