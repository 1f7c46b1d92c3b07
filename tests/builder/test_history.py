"""What is changed in the builder stands in the history of the plugin: every form that there is, sent once."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.urls import reverse

from accounts.models import User
from knowledge.models import Page
from querying.answer_links import AnswerLink
from tests.security.routes import EVERYWHERE, routes
from tests.security.world import TREE, World, build

pytestmark = pytest.mark.django_db

KINDS = {
    **EVERYWHERE,
    "pk": "plugins.Plugin",
    "base": "knowledge.KnowledgeBase",
    "release": "plugins.Release",
    "review": "marketplace.Review",
    "person": "accounts.User",
    "invitation": "plugins.Invitation",
    "organisation": "organisations.Organisation",
    "page": "knowledge.Page",
}


@pytest.fixture
def world(alice: User) -> World:
    return build(alice)


def forms() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Name and ids of every address below a plugin's in the builder."""
    for _, pattern in routes("admin/"):
        name = pattern.name or ""
        if name.startswith("builder_") and "pk" in pattern.pattern.converters:
            yield name, tuple(pattern.pattern.converters)


_READS = "it changes nothing of the plugin"
_NEEDS_MORE = "it needs more than this world has"
WITHOUT_ENTRY = {
    "builder_preview": _READS,
    "builder_persona_try": _READS,
    "builder_releases": _READS,
    "builder_tree_check": _READS,
    "builder_tree_end": _READS,
    "builder_tree_walk": _READS,
    "builder_sandbox_ask": _READS,
    "builder_sandbox_remark": _READS,
    "builder_golden_run": _READS,
    "builder_inbox_dismiss": "it changes what the inbox shows",
    "builder_inbox_ask_again": "it changes what the inbox shows",
    "builder_inbox_restore": "it changes what the inbox shows",
    "builder_webhook_test": _READS,
    "builder_webhook_redeliver": _READS,
    "builder_review_reply": "the reply is public, with its date",
    "builder_second_copy": "it makes another plugin",
    "builder_publish": _NEEDS_MORE,
    "builder_publish_cancel": _NEEDS_MORE,
    "builder_publish_notes": "notes for the next release are no change of the plugin",
    "builder_renew_page_address": _NEEDS_MORE,
    "builder_request_approval": _NEEDS_MORE,
    "builder_decide_approval": _NEEDS_MORE,
    "builder_organisation_offer": _NEEDS_MORE,
    "builder_audience": _NEEDS_MORE,
    "builder_inbox_reply": _NEEDS_MORE,
    "builder_knowledge_detach": _NEEDS_MORE,
    "builder_knowledge_sync": _NEEDS_MORE,
    "builder_knowledge_stop": _NEEDS_MORE,
    "builder_knowledge_attach": _NEEDS_MORE,
    "builder_golden_evidence": _NEEDS_MORE,
    "builder_change_role": _NEEDS_MORE,
    "builder_hand_over": _NEEDS_MORE,
    "builder_update_copy": _NEEDS_MORE,
    "builder_sandbox_keep": _NEEDS_MORE,
}


def body_of(name: str, world: World) -> dict[str, Any]:
    """What the form is sent."""
    text = SimpleUploadedFile("new.md", b"# New\n\nBoots are worn.")
    tree = SimpleUploadedFile("tree.json", json.dumps(TREE).encode())
    golden = SimpleUploadedFile("golden.jsonl", b'{"question": "Boots?", "expectation": "refuse"}\n')
    draft = {"name": "New", "description": "", "tree": TREE, "cases": []}
    question = {
        "question": "What are boots?",
        "expectation": "refuse",
        "facts": "",
        "must_cite": "",
        "must_contain": "",
    }
    bodies: dict[str, dict[str, Any]] = {
        "builder_knowledge_files": {"files": [text]},
        "builder_knowledge_text": {"title": "New", "text": "Boots are worn."},
        "builder_knowledge_urls": {"addresses": "https://www.example.org/rules"},
        "builder_knowledge_base_new": {"name": "New"},
        "builder_knowledge_base": {"name": "New"},
        "builder_knowledge_document": {"title": "New"},
        "builder_knowledge_replace": {"file": text},
        "builder_knowledge_page_text": {"text": "Boots are worn by everybody."},
        "builder_knowledge_bulk": {"documents": [world["knowledge.Document"].pk], "act": "public"},
        "builder_knowledge_edit_text": {
            "text": "# New\n\nBoots are worn by everybody.",
            "seen": world["knowledge.Document"].sha256,
        },
        "builder_use": {"shares_golden": "on"},
        "builder_tree_new": {"name": "New"},
        "builder_tree_import": {"file": tree},
        "builder_tree_text": {"draft": json.dumps(draft), "version": world["trees.DecisionTree"].version},
        "builder_golden_add": question,
        "builder_golden_change": question,
        "builder_golden_import": {"file": golden},
        "builder_golden_propose": {
            "accept-0": "on",
            "question-0": "Which toe?",
            "title-0": world["knowledge.Document"].title,
        },
        "builder_invite": {"email": "new@example.org", "role": "editor"},
        "builder_source_new": {"kind": "feed", "location": "https://example.org/", "max_pages": 9, "interval_hours": 6},
        "builder_source": {"max_depth": 1, "max_pages": 9, "interval_hours": 6},
        "builder_webhooks": {"url": "https://hooks.example.org/", "events": ["release.published"]},
        "builder_webhook": {"url": "https://hooks.example.org/", "events": ["release.published"]},
    }
    return bodies.get(name, {})


def test_every_form_that_changes_a_plugin_leaves_an_entry(world: World) -> None:
    client, wrong = Client(), []
    scanned = world["knowledge.Document"].sha256
    Page.objects.update(read_by="ocr", source_sha256=scanned)  # only such pages are corrected
    client.force_login(world.alice)
    AnswerLink.objects.create(query=world["querying.Query"])
    for name, ids in forms():
        if name in WITHOUT_ENTRY:
            continue
        with transaction.atomic():
            url = reverse(f"admin:{name}", args=[world[KINDS[kind]].pk for kind in ids])
            answer = client.post(url, body_of(name, world))
            entries = list(LogEntry.objects.values_list("object_id", "user"))
            if answer.status_code != 405 and entries != [(str(world.plugin.pk), world.alice.pk)]:
                wrong.append((name, answer.status_code, entries))
            transaction.set_rollback(True)
    assert not wrong
