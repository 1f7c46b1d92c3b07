"""The page of one document: pages beside chunks, what people say about it, and what a question finds."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import User
from builder.knowledge.forms import DescriptionForm
from knowledge.documents.lifecycle import add_file, add_text
from knowledge.embedders.base import EmbedderUnavailable
from knowledge.ingest import ingest
from knowledge.models import Document, KnowledgeBase
from knowledge.plugin_knowledge_base import own_knowledge_base
from plugins.models import Plugin
from querying.releases import snapshot
from querying.retrieval.retriever import retrieve
from querying.types.question import Caller, Question
from tests.knowledge.bases import attach
from tests.knowledge.readers.made import lines, ruled_table
from tests.knowledge.readers.made import pdf as made_pdf

pytestmark = pytest.mark.django_db
Browse = Callable[[User], Client]


@pytest.fixture
def client(browsing: Browse, alice: User) -> Client:
    return browsing(alice)


def at(plugin: Plugin, document: Document) -> str:
    return reverse("admin:builder_knowledge_document", args=[plugin.pk, document.pk])


def shown(client: Client, address: str, **query: Any) -> str:
    response = client.get(address, query)
    assert response.status_code == 200
    return response.content.decode()


def read(plugin: Plugin, text: str, *, name: str = "notes.md") -> Document:
    document = add_text(
        knowledge_base=own_knowledge_base(plugin), title=name, text=text, file_name=name, enqueue=False
    ).document
    ingest(document.pk)
    document.refresh_from_db()
    return document


@pytest.fixture
def manual(plugin: Plugin, tmp_path: Any) -> Document:
    """A PDF: a page with a table, and one without."""
    content = made_pdf(tmp_path / "a.pdf", ruled_table(), lines("Gloves are worn when wire is cut.")).read_bytes()
    added = add_file(
        knowledge_base=own_knowledge_base(plugin), file_name="cover.pdf", stream=io.BytesIO(content), enqueue=False
    )
    ingest(added.document.pk)
    added.document.refresh_from_db()
    return added.document


# --- Pages and chunks -----------------------------------------------------------------------------------


def test_a_page_stands_beside_its_chunks(client: Client, plugin: Plugin, handbook: Document) -> None:
    content = shown(client, at(plugin, handbook))
    page = handbook.pages.get()
    for chunk in handbook.chunks.all():
        assert f'id="chunk-{chunk.index}"' in content
        assert f"/source/{page.pk}?start={chunk.start}&amp;end={chunk.end}" in content
    assert "Safety boots with a steel toe are worn on every site." in content


def test_a_table_is_shown_as_a_table(client: Client, plugin: Plugin, manual: Document) -> None:
    part_shown = client.get(at(plugin, manual)).context["page_part"]
    (table,) = [block for _, block in part_shown.blocks if block.is_table]
    assert table.header == ("Exposure", "Nominal cover", "Grade")
    content = shown(client, at(plugin, manual))
    assert '<th scope="col">Nominal cover</th>' in content
    assert "<td>45 mm</td>" in content


@pytest.mark.parametrize(("asked", "number"), [("2", 2), ("1", 1), ("99", 2), ("0", 1), ("x", 1), ("²", 1)])
def test_pages_are_turned(client: Client, plugin: Plugin, manual: Document, asked: str, number: int) -> None:
    context = client.get(at(plugin, manual), {"page": asked}).context
    assert (context["page_part"].page.number, context["page_total"]) == (number, 2)


def test_a_long_text_comes_in_parts(client: Client, plugin: Plugin) -> None:
    text = "\n\n".join(f"# Rule {n}\n\n" + f"Rule {n} says that boots are worn. " * 40 for n in range(30))
    document = read(plugin, text)
    page = document.pages.get()
    seen, part, count = [], 1, 2
    while part <= count:
        part_shown = client.get(at(plugin, document), {"part": part}).context["page_part"]
        seen += [chunk.index for chunk in part_shown.chunks]
        begun = [chunk.index for chunks, _ in part_shown.blocks for chunk in chunks]
        assert begun == [chunk.index for chunk in part_shown.chunks]
        part, count = part + 1, part_shown.count
    assert seen == list(range(document.chunks_total or 0))
    assert len(seen) > 20
    assert page.text.startswith("# Rule 0")


def test_a_document_that_has_not_been_read_says_so(client: Client, plugin: Plugin) -> None:
    document = Document.objects.create(knowledge_base=plugin.knowledge_base, title="New", source_type="pdf")
    content = shown(client, at(plugin, document))
    assert "Nothing has been read yet." in content
    assert "every 2s" in content


def test_the_end_of_reading_is_noticed_on_the_open_page(client: Client, plugin: Plugin, handbook: Document) -> None:
    standing = reverse("admin:builder_knowledge_standing", args=[plugin.pk, handbook.pk])
    Document.objects.update(status="embedding")
    assert "every 2s" in shown(client, standing)
    Document.objects.update(status="ready")
    content = shown(client, standing)
    assert "every 2s" not in content
    assert "Show what was read" in content


def test_text_of_documents_is_never_markup(client: Client, plugin: Plugin) -> None:
    attack = "<script>alert(1)</script>"
    text = f"---\nitems: {attack}\nauthor: {attack}\n---\n# {attack}\n\n{attack}\n\na | {attack}\nb | {attack}"
    document = read(plugin, text, name=f"{attack}.md")
    assert attack not in shown(client, at(plugin, document), q=attack)


def test_the_page_of_a_document_takes_the_same_queries_for_any_number_of_chunks(client: Client, plugin: Plugin) -> None:
    counts = []
    for number in (1, 15):
        text = "\n\n".join(f"# Rule {n}\n\n" + "Boots are worn here. " * 50 for n in range(number))
        document = read(plugin, text, name=f"{number}.md")
        with CaptureQueriesContext(connection) as queries:
            client.get(at(plugin, document))
        counts.append(len(queries))
    assert counts[0] == counts[1] <= 35


# --- What people say about it ---------------------------------------------------------------------------


def description(**fields: Any) -> dict[str, Any]:
    columns = ("doc_type", "doc_date", "doc_status", "project", "tags", "effective_from", "superseded_on")
    return {**dict.fromkeys(columns, ""), "title": "Rules on boots", **fields}


def test_labels_and_dates_are_kept(client: Client, plugin: Plugin, handbook: Document) -> None:
    days = {"effective_from": "2026-01-01", "superseded_on": "2026-02-01", "doc_date": "2025-12-24"}
    client.post(at(plugin, handbook), description(doc_type="rules", tags="a, b", doc_status="in force", **days))
    handbook.refresh_from_db()
    assert (handbook.doc_type, handbook.tags, handbook.doc_status) == ("rules", ["a", "b"], "in force")
    assert {name: str(getattr(handbook, name)) for name in days} == days
    assert handbook.status == "ready"


def test_a_document_that_goes_while_the_form_is_open_is_no_failure(
    client: Client, plugin: Plugin, handbook: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    valid = DescriptionForm.is_valid

    def goes_meanwhile(form: DescriptionForm) -> bool:
        is_valid = valid(form)
        Document.objects.filter(pk=handbook.pk).update(removed_in=handbook.added_in)
        return is_valid

    monkeypatch.setattr(DescriptionForm, "is_valid", goes_meanwhile)
    assert client.post(at(plugin, handbook), description(project="Yard")).status_code == 404
    handbook.refresh_from_db()
    assert handbook.project == ""


def test_a_new_title_is_read_into_the_vectors(client: Client, plugin: Plugin, handbook: Document) -> None:
    client.post(at(plugin, handbook), description(title="Boots and shoes"))
    handbook.refresh_from_db()
    assert (handbook.title, handbook.status) == ("Boots and shoes", "queued")


@pytest.mark.parametrize(
    "wrong",
    [
        {"effective_from": "2026-02-01", "superseded_on": "2026-01-01"},
        {"doc_date": "yesterday"},
        {"title": ""},
        {"title": "x" * 301},
        {"tags": ",".join("x" * 61 for _ in range(2))},
        {"doc_type": "x\x00y"},
    ],
)
def test_what_is_wrong_is_said_and_changes_nothing(
    client: Client, plugin: Plugin, handbook: Document, wrong: dict[str, str]
) -> None:
    before = Document.objects.values().get()
    response = client.post(at(plugin, handbook), description(project="New", **wrong))
    assert response.context["form"].errors
    assert response.context["document"].title == "Rules on boots"
    assert Document.objects.values().get() == before


def test_saying_something_leaves_what_the_worker_writes(client: Client, plugin: Plugin, handbook: Document) -> None:
    Document.objects.update(status="embedding", chunks_done=7)
    client.post(at(plugin, handbook), description(doc_type="rules"))
    handbook.refresh_from_db()
    assert (handbook.status, handbook.chunks_done, handbook.doc_type) == ("embedding", 7, "rules")


# --- What a question finds ------------------------------------------------------------------------------


def test_what_retrieval_would_return_and_why(client: Client, plugin: Plugin, handbook: Document) -> None:
    context = client.get(at(plugin, handbook), {"q": "What boots are worn in the office? Xyzzy."}).context
    found = context["found"]
    assert context["scope"] == "document"
    assert found[0].finding.is_read
    passage = found[0].finding.passage
    assert passage.score == pytest.approx(0.5 * passage.cosine + 0.5 * passage.lexical)
    assert set(found[0].matched) >= {"boots", "office"}
    assert context["missing"] == ("Xyzzy",)
    assert {text.lower() for text, is_hit in found[0].highlights if is_hit} >= {"boots", "office"}


def test_it_finds_what_an_answer_would_read(client: Client, plugin: Plugin) -> None:
    for number in range(12):
        read(plugin, f"# Rule {number}\n\nBoots of kind {number} are worn in room {number}.", name=f"{number}.md")
    plugin.top_k = 5
    plugin.save()
    asked = "Which boots are worn in room 7?"
    question = Question(text=asked, release=snapshot(plugin), caller=Caller(name="user:1"))
    address = reverse("admin:builder_knowledge_find", args=[plugin.pk])
    found = client.get(address, {"q": asked}).context["found"]
    read_ids = [one.finding.passage.chunk_id for one in found if one.finding.is_read]
    assert read_ids == [passage.chunk_id for passage in retrieve(question)]
    assert found[5].finding.why_not == "only the best 5 are read"


def test_what_is_too_far_is_shown_with_the_reason(client: Client, plugin: Plugin, handbook: Document) -> None:
    found = client.get(at(plugin, handbook), {"q": "Who discovered the moons of Jupiter?"}).context["found"]
    assert found
    assert not any(one.finding.is_read for one in found)
    assert "needs a cosine above 0.1" in found[0].finding.why_not


def test_the_clause_that_the_question_names_is_read_as_it_is_in_an_answer(
    client: Client, plugin: Plugin, handbook: Document
) -> None:
    read(plugin, "# Site rules\n\n## 7.3 Skips\n\nThey are emptied on Fridays.", name="rules.md")
    Plugin.objects.filter(pk=plugin.pk).update(threshold=0.95)
    plugin.refresh_from_db()
    found = client.get(at(plugin, handbook), {"q": "What does clause 7.3 say about holidays?", "in": "all"})
    best = found.context["found"][0].finding
    assert (best.passage.section_path[-1], best.is_read) == ("7.3 Skips", True)


def test_one_document_or_all_of_them(client: Client, plugin: Plugin, handbook: Document) -> None:
    read(plugin, "# Gloves\n\nGloves are worn when wire is cut.", name="gloves.md")
    asked = {"q": "When are gloves worn?"}
    here = client.get(at(plugin, handbook), asked).context["found"]
    all_of_them = client.get(at(plugin, handbook), {**asked, "in": "all"}).context["found"]
    assert {one.finding.passage.document_id for one in here} == {handbook.pk}
    assert all_of_them[0].finding.passage.document_id != handbook.pk


@pytest.mark.parametrize("question", ["", "   ", "\x00", "?!", "x" * 5000])
def test_a_strange_question_is_a_question(client: Client, plugin: Plugin, handbook: Document, question: str) -> None:
    shown(client, at(plugin, handbook), q=question)


def test_a_provider_that_is_away_is_said(
    client: Client, plugin: Plugin, handbook: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(name: str) -> None:
        raise EmbedderUnavailable

    monkeypatch.setattr("querying.retrieval.search_explanation.get_embedder", away)
    assert "Nothing was searched." in shown(client, at(plugin, handbook), q="Boots?")


def test_the_text_of_a_base_that_is_only_attached_is_not_shown(client: Client, charlie: User, plugin: Plugin) -> None:
    other = Plugin.objects.create(owner=charlie, name="Hats", domain="safety", system_prompt="x")
    hats = read(other, "# Hats\n\nHats of yellow xyzzy are worn.", name="hats.md")
    attach(KnowledgeBase.objects.get(plugin=other), plugin)
    address = reverse("admin:builder_knowledge_find", args=[plugin.pk])
    content = shown(client, address, q="Which hats are worn?")
    assert hats.title in content
    assert "yellow" not in content
    assert "only attached" in content
