"""The specification's lines that this part of the product must keep, each by its number.

Most behaviour has closer tests beside its module; here a reader finds each line once.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from django.db import IntegrityError, connection, transaction
from rest_framework.test import APIClient

from accounts.models import ApiKey, User
from knowledge.chunking.chunker import chunk_pages
from knowledge.documents.lifecycle import add_file
from knowledge.ingest import ingest
from knowledge.models import Chunk, Document, Page
from knowledge.plugin_knowledge_base import own_knowledge_base
from knowledge.readers.types import PageText
from knowledge.source_models import SourceItem
from marketplace.publishing.publish import publish
from plugins.models import Plugin
from querying.answering.guard import Guard
from querying.models import Query
from tests.cover import handbook, key, plugin, published  # noqa: F401 -- fixtures
from tests.knowledge.readers.made import lines, pdf
from trees.definition.parser import parse_tree
from trees.walk import decision_path, walk

pytestmark = pytest.mark.django_db

WEATHER = "What is the minimum cover for a beam exposed to weather?"


def ask(key: str, **extra):  # noqa: F811
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {key}")
    return client.post("/api/v1/query", {"plugin": "cover", "query": WEATHER, **extra}, format="json").json()


def columns(model) -> set[str]:
    return {field.name for field in model._meta.get_fields()}


# --- Plugins ---------------------------------------------------------------------------------------------------


def test_lx_011_a_plugin_has_what_the_specification_lists():
    wanted = {"id", "owner", "name", "slug", "description", "domain", "system_prompt", "citation_mode", "version"}
    assert wanted | {"is_published", "created_at", "updated_at"} <= columns(Plugin)


def test_lx_012_the_slug_is_unique_in_the_database(alice: User):
    Plugin.objects.create(owner=alice, name="A", slug="same", domain="x", system_prompt="x")
    with pytest.raises(IntegrityError), transaction.atomic():
        Plugin.objects.create(owner=alice, name="B", slug="same", domain="x", system_prompt="x")


def test_lx_013_defaults_are_mandatory_citations_version_one_and_unpublished(alice: User):
    made = Plugin.objects.create(owner=alice, name="A", domain="x", system_prompt="x")
    assert (made.citation_mode, made.version, made.is_published) == ("mandatory", "1.0.0", False)


def test_lx_014_deleting_a_plugin_deletes_documents_chunks_and_trees_and_keeps_the_audit_log(
    published: Plugin,  # noqa: F811
    key: str,  # noqa: F811
):
    ask(key)
    published.delete()
    assert not Document.objects.exists()
    assert not Chunk.objects.exists()
    row = Query.objects.get()
    assert (row.plugin, row.release_name) == (None, "cover@1.0.0")


# --- Knowledge -------------------------------------------------------------------------------------------------


def test_lx_024_025_documents_and_chunks_have_what_the_specification_lists():
    assert {"title", "file_name", "source_type", "metadata", "created_at", "knowledge_base"} <= columns(Document)
    assert {"document", "content", "index", "page", "section_path", "embeddings"} <= columns(Chunk)


def test_lx_026_pk_034_the_vector_extension_is_there_and_no_global_vector_index():
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_extension WHERE extname = 'vector'")
        assert cursor.fetchone() == (1,)
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE tablename = 'knowledge_embedding'")
        assert not [d for (d,) in cursor.fetchall() if "hnsw" in d or "ivfflat" in d]


def test_lx_029_030_the_pages_of_a_pdf_reach_chunks_and_citations(plugin: Plugin, key: str, tmp_path: Path):  # noqa: F811
    site, office = "On site, boots with a steel toe are worn by all.", "In the office, nobody needs boots at all."
    with pdf(tmp_path / "boots.pdf", lines(site), lines(office)).open("rb") as stream:
        added = add_file(knowledge_base=own_knowledge_base(plugin), file_name="boots.pdf", stream=stream, enqueue=False)
    ingest(added.document.pk)
    chunks = Chunk.objects.filter(document=added.document)
    assert {chunk.page.number: chunk.content.strip() for chunk in chunks} == {1: site, 2: office}
    publish(plugin, by=plugin.owner)
    [citation] = ask(key, query="Who needs boots in the office?")["citations"]
    assert (citation["page"], citation["excerpt"].strip()) == (2, office)


def test_lx_032_033_chunks_have_1500_characters_and_share_up_to_200():
    text = " ".join(f"Sentence number {n} says something of its own." for n in range(200))
    spans = chunk_pages([PageText(number=1, text=text, words=None)], [])
    assert all(span.end - span.start <= 1500 for span in spans)
    shared = [before.end - after.start for before, after in pairwise(spans)]
    assert all(0 < overlap <= 200 for overlap in shared)


def test_lx_034_035_chunks_know_their_section_and_are_numbered_from_zero(published: Plugin):  # noqa: F811
    chunks = Chunk.objects.order_by("index")
    assert [chunk.index for chunk in chunks] == list(range(len(chunks)))
    assert chunks[0].section_path[0] == "Cover handbook"


def test_every_chunk_stands_on_its_page(published: Plugin):  # noqa: F811
    for chunk in Chunk.objects.select_related("page"):
        assert chunk.page.text[chunk.start : chunk.end] == chunk.content


def test_pk_027_documents_have_the_columns_of_notes_and_are_private_unless_told():
    """What a notes chat keeps beside these (progress, goal_horizon, period_start, extra) is in `metadata`."""
    typed = {
        "title",
        "doc_type",
        "is_public",
        "doc_date",
        "tags",
        "project",
        "doc_status",
        "is_template",
        "metadata",
    }
    assert typed <= columns(Document)
    assert (Document().is_public, Document().is_template, Document().tags) == (False, False, [])


def test_pk_028_the_manifest_of_a_sync_has_path_hash_and_time():
    assert {"path", "sha256", "synced_at", "document"} <= columns(SourceItem)


# --- Trees -----------------------------------------------------------------------------------------------------


def test_lx_040_to_048_a_tree_of_all_three_kinds_is_walked_in_order():
    tree = parse_tree(
        {
            "rootNodeId": "load",
            "nodes": {
                "load": {
                    "id": "load",
                    "type": "condition",
                    "label": "Heavy load?",
                    "condition": {"field": "load", "operator": "gt", "value": 10},
                    "trueChildId": "kind",
                    "falseChildId": "light",
                },
                "kind": {
                    "id": "kind",
                    "type": "question",
                    "label": "Kind?",
                    "question": {"text": "What kind?", "options": ["live", "dead"], "extractFrom": "kind"},
                    "childrenByAnswer": {"live": "strong", "dead": "light"},
                },
                "strong": {
                    "id": "strong",
                    "type": "action",
                    "label": "Strong",
                    "action": {
                        "recommendation": "Use the strong one",
                        "sourceHint": "table 3",
                        "severity": "warning",
                    },
                },
                "light": {
                    "id": "light",
                    "type": "action",
                    "label": "Light",
                    "action": {"recommendation": "Use the light one", "sourceHint": "table 1"},
                },
            },
        }
    )
    from trees.facts.extraction import extract_facts, facts_from_request

    facts, unknown = facts_from_request(tree, {"load": 12, "kind": "live"})
    assert not unknown
    # An answer that is not given is taken from the question.
    inferred = extract_facts(tree, question="The load is 12 and the kind is live: which one?")
    for known in (facts, inferred):
        walked = walk(tree, known)
        assert walked.action is not None
        assert walked.action.recommendation == "Use the strong one"
        assert [(item["step"], item["node"]) for item in decision_path(walked)] == [
            (1, "load"),
            (2, "kind"),
            (3, "strong"),
        ]
    other, _ = facts_from_request(tree, {"load": 12, "kind": "dead"})
    assert [item["node"] for item in decision_path(walk(tree, other))] == ["load", "kind", "light"]


def test_lx_001_a_person_has_what_the_specification_lists():
    assert {"id", "email", "display_name", "avatar", "created_at"} <= columns(User)


def test_lx_057_059_eight_passages_are_read_unless_said_and_a_tree_that_is_switched_off_is_not_asked(
    published: Plugin,  # noqa: F811
):
    from querying.releases import snapshot

    assert Plugin().top_k == snapshot(published).top_k == 8
    assert len(snapshot(published).trees) == 1
    published.trees.update(is_active=False)
    assert snapshot(published).trees == []


# --- The pipeline and its API ----------------------------------------------------------------------------------


def test_lx_058_a_passage_found_by_meaning_alone_must_be_more_similar_than_the_threshold(
    published: Plugin,  # noqa: F811
):
    from knowledge.embedders import get_embedder
    from knowledge.search.hybrid import search
    from querying.releases import pinned_bases, snapshot

    bases = pinned_bases(snapshot(published))
    vector = {"local": get_embedder("local").embed_one("zebra")}
    everything = search(knowledge_bases=bases, text="zebra", embedding=vector, limit=50)
    best = max(passage.cosine for passage in everything if passage.cosine is not None)
    above = search(knowledge_bases=bases, text="zebra", embedding=vector, limit=50, threshold=best)
    assert everything
    assert above == []


def test_lx_065_confidence_counts_distinct_verified_citations():
    assert Guard(mode="mandatory").verdict(text="", tree_decided=False).confidence == "low"


def test_lx_072_each_query_leaves_an_audit_row(published: Plugin, key: str):  # noqa: F811
    answer = ask(key)
    row = Query.objects.get()
    assert (row.question, row.answer, row.confidence) == (WEATHER, answer["answer"], answer["confidence"])
    assert row.citations == answer["citations"]
    assert row.decision_path == answer["decisionPath"]
    assert row.latency_ms > 0
    assert row.api_key is not None


def test_lx_075_to_081_the_response_is_the_specifications(published: Plugin, key: str):  # noqa: F811
    answer = ask(
        key,
        context=[{"role": "user", "content": "I design a pier."}, {"role": "assistant", "content": "Go on."}],
        options={"citationMode": "inline", "maxSources": 5, "includeDecisionPath": True},
    )
    assert isinstance(answer["answer"], str)
    for citation in answer["citations"]:
        assert citation["id"].startswith("src_")
        assert isinstance(citation["document"], str)
        assert isinstance(citation["excerpt"], str)
        assert isinstance(citation.get("page", 1), int)
    for number, step in enumerate(answer["decisionPath"], start=1):
        assert step["step"] == number
        assert all(isinstance(step[name], str) for name in ("node", "label"))
        assert all(isinstance(step.get(name, ""), str) for name in ("value", "result"))
    assert answer["confidence"] in ("high", "medium", "low")
    assert answer["pluginVersion"] == "1.0.0"
    assert json.dumps(answer)


def test_lx_086_the_key_remembers_its_use(published: Plugin, key: str):  # noqa: F811
    ask(key)
    assert ApiKey.objects.get().last_used_at is not None


def test_lx_106_the_worked_sample(published: Plugin, key: str):  # noqa: F811
    answer = ask(key)
    assert "45 mm [Source 1]" in answer["answer"] or "45 mm nominal cover [Source 1]" in answer["answer"]
    assert [step.get("value") for step in answer["decisionPath"]][:1] == ["severe"]
    assert "45 mm" in answer["decisionPath"][-1]["result"]
    page = Page.objects.get()
    for citation in answer["citations"]:
        assert page.text[citation["start"] : citation["end"]] == citation["excerpt"]
