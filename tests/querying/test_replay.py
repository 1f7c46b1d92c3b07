"""A release answers tomorrow as it answers today, whatever becomes of its plugin."""

from __future__ import annotations

import copy
import io
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from accounts.models import User
from knowledge.documents.lifecycle import add_text, delete_document, replace_file
from knowledge.ingest import ingest
from knowledge.models import Chunk, Document, KnowledgeBase, Page
from knowledge.plugin_knowledge_base import own_knowledge_base
from knowledge.prune import prune_knowledge_base
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from querying import pipeline, releases
from querying.types.answer import Outcome
from querying.types.events import Done
from querying.types.question import Caller, Question
from tests.cover import HANDBOOK, TREE
from tests.knowledge.bases import attach
from tests.remembered import remembered
from trees.models import DecisionTree

pytestmark = pytest.mark.django_db

WEATHER = "What is the minimum cover for a beam exposed to weather?"
SPACERS = "What are spacers made of?"
CURING = "How long is concrete cured after placing?"
QUESTIONS = [WEATHER, SPACERS, CURING]

SITE_RULES = """# Site rules

## 1 Curing

Concrete is cured for seven days after placing. In hot weather it is cured for ten days.
"""


@pytest.fixture
@remembered
def site_rules(plugin: Plugin) -> Document:
    added = add_text(knowledge_base=own_knowledge_base(plugin), title="Site rules", text=SITE_RULES, enqueue=False)
    ingest(added.document.pk)
    return added.document


def asked(reference: str, text: str, *, by: User) -> dict[str, Any]:
    """The answer with everything that it shows, and the text of the pages it cites, as they are now."""
    release = releases.resolve(reference, principal=by)
    done = async_to_sync(pipeline.answer)(Question(text=text, release=release, caller=Caller(name="test")))
    assert isinstance(done, Done)
    answer = done.answer
    pages = {citation.passage.page_id: None for citation in answer.citations}
    pages |= dict(Page.objects.filter(pk__in=pages).values_list("pk", "text"))
    for citation in answer.citations:
        assert pages[citation.passage.page_id][citation.start : citation.end] == citation.excerpt
    return {"answer": answer, "pages": pages, "persona": release.system_prompt}


def replace_text(document: Document, text: str) -> None:
    replace_file(document, file_name="handbook.md", stream=io.BytesIO(text.encode()), enqueue=False)
    ingest(document.pk)


def change_everything(plugin: Plugin) -> None:
    """Other figures in one document, another one deleted, another tree, another persona and policy."""
    handbook = Document.objects.get(title="Cover handbook")
    replace_text(handbook, HANDBOOK.replace("45 mm", "65 mm").replace("mortar", "plastic"))
    delete_document(Document.objects.get(title="Site rules"))
    tree = copy.deepcopy(TREE)
    tree["nodes"]["cover_severe"]["action"]["recommendation"] = "65 mm nominal cover"
    DecisionTree.objects.update(tree_data=tree)
    Plugin.objects.update(system_prompt="You are another engineer.", disclaimer="Changed.", top_k=3)


def test_a_release_answers_as_before_while_the_draft_answers_anew(
    site_rules: Document, published: Plugin, alice: User, charlie: User
) -> None:
    before = {text: asked("cover@1.0.0", text, by=charlie) for text in QUESTIONS}
    assert all(one["answer"].outcome == Outcome.ANSWERED for one in before.values())
    change_everything(published)

    for text in QUESTIONS:
        assert asked("cover@1.0.0", text, by=charlie) == before[text]
        assert asked("cover", text, by=charlie) == before[text]

    draft = {text: asked("cover@draft", text, by=alice) for text in QUESTIONS}
    assert "65 mm" in draft[WEATHER]["answer"].text
    assert "45 mm" not in draft[WEATHER]["answer"].text
    assert "plastic" in draft[SPACERS]["answer"].text
    assert draft[CURING]["answer"].outcome == Outcome.REFUSED
    assert draft[WEATHER]["persona"] == "You are another engineer."
    assert draft[WEATHER]["answer"].text.endswith("Changed.")


def test_after_publishing_again_the_slug_gives_the_new_and_the_version_the_old(
    site_rules: Document, published: Plugin, alice: User, charlie: User
) -> None:
    before = asked("cover", WEATHER, by=charlie)
    change_everything(published)
    publish(published, by=alice)
    new = asked("cover", WEATHER, by=charlie)
    assert "65 mm" in new["answer"].text
    assert asked("cover@1.1.0", WEATHER, by=charlie) == new
    assert asked("cover@1.0.0", WEATHER, by=charlie) == before


def test_clearing_away_leaves_what_a_release_reads(site_rules: Document, published: Plugin, alice: User) -> None:
    before = {text: asked("cover@1.0.0", text, by=alice) for text in QUESTIONS}
    change_everything(published)
    prune_knowledge_base(KnowledgeBase.objects.get(), older_than=-timedelta(days=1))
    assert {text: asked("cover@1.0.0", text, by=alice) for text in QUESTIONS} == before


def test_a_deleted_document_is_not_cited_by_the_draft_from_that_moment_on(
    site_rules: Document, plugin: Plugin, alice: User
) -> None:
    assert asked("cover@draft", CURING, by=alice)["answer"].outcome == Outcome.ANSWERED
    delete_document(site_rules)
    after = asked("cover@draft", CURING, by=alice)["answer"]
    assert after.outcome == Outcome.REFUSED
    assert not [one for one in after.citations if one.passage.document_id == site_rules.pk]


def test_a_draft_that_was_resolved_before_reads_on_in_peace(site_rules: Document, plugin: Plugin, alice: User) -> None:
    """A question that is being answered while a document changes sees all of the old or all of the new."""
    release = releases.resolve("cover@draft", principal=alice)
    delete_document(site_rules)
    done = async_to_sync(pipeline.answer)(Question(text=CURING, release=release, caller=Caller(name="test")))
    assert isinstance(done, Done)
    assert "seven days" in done.answer.text


def test_a_document_added_later_is_not_read_by_a_release(published: Plugin, alice: User, charlie: User) -> None:
    assert asked("cover@1.0.0", CURING, by=charlie)["answer"].outcome == Outcome.REFUSED
    added = add_text(knowledge_base=own_knowledge_base(published), title="Site rules", text=SITE_RULES, enqueue=False)
    ingest(added.document.pk)
    assert asked("cover@1.0.0", CURING, by=charlie)["answer"].outcome == Outcome.REFUSED
    assert asked("cover@draft", CURING, by=alice)["answer"].outcome == Outcome.ANSWERED


def test_a_base_attached_later_is_not_read_by_a_release(published: Plugin, alice: User, charlie: User) -> None:
    more = KnowledgeBase.objects.create(owner=alice, name="More")
    attach(more, published)
    ingest(add_text(knowledge_base=more, title="Site rules", text=SITE_RULES, enqueue=False).document.pk)
    assert asked("cover@1.0.0", CURING, by=charlie)["answer"].outcome == Outcome.REFUSED
    assert asked("cover@draft", CURING, by=alice)["answer"].outcome == Outcome.ANSWERED


def test_a_page_never_changes(site_rules: Document, published: Plugin) -> None:
    before = dict(Page.objects.values_list("pk", "text"))
    spans = {(row.pk, row.page_id, row.start, row.end, row.content) for row in Chunk.objects.all()}
    change_everything(published)
    assert {pk: text for pk, text in Page.objects.values_list("pk", "text") if pk in before} == before
    assert spans <= {(row.pk, row.page_id, row.start, row.end, row.content) for row in Chunk.objects.all()}


# Title, source type and page count are columns of the document, which tell about its latest version only.
def test_a_new_title_of_a_document_does_not_change_what_a_release_shows(published: Plugin, alice: User) -> None:
    before = asked("cover@1.0.0", WEATHER, by=alice)
    Document.objects.update(title="Renamed")
    assert asked("cover@1.0.0", WEATHER, by=alice) == before


def test_a_replacement_with_pages_does_not_give_old_citations_a_page(published: Plugin, alice: User) -> None:
    before = asked("cover@1.0.0", WEATHER, by=alice)
    assert {one.passage.page_number for one in before["answer"].citations} == {None}
    Document.objects.update(page_count=7, source_type="pdf")  # what reading a PDF in its place writes
    assert asked("cover@1.0.0", WEATHER, by=alice) == before
