"""A published plugin of Alice's on concrete cover, with a small handbook and a tree, read by the real embedder."""

from __future__ import annotations

import pytest

from accounts.models import ApiKey, User
from knowledge.documents.lifecycle import add_text
from knowledge.ingest import ingest
from knowledge.models import Document, DocumentStatus
from knowledge.plugin_knowledge_base import own_knowledge_base
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from tests.remembered import remembered
from trees.models import DecisionTree

HANDBOOK = """# Cover handbook

## 1 Exposure

A member that is exposed to weather, to alternate wetting and drying, or to the coast is in severe exposure.
A member inside a dry building is in mild exposure.

## 2 Nominal cover

For mild exposure the nominal cover of a beam is 20 mm. For severe exposure the nominal cover of a beam is 45 mm.
Footings have a nominal cover of at least 50 mm.

## 3 Spacers

Spacers made of mortar hold the bars at their cover while concrete is placed. They stand at most one metre apart.
"""

TREE = {
    "rootNodeId": "exposure_check",
    "nodes": {
        "exposure_check": {
            "id": "exposure_check",
            "type": "question",
            "label": "Exposure condition?",
            "question": {
                "text": "How is the member exposed?",
                "options": ["mild", "severe"],
                "extractFrom": "exposure",
                "synonyms": {"severe": ["exposed to weather", "coastal"]},
            },
            "childrenByAnswer": {"mild": "cover_mild", "severe": "cover_severe"},
        },
        "cover_mild": {
            "id": "cover_mild",
            "type": "action",
            "label": "Cover in mild exposure",
            "action": {"recommendation": "20 mm nominal cover", "sourceHint": "nominal cover mild exposure beam"},
        },
        "cover_severe": {
            "id": "cover_severe",
            "type": "action",
            "label": "Cover in severe exposure",
            "action": {"recommendation": "45 mm nominal cover", "sourceHint": "nominal cover severe exposure beam"},
        },
    },
}


@pytest.fixture
@remembered
def handbook(plugin: Plugin) -> Document:
    return plugin.knowledge_base.documents.get()


def give_document(plugin: Plugin, *, title: str, text: str, file_name: str = "") -> Document:
    """The text as the plugin's own document, which has been read."""
    base = own_knowledge_base(plugin)
    added = add_text(knowledge_base=base, title=title, text=text, file_name=file_name, enqueue=False)
    ingest(added.document.pk)
    added.document.refresh_from_db()
    if added.document.status != DocumentStatus.READY:
        raise AssertionError(f"{title}: {added.document.status}, {added.document.error_code}, {added.document.error}")
    return added.document


@pytest.fixture
@remembered
def plugin(alice: User) -> Plugin:
    """Not yet published."""
    plugin = Plugin.objects.create(
        owner=alice, name="Concrete cover", slug="cover", domain="structures", system_prompt="You are an engineer."
    )
    give_document(plugin, title="Cover handbook", text=HANDBOOK)
    about = "The least cover that a concrete member such as a beam or a slab needs, by its exposure."
    DecisionTree.objects.create(plugin=plugin, name="Nominal cover of a member", description=about, tree_data=TREE)
    return plugin


@pytest.fixture
@remembered
def published(plugin: Plugin, alice: User) -> Plugin:
    publish(plugin, by=alice)
    plugin.refresh_from_db()
    return plugin


@pytest.fixture
def key(alice: User) -> str:
    return ApiKey.objects.issue(owner=alice, name="agent")[1]


@pytest.fixture
def charlies_key(charlie: User) -> str:
    return ApiKey.objects.issue(owner=charlie, name="agent")[1]
