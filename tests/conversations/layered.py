"""Documents that people keep for themselves, and questions of a plugin that read them besides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from accounts.models import ApiKey, User
from conversations.models import Project
from conversations.private_document_search import private_layers
from knowledge.documents.lifecycle import add_text
from knowledge.ingest import ingest
from knowledge.models import Document, KnowledgeBase
from knowledge.personal_knowledge_base import personal_knowledge_base
from knowledge.search.hybrid import BaseRevision
from plugins.models import Plugin
from privacy.document_deletion import delete_private_document
from privacy.plugin_deletion import delete_knowledge_base
from querying import pipeline, releases
from querying.llm_interface import LLM
from querying.types.answer import Answer
from querying.types.events import Done
from querying.types.question import Caller, Question
from webhooks.models import Event, Webhook

SECRET = "The footings of Marrow House get a nominal cover of 75 mm, by the letter of its engineer."
QUESTION = "What nominal cover do the footings of Marrow House get?"
NO_ANSWER = "Which gloves does a diver need in the Arctic?"
# What deletes what Bob keeps for himself.
PRIVATE_DELETIONS: dict[str, Callable[[], None]] = {
    "base": lambda: delete_knowledge_base(KnowledgeBase.objects.get(kind="personal")),
    "document": lambda: delete_private_document(Document.objects.get(knowledge_base__kind="personal")),
}


def give(base: KnowledgeBase, text: str = SECRET, **fields: Any) -> Document:
    added = add_text(knowledge_base=base, title="Marrow House", text=text, enqueue=False).document
    ingest(added.pk)
    Document.objects.filter(pk=added.pk).update(**fields)
    return added


@pytest.fixture
def personal(bob: User) -> KnowledgeBase:
    """Bob's own base, with a secret in it."""
    base = personal_knowledge_base(bob)
    give(base)
    base.refresh_from_db()
    return base


@pytest.fixture
def project(charlie: User, bob: User) -> Project:
    """A project of Charlie's that Bob reads, with the secret in it."""
    project = Project.objects.create_with_base(owner=charlie, name="Marrow House")
    give(project.knowledge_base)
    project.set_members({bob.email: "viewer"})
    return project


def ask(
    published: Plugin,
    principal: User | ApiKey,
    *,
    layers: tuple[BaseRevision, ...] | None = None,
    text: str = QUESTION,
    llm: LLM | None = None,
    **fields: Any,
) -> tuple[Question, Answer]:
    is_key = isinstance(principal, ApiKey)
    caller = Caller(
        name="test",
        user_id=principal.owner_id if isinstance(principal, ApiKey) else principal.pk,
        api_key_id=principal.pk if is_key else None,
    )
    given = private_layers(principal) if layers is None else layers
    release = releases.resolve(fields.pop("reference", published.slug), principal=principal)
    question = Question(text=text, release=release, caller=fields.pop("caller", caller), layers=given, **fields)
    last = async_to_sync(pipeline.answer)(question, llm=llm)
    assert isinstance(last, Done), last
    return question, last.answer


@pytest.fixture
def webhook(published: Plugin, alice: User) -> Webhook:
    address = "https://hooks.example.org/"
    webhook = Webhook(plugin=published, url=address, events=Event.values, created_by=alice, includes_questions=True)
    webhook.set_new_secret()
    webhook.save()
    return webhook
