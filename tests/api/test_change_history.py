"""What is changed over the API stands in the history of the plugin: every operation that there is, tried once."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.contrib.admin.models import ADDITION, CHANGE, DELETION, LogEntry
from django.db import transaction
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from accounts.models import ApiKey, User
from api.mcp.server import TOOL_DEFINITIONS
from api.schema.operations import OPERATIONS
from knowledge.models import Document, KnowledgeBase
from marketplace.bundle.draft_export import export_plugin
from plugins.models import Plugin
from tests.security.world import TREE, World, build

pytestmark = pytest.mark.django_db

_READS = "it changes nothing of a plugin"
_KEYS = "a key belongs to a person, not to a plugin"
WITHOUT_ENTRY = {
    "askQuestion": _READS,
    "collaborate": _READS,
    "reviewText": _READS,
    "createBatch": _READS,
    "cancelBatch": _READS,
    "deleteBatch": _READS,
    "createResponse": _READS,
    "deleteResponse": _READS,
    "createChatCompletion": _READS,
    "tryQuestion": _READS,
    "chatInPublic": _READS,
    "giveFeedback": _READS,
    "shareAnswer": _READS,
    "revokeAnswerLink": _READS,
    "walkTree": _READS,
    "runTreeCases": _READS,
    "judgeTree": _READS,
    "createApiKey": _KEYS,
    "changeOrRevealApiKey": _KEYS,
    "revokeApiKey": _KEYS,
    "rotateApiKey": _KEYS,
}
# What people keep for themselves belongs to no plugin.
_PRIVATE_PATHS = (
    "/api/projects",
    "/api/knowledge/",
    "/api/conversations",
    "/api/contract-reviews",
    "/api/chat",
    "/api/runs",
    "/api/connectors",
)
WRITING = [
    (path, method, name)
    for (path, method), (_, name) in OPERATIONS.items()
    if method != "get" and not path.startswith(_PRIVATE_PATHS)
]
FLAGS = {"createPlugin": ADDITION, "importPlugin": ADDITION, "installSharedPlugin": ADDITION, "deletePlugin": DELETION}


@pytest.fixture
def world(alice: User) -> World:
    return build(alice)


def body_of(name: str, world: World) -> dict[str, Any]:
    """What the operation is sent."""
    base = KnowledgeBase.objects.create(owner=world.alice, name="Standards")
    with export_plugin(Plugin(owner=world.alice, name="Empty", domain="x", system_prompt="x")) as exported:
        bundle = exported.read()
    tree = {"name": "New", "treeData": TREE}
    bodies: dict[str, dict[str, Any]] = {
        "createPlugin": {"name": "New", "domain": "x"},
        "putPlugin": {"tagline": "New"},
        "updatePlugin": {"tagline": "New"},
        "importPlugin": {"file": _file("empty.lexic.zip", bundle)},
        "updatePluginLimits": {"keepChatsDays": 30},
        "addDocuments": {"title": "New", "text": "Boots are worn."},
        "putDocument": {"title": "New"},
        "updateDocument": {"title": "New"},
        "replaceDocumentFile": {"file": _file("new.md", b"# New\n\nBoots are worn.")},
        "agreeToKnowledgeGrant": {"consent": "shared"},
        "attachKnowledgeBase": {"knowledgeBase": base.pk},
        "createTree": tree,
        "putTree": tree,
        "updateTree": {"name": "New"},
        "orderTrees": {"ids": [str(world["trees.DecisionTree"].pk)]},
        "createTreeCase": {"name": "New", "expectation": "reaches", "expected": "a"},
        "replaceTreeCase": {"name": "New", "expectation": "reaches", "expected": "a"},
        "createGoldenQuestion": {"question": "What are boots?", "expectation": "refuse"},
        "putGoldenQuestion": {"question": "What are boots?"},
        "updateGoldenQuestion": {"question": "What are boots?"},
        "importGoldenQuestions": {"file": _file("golden.jsonl", b'{"question": "Boots?", "expectation": "refuse"}\n')},
        "publishPlugin": {"version": "3.0.0"},
        "updateReleaseNotes": {"notes": "New"},
        "createWebhook": {"url": "https://hooks.example.org/", "events": ["release.published"]},
        "updateWebhook": {"isActive": False},
        "createSyncedSource": {"kind": "website", "address": "https://rules.example.org/"},
        "updateSyncedSource": {"isPaused": True},
    }
    return bodies.get(name, {})


def _file(name: str, content: bytes) -> io.BytesIO:
    file = io.BytesIO(content)
    file.name = name
    return file


def url_of(path: str, name: str, world: World) -> str:
    kinds = {
        # The grant is for another plugin to read a base of this one.
        "{plugin}": world["knowledge.KnowledgeGrant"].plugin_id if name == "detachKnowledgeBase" else world.plugin.pk,
        "{document}": world["knowledge.Document"].pk,
        "{tree}": world["trees.DecisionTree"].pk,
        "{case}": world["trees.TreeCase"].pk,
        "{golden}": world["evaluation.GoldenQuestion"].pk,
        "{version}": "1.0.0",
        "{webhook}": world["webhooks.Webhook"].pk,
        "{delivery}": world["webhooks.Delivery"].pk,
        "{source}": world["knowledge.Source"].pk,
        "{grant}": world["knowledge.KnowledgeGrant"].pk,
    }
    return "/".join(str(kinds.get(part, part)) for part in path.split("/"))


def with_key(owner: User) -> APIClient:
    _, secret = ApiKey.objects.issue(
        owner=owner, name="agent", capabilities=["query", "read", "author"], per_minute=10**6, per_day=10**6
    )
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def test_every_operation_that_changes_a_plugin_leaves_an_entry(world: World) -> None:
    client, wrong = with_key(world.alice), []
    for path, method, name in WRITING:
        if name in WITHOUT_ENTRY or name == "installSharedPlugin":
            continue
        with transaction.atomic():
            if name == "cancelDocument":
                Document.objects.update(status="queued")
            body = body_of(name, world)
            kind = "multipart" if "file" in body else "json"
            answer = getattr(client, method)(url_of(path, name, world), body, format=kind)
            entries = list(LogEntry.objects.values_list("action_flag", "user"))
            if answer.status_code >= 400 or entries != [(FLAGS.get(name, CHANGE), world.alice.pk)]:
                wrong.append((name, answer.status_code, answer.content[:300], entries))
            transaction.set_rollback(True)
    assert not wrong


def test_what_is_refused_leaves_none(world: World, bob: User) -> None:
    world.plugin.viewers.add(bob)
    url = f"/api/plugins/{world.plugin.slug}"
    assert with_key(bob).patch(url, {"tagline": "New"}, format="json").status_code == 403
    assert with_key(world.alice).patch(url, {"tagline": 5}, format="json").status_code == 400
    assert not LogEntry.objects.exists()


def test_the_entry_says_what_was_done_and_to_what(world: World, bob: User) -> None:
    world.plugin.editors.add(bob)
    document = world["knowledge.Document"].pk
    with_key(bob).patch(
        f"/api/plugins/{world.plugin.slug}/documents/{document}", {"title": "New", "tags": ["a"]}, format="json"
    )
    entry = LogEntry.objects.get()
    assert (entry.user, entry.object_id) == (bob, str(world.plugin.pk))
    sentence = f"Update document, over the API with a key; document {document}; changed tags, title."
    assert entry.get_change_message() == sentence
    page = Client()
    page.force_login(world.alice)
    assert sentence in page.get(reverse("admin:plugins_plugin_history", args=[world.plugin.pk])).content.decode()


def test_no_tool_changes_anything() -> None:
    assert all(tool.annotations and tool.annotations.read_only_hint for tool in TOOL_DEFINITIONS.values())
