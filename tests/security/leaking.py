"""Plugins on the marketplace whose every private column holds a word that no stranger may ever see.

A text column is private unless it is named in `PUBLIC`: one that is added later is marked by itself.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from asgiref.sync import async_to_sync
from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from accounts.models import ApiKey, User
from evaluation.models import EvaluationRun, GoldenQuestion
from knowledge.documents.lifecycle import add_text, replace_file
from knowledge.ingest import ingest
from knowledge.models import Document, KnowledgeBase, Page
from knowledge.plugin_knowledge_base import own_knowledge_base
from marketplace.listings.update_listing import update_listing
from marketplace.models import Report, Review
from marketplace.publishing.publish import publish
from plugins.models import Invitation, Plugin
from querying.models import AnswerLink, ExpertRequest, Feedback, Query
from tests.cover import HANDBOOK, TREE
from tests.knowledge.bases import attach
from trees.models import DecisionTree, TreeCase
from webhooks.models import Delivery, Event, Webhook

MARK = "qzxsecretqzx"

# What anybody may read of a published plugin, and what is no words of anybody's.
PUBLIC: dict[str, set[str]] = {
    "accounts.User": {"display_name", "avatar", "password"},
    "plugins.Plugin": {
        "name",
        "slug",
        "tagline",
        "description",
        "domain",
        "tags",
        "disclaimer",
        "audience",
        "version",
    },
    "plugins.Release": {"version", "notes", "disclaimer", "audience", "scorecard", "knowledge"},
    "knowledge.Document": {"title", "sha256", "ready_sha256", "arrived_sha256"},
    "knowledge.KnowledgeBase": {"embedder", "language"},
    "knowledge.Chunk": {"document_title"},
    "knowledge.Page": {"source_sha256", "words"},
    "accounts.ApiKey": {"key_hash", "key_encrypted", "capabilities"},
    "marketplace.Review": {"text", "reply"},
    "querying.Query": {"outcome", "release_name"},
    "webhooks.Webhook": {"secret_encrypted", "events"},
}
# Computed from the others, or of no plugin.
LEFT_ALONE = {"marketplace.Listing", "knowledge.Embedding", "knowledge.ChunkTerms"}


@dataclass(frozen=True, kw_only=True)
class Shelf:
    """What Alice has: one that may be asked and not copied, one that may be copied and whose draft has gone on, and
    one that is nobody's business."""

    unshared: Plugin
    shared: Plugin
    unpublished: Plugin

    @property
    def plugins(self) -> list[Plugin]:
        return [self.unshared, self.shared, self.unpublished]


def build(alice: User, bob: User) -> Shelf:
    unshared, unpublished = _plugin(alice, "Unshared"), _plugin(alice, "Unpublished")
    for plugin in (unshared, unpublished):
        _around(plugin, alice, bob)
        publish(plugin, by=alice)
    Plugin.objects.filter(pk=unpublished.pk).update(is_published=False, name=f"{MARK} plugin", tagline=MARK)
    _mark()
    shared = _plugin(alice, "Shared", is_shared=True)
    publish(shared, by=alice)
    _go_on(shared, alice, bob)
    for plugin in (unshared, shared):
        _give_answer(plugin, question="Which cover?", cites=plugin.knowledge_base)
    _give_answer(unpublished, question=f"Which {MARK}?", cites=unpublished.knowledge_base)
    _give_answer(shared, question=f"Which {MARK}?", cites=shared.knowledge_base, title=f"{MARK} paper")
    for plugin in (unshared, shared, unpublished):
        plugin.refresh_from_db()
        update_listing(plugin)
    return Shelf(unshared=unshared, shared=shared, unpublished=unpublished)


def _plugin(owner: User, name: str, **columns: Any) -> Plugin:
    plugin = Plugin.objects.create(
        owner=owner, name=f"{name} cover", slug=name.lower(), domain="structures", system_prompt="Brief.", **columns
    )
    plugin.golden_gate = "off"
    plugin.save()
    _add(own_knowledge_base(plugin), f"{name} handbook", HANDBOOK)
    DecisionTree.objects.create(plugin=plugin, name="Cover", tree_data=TREE)
    return plugin


def _add(base: KnowledgeBase, title: str, text: str) -> Document:
    document = add_text(knowledge_base=base, title=title, text=text, enqueue=False).document
    ingest(document.pk)
    return document


def _around(plugin: Plugin, alice: User, bob: User) -> None:
    """A row of everything there is about a plugin, to be marked."""
    private = KnowledgeBase.objects.create(owner=alice, name="Attached")
    attach(private, plugin)
    _add(private, f"Notes for {plugin.slug}", "# Notes\n\nFormwork is struck after seven days.")
    plugin.editors.add(bob)
    golden = GoldenQuestion.objects.create(plugin=plugin, question="Which cover?")
    EvaluationRun.objects.create(plugin=plugin, questions=[{"id": golden.pk}])
    TreeCase.objects.create(tree=plugin.trees.get(), name="Case", expected="cover_mild")
    key, _ = ApiKey.objects.issue(owner=alice, name="Key", plugins=[plugin])
    query = Query.objects.create(plugin=plugin, api_key=key, question="Which?", outcome="answered")
    Feedback.objects.create(query=query, user=alice, verdict="down")
    webhook = Webhook(plugin=plugin, url="https://hooks.example.org/", events=Event.values, created_by=alice)
    webhook.set_new_secret()
    webhook.save()
    Delivery.objects.create(webhook=webhook, event="x", event_id=f"evt_{plugin.slug}", data={})
    expires = timezone.now() + Invitation.VALID_FOR
    Invitation.objects.create(
        plugin=plugin,
        email=f"{plugin.slug}@example.org",
        role="editor",
        token_hash=plugin.slug,
        invited_by=alice,
        expires_at=expires,
    )
    review = Review.objects.create(plugin=plugin, author=bob, verdict="care", text=f"{MARK} hidden", is_hidden=True)
    Report.objects.create(plugin=plugin, review=review, reason="abuse", reporter=alice)


def _give_answer(plugin: Plugin, *, question: str, cites: KnowledgeBase, title: str = "") -> None:
    """An answer with a link, and a request to the expert. A link shows the question, the answer and what it cites to
    those who may read that; nothing else of the row, and nothing of who asked."""
    pages = Page.objects.filter(document__knowledge_base=cites, document__title__contains=title).order_by("pk")
    page = pages.select_related("document").first()
    assert page
    citation = {
        "document": "Cover",
        "documentId": str(page.document_id),
        "excerpt": page.text[:12],
        "start": 0,
        "end": 12,
        "url": f"http://testserver/source/{page.pk}?start=0&end=12",
    }
    query = Query.objects.create(
        plugin=plugin,
        release_name=f"{plugin.slug}@{'draft' if title else '1.0.0'}",
        question=question,
        answer=question.replace("?", " [Source 1]."),
        outcome="answered",
        citations=[citation],
        context=[MARK],
        facts={MARK: MARK},
        plan={MARK: MARK},
        passages=[{"chunk": 0, "score": 1, MARK: MARK}],
        options={MARK: MARK},
        error=MARK,
        llm=MARK,
    )
    AnswerLink.objects.create(query=query)
    ExpertRequest.objects.create(query=query, email=f"{MARK}@example.org", reply=MARK, replied_by=MARK)


def _go_on(plugin: Plugin, alice: User, bob: User) -> None:
    """The draft says the word everywhere; the release does not know it."""
    _around(plugin, alice, bob)
    document = Document.objects.get(knowledge_base__plugin=plugin)
    text = HANDBOOK.replace("45 mm", f"45 mm ({MARK})").encode()
    replace_file(document, file_name=f"{MARK}.md", stream=io.BytesIO(text), enqueue=False)
    ingest(document.pk)
    Document.objects.filter(pk=document.pk).update(title=f"{MARK} title")
    _add(plugin.knowledge_base, f"{MARK} paper", f"# {MARK}\n\nA paper of the draft, {MARK}.")
    DecisionTree.objects.filter(plugin=plugin).update(name=f"{MARK} tree", description=MARK)
    DecisionTree.objects.create(plugin=plugin, name=f"{MARK} new tree", tree_data=TREE)
    Plugin.objects.filter(pk=plugin.pk).update(system_prompt=MARK, tone=MARK, limits=MARK, synonyms=[[MARK, "x"]])
    GoldenQuestion.objects.filter(plugin=plugin).update(question=f"{MARK} golden?", must_contain=[MARK])
    KnowledgeBase.objects.filter(models.Q(plugin=plugin) | models.Q(grants__plugin=plugin)).update(name=MARK)


def _mark() -> None:
    """The word into every private column of every row there is by now."""
    for model in apps.get_models():
        if model._meta.label in LEFT_ALONE or model._meta.app_label not in _OURS:
            continue
        for row in model._base_manager.all():
            if columns := dict(_private(model, row)):
                # Past the managers: a release lets nobody change what it decides.
                models.QuerySet(model).filter(pk=row.pk).update(**columns)


_OURS = {"accounts", "plugins", "knowledge", "trees", "querying", "evaluation", "marketplace", "webhooks"}


def _private(model: type[models.Model], row: Any) -> Iterator[tuple[str, Any]]:
    public = PUBLIC.get(model._meta.label, set())
    for field in model._meta.concrete_fields:
        is_left = field.primary_key or field.is_relation or field.choices or field.name in public
        # No two plugins have the same token of an unlisted page.
        kept = row.pk if field.name == "page_token" else getattr(row, field.attname)
        if not is_left and (value := _marked(field, kept)) is not None:
            yield field.name, value


def _marked(field: models.Field[Any, Any], value: Any) -> Any:
    if isinstance(field, models.EmailField):
        return f"{MARK}-{value}"
    if isinstance(field, models.URLField):
        return f"https://{MARK}.example.org/{value}"
    if isinstance(field, models.CharField | models.TextField):
        return f"{value} {MARK}"[-field.max_length :] if field.max_length else f"{value} {MARK}"
    if isinstance(field, ArrayField):
        return [*(value or []), MARK] if isinstance(field.base_field, models.CharField) else None
    if isinstance(field, models.JSONField):
        if isinstance(value, dict):
            return {**value, MARK: MARK}
        return [*value, {"name": MARK, "id": MARK}] if value else None
    return None


def said(response: Any) -> str:
    """Everything that came back: headers, cookies, and the body; of a zip, what is in it."""
    if not response.streaming:
        body = response.content
    elif response.is_async:
        body = async_to_sync(_collected)(response)
    else:
        body = b"".join(response.streaming_content)
    if body.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            body = b"\n".join(archive.read(name) for name in archive.namelist())
    headers = " ".join(f"{name}: {value}" for name, value in response.headers.items())
    return f"{headers} {response.cookies} {body.decode('utf-8', 'replace')}".lower()


async def _collected(response: Any) -> bytes:
    return b"".join([piece async for piece in response.streaming_content])
