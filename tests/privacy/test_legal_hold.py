"""Under legal hold nothing of a plugin is deleted: by no door, by no timetable, and with no account that goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from io import BytesIO
from typing import Any

import pytest
from django.apps import apps
from django.db import models
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.models import User
from conversations.retention import delete_stale
from knowledge.documents.cancellation import cancel_ingestion
from knowledge.documents.lifecycle import add_file, delete_document
from knowledge.models import Document, Revision
from knowledge.tasks import prune_knowledge
from knowledge.versions import publish_version
from marketplace.models import Review
from marketplace.reviews.save_review import delete_review, save_reply, save_review
from plugins.models import Plugin
from plugins.retention import UnderLegalHold
from privacy.account_deletion import delete_account
from privacy.plugin_deletion import delete_knowledge_base, delete_plugin
from privacy.tasks import erase_old_questions, sweep_storage_task
from querying.models import Feedback, Query
from tests.cover import handbook, plugin, published
from tests.remembered import remembered
from trees.case_updates import remove_case
from trees.models import TreeCase
from webhooks import manage_webhooks
from webhooks.models import Delivery, Event, Webhook
from webhooks.tasks import prune_deliveries

__all__ = ["handbook", "plugin", "published"]
pytestmark = pytest.mark.django_db


@pytest.fixture
@remembered
def held(published: Plugin) -> Plugin:
    published.set_legal_hold(by_operator=False)
    return published


@pytest.fixture
def review(held: Plugin, charlie: User) -> Review:
    return Review.objects.create(plugin=held, author=charlie, verdict="relied", text="It held.", reply="Thank you.")


@pytest.fixture
def delivery(held: Plugin, alice: User) -> Delivery:
    webhook = Webhook(plugin=held, url="https://hooks.example.org/", events=Event.values, created_by=alice)
    webhook.set_new_secret()
    webhook.save()
    long_ago = timezone.now() - Delivery.KEPT_FOR - timedelta(days=1)
    return Delivery.objects.create(
        webhook=webhook, event="a", event_id="evt_1", state=Delivery.State.DELIVERED, created_at=long_ago
    )


Delete = Callable[["Held"], Any]


class Held:
    """A plugin under legal hold with one of everything that somebody could delete."""

    def __init__(self, plugin: Plugin, handbook: Document, review: Review, delivery: Delivery) -> None:
        self.plugin, self.handbook, self.review, self.delivery = plugin, handbook, review, delivery
        self.waiting = add_file(
            knowledge_base=handbook.knowledge_base, file_name="new.md", stream=BytesIO(b"# New"), enqueue=False
        ).document
        self.case = TreeCase.objects.create(tree=plugin.trees.get(), name="one", expected="x")


@pytest.fixture
def everything(held: Plugin, handbook: Document, review: Review, delivery: Delivery) -> Held:
    return Held(held, handbook, review, delivery)


DELETIONS: dict[str, Delete] = {
    "the plugin": lambda held: delete_plugin(held.plugin),
    "its base": lambda held: delete_knowledge_base(held.handbook.knowledge_base),
    "a document": lambda held: delete_document(held.handbook),
    "a document that waits": lambda held: cancel_ingestion(held.waiting),
    "a review": lambda held: delete_review(held.review),
    "a review, by writing another": lambda held: save_review(
        held.plugin, by=held.review.author, verdict="wrong", text="x"
    ),
    "a reply": lambda held: save_reply(held.review, text=""),
    "a webhook with its log": lambda held: manage_webhooks.delete_webhook(held.delivery.webhook),
    "a case of a tree": lambda held: remove_case(
        held.case.tree, held.case.pk, by=held.plugin.owner, check=lambda row: None
    ),
}


@pytest.mark.parametrize("what", DELETIONS)
def test_no_door_deletes(everything: Held, charlie: User, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("marketplace.reviews.save_review.check_may_save_review", lambda plugin, by: None)
    before = counts()
    with pytest.raises(UnderLegalHold):
        DELETIONS[what](everything)
    assert counts() == before


def test_a_grant_holds_the_documents_that_it_opens(plugin: Plugin, handbook: Document, alice: User) -> None:
    reader = Plugin.objects.create(owner=alice, name="Beams", domain="x", system_prompt="x")
    reader.knowledge_grants.attach(handbook.knowledge_base, reader, by=alice)
    reader.set_legal_hold(by_operator=False)
    with pytest.raises(UnderLegalHold):
        delete_document(handbook)


def test_no_timetable_deletes(everything: Held, charlie: User, settings: Any) -> None:
    settings.KEEP_QUESTIONS_DAYS = settings.KEEP_CHATS_DAYS = settings.KEEP_FILES_DAYS = 1
    old = timezone.now() - timedelta(days=400)
    Query.objects.create(plugin=everything.plugin, release_name="x", question="?", outcome="refused", created_at=old)
    # A note that vanished from its folder stops answering; its rows stay.
    for document in (everything.handbook, everything.waiting):
        publish_version.remove_document(document)
    Revision.objects.update(created_at=old)
    before = counts()
    for work in (prune_deliveries, prune_knowledge, erase_old_questions, sweep_storage_task):
        work()
    delete_stale(now=timezone.now())
    assert counts() == before
    assert not Query.objects.exclude(erased_at=None).exists()


def test_what_somebody_said_stays_without_them_when_they_leave(everything: Held, charlie: User, client: Client) -> None:
    query = Query.objects.create(plugin=everything.plugin, release_name="x", question="?", outcome="answered")
    Feedback.objects.create(query=query, user=charlie, verdict="down", note="No.")
    delete_account(charlie)
    row = Review.objects.get()
    assert (row.author, row.is_hidden, row.text) == (None, True, "It held.")
    assert Feedback.objects.get().user is None
    assert not Review.objects.public().exists()
    page = client.get(reverse("plugin", args=[everything.plugin.slug]))
    assert (page.status_code, "It held." in page.content.decode()) == (200, False)


def test_pages_say_that_nothing_is_deleted(everything: Held, alice: User, charlie: User) -> None:
    before, plugin = counts(), everything.plugin
    removal = reverse("admin:builder_knowledge_remove", args=[plugin.pk, everything.handbook.pk])
    webhook = reverse("admin:builder_webhook_delete", args=[plugin.pk, everything.delivery.webhook.pk])
    review = reverse("review_delete", args=[plugin.slug])
    for person, address in ((alice, removal), (alice, webhook), (charlie, review)):
        client = Client()
        client.force_login(person)
        assert "under legal hold" in client.post(address, follow=True).content.decode(), address
    assert counts() == before


# Rows that belong to a plugin or to its base, and go with no deletion of content: why.
NOT_CONTENT = {
    "marketplace.Listing": "derived from the plugin",
    "marketplace.Install": "where a copy came from; goes with the copy alone",
    "marketplace.DayOfPlugin": "figures",
    "marketplace.ReleaseApproval": "nothing deletes it but its plugin",
    "marketplace.PublishingRun": "a release in the making; the next one replaces it",
    "plugins.Release": "nothing deletes a release but its plugin",
    "plugins.Invitation": "a promise, open for 14 days",
    "plugins.OwnershipOffer": "a promise",
    "knowledge.KnowledgeGrant": "ended, and never deleted but with the plugin or the base",
    "knowledge.BaseMember": "who may open a private base, which no plugin reads",
    "knowledge.RevisionPin": "which version something refers to; it keeps, and is no content",
    "knowledge.Source": "where notes come from; the notes stay",
    "knowledge.SourceItem": "where a note comes from; the note stays",
    "knowledge.Embedding": "computed from its chunk; replaced by another embedder",
    "knowledge.EmbeddingSpace": "computed",
    "knowledge.ChunkTerms": "computed from its chunk",
    "knowledge.TermCount": "computed",
    "knowledge.Term": "computed",
    "knowledge.PageCorrection": "who corrected a page; goes with it",
    "accounts.ApiKeyPlugin": "which plugins a key may ask",
    "accounts.ApiKey": "its owner's",
    "accounts.AuthorizedClient": "its key's",
    "accounts.Reveal": "its key's",
    "api.A2ATask": "its key's; what was asked stays in the log of questions",
    "api.Batch": "its key's; what was asked stays in the log of questions",
    "api.BatchItem": "goes with its batch",
    "api.IdempotentRequest": "its key's, and good for a day",
    "querying.MonthlyCost": "figures",
    "querying.StoredResponse": "the caller's copy of an answer; the question that it belongs to stays",
    "querying.AnswerLink": "an address of an answer, which stays in the log",
    "querying.ExpertRequest": "who waits for a reply; the question and the document with the reply stay",
    "querying.Dismissal": "what was sent away from the inbox is brought back by deleting this",
    "evaluation.EvaluationRun": "nothing deletes a run but its plugin",
    "evaluation.GoldenQuestion": "tests/privacy/test_plugin_deletion.py",
    "trees.DecisionTree": "tests/privacy/test_plugin_deletion.py",
    "conversations.Project": "its members'; nothing of the plugin's is in it",
    "conversations.ChatSession": "tests/conversations/test_sessions.py",
    "conversations.ChatMessage": "tests/conversations/test_sessions.py",
    "agents.AgentRun": "of a private conversation, which holds nothing of the plugin's",
    "agents.AgentEvent": "of a private conversation",
    "contracts.ContractReview": "its document's editors may delete it; the document that it quotes stays",
    "contracts.Finding": "goes with its review",
    "connectors.DriveFile": "where a document came from; the document stays",
    "plugins.OrganisationOffer": "an offer of the plugin, which holds nothing of it",
    "marketplace.Report": "nothing deletes a report but its plugin or its review",
}
WATCHED = {
    "plugins.Plugin",
    "knowledge.KnowledgeBase",
    "knowledge.Document",
    "knowledge.Revision",
    "knowledge.Page",
    "knowledge.Chunk",
    "querying.Query",
    "querying.Feedback",
    "marketplace.Review",
    "webhooks.Webhook",
    "webhooks.Delivery",
    "trees.TreeCase",
}


def test_every_model_of_a_plugin_is_decided_on() -> None:
    found = {model._meta.label for model in _models_below(apps.get_model("plugins.Plugin"), set())}
    assert found | {"plugins.Plugin"} <= WATCHED | set(NOT_CONTENT)


def _models_below(model: type[models.Model], seen: set[type[models.Model]]) -> Iterator[type[models.Model]]:
    for relation in model._meta.related_objects:
        child = relation.related_model
        if child not in seen and not child._meta.auto_created and child is not User:
            seen.add(child)
            yield child
            yield from _models_below(child, seen)


def counts() -> dict[str, int]:
    return {label: apps.get_model(label)._base_manager.count() for label in sorted(WATCHED)}
