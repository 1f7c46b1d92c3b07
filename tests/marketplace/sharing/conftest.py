"""A shared plugin of Alice's: a PDF and a text in its own knowledge base, a note in one that is attached, a tree,
golden questions, and a draft that has gone on since its release."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from accounts.models import User
from evaluation.models import GoldenQuestion
from knowledge.documents.lifecycle import add_file, add_text, replace_file
from knowledge.ingest import ingest
from knowledge.models import Document, KnowledgeBase
from knowledge.plugin_knowledge_base import own_knowledge_base
from marketplace.publishing.publish import publish
from plugins.models import Plugin, Release
from tests.cover import HANDBOOK, TREE
from tests.knowledge.bases import attach
from tests.remembered import remembered
from trees.models import DecisionTree

PDF = Path(__file__).parents[3] / "marketplace" / "demo_content" / "concrete-cover-handbook.pdf"
NOTE = "# Site notes\n\nFormwork for beams is struck after seven days. Plastic spacers are not used near the coast.\n"
QUESTIONS = [
    ("What is the nominal cover of a beam in severe exposure?", {}),
    ("What is the nominal cover of a footing?", {}),
    ("How far apart do spacers stand?", {}),
    ("When is the formwork of a beam struck?", {}),
    ("Which cover does a member need?", {}),
    ("Which nominal cover is right for this beam?", {"exposure": "mild"}),
    ("What is the cover of stainless reinforcement on the moon?", {}),
]


@pytest.fixture(autouse=True)
def own_files(settings: Any, tmp_path: Path) -> None:
    """Files that tests damage are nobody else's."""
    settings.LEXIC_FILES_DIR = tmp_path / "files"


def add(base: KnowledgeBase, title: str, text: str) -> Document:
    document = add_text(knowledge_base=base, title=title, text=text, enqueue=False).document
    ingest(document.pk)
    document.refresh_from_db()
    assert document.status == "ready"
    return document


@pytest.fixture
@remembered
def original(alice: User) -> Plugin:
    plugin = Plugin.objects.create(
        owner=alice,
        name="Concrete cover",
        slug="cover",
        domain="structures",
        system_prompt="You are an engineer.",
        disclaimer="An engineer signs.",
        synonyms=[["striking", "struck"]],
        is_shared=True,
        shares_golden=True,
    )
    base = own_knowledge_base(plugin)
    with PDF.open("rb") as stream:
        pdf = add_file(knowledge_base=base, file_name="handbook.pdf", stream=stream, enqueue=False).document
    ingest(pdf.pk)
    add(base, "Cover handbook", HANDBOOK)
    attached = KnowledgeBase.objects.create(owner=alice, name="Alice's notes")
    attach(attached, plugin)
    add(attached, "Site notes", NOTE)
    DecisionTree.objects.create(plugin=plugin, name="Nominal cover of a member", tree_data=TREE)
    for question, facts in QUESTIONS:
        GoldenQuestion.objects.create(plugin=plugin, question=question, facts=facts)
    plugin.golden_gate = "off"
    plugin.save()
    publish(plugin, by=alice)
    plugin.refresh_from_db()
    return plugin


@pytest.fixture
@remembered
def release(original: Plugin) -> Release:
    release = original.latest_release()
    assert release is not None
    return release


@pytest.fixture
def drafted(original: Plugin, alice: User, release: Release) -> Plugin:
    """Its draft says other things than its release, everywhere."""
    Plugin.objects.filter(pk=original.pk).update(system_prompt="You are a poet.", top_k=3)
    DecisionTree.objects.filter(plugin=original).update(name="Draft tree")
    GoldenQuestion.objects.create(plugin=original, question="A draft question?")
    base = own_knowledge_base(original)
    add(base, "Draft paper", "# Draft\n\nA paper that only the draft reads.")
    file = Document.objects.get(title="Cover handbook")
    changed = HANDBOOK.replace("45 mm", "46 mm").replace("is 20 mm", "is 21 mm").encode()
    replace_text(file, changed)
    original.refresh_from_db()
    return original


def replace_text(document: Document, content: bytes) -> None:
    replace_file(document, file_name="newer.md", stream=io.BytesIO(content), enqueue=False)
    ingest(document.pk)
    document.refresh_from_db()
    assert document.status == "ready"


@pytest.fixture
@remembered
def boots(alice: User) -> Plugin:
    """A small shared plugin."""
    plugin = Plugin.objects.create(
        owner=alice,
        name="Boots",
        slug="boots",
        domain="safety",
        system_prompt="Brief.",
        is_shared=True,
        shares_golden=True,
    )
    base = KnowledgeBase.objects.create(plugin=plugin, owner=alice, name="Boots")
    add(base, "Rules", "# Rules\n\nSafety boots are worn on every site.")
    add(base, "Shops", "# Shops\n\nBoots are bought in the yard.")
    plugin.golden_questions.create(question="Which boots are worn on a site?")
    plugin.golden_gate = "off"
    plugin.save()
    publish(plugin, by=alice)
    plugin.refresh_from_db()
    return plugin
