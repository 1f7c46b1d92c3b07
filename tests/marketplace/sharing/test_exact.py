"""A copy answers exactly as its original: the same passages, words, spans, outcome and confidence."""

from __future__ import annotations

import io
from dataclasses import asdict
from typing import Any

import pytest
from asgiref.sync import async_to_sync

from accounts.models import User
from knowledge.code_location import place_on_page
from knowledge.embedders import LocalEmbedder, get_embedder
from knowledge.ingest import ingest
from knowledge.models import Chunk, Document, Embedding, KnowledgeBase, Page, Revision
from knowledge.versions.reembed import reembed_base
from marketplace.publishing.publish import publish
from marketplace.sharing.installs import import_plugin_file, install_copy
from marketplace.sharing.release_files import release_file
from plugins.models import Plugin, Release
from querying import pipeline, releases
from querying.retrieval import retriever
from querying.types.answer import Answer
from querying.types.events import Done
from querying.types.question import Caller, Question
from tests.knowledge.bases import CountingEmbedder, registered
from tests.marketplace.sharing.conftest import QUESTIONS

pytestmark = pytest.mark.django_db


def asked(release: Release, text: str, facts: dict[str, Any]) -> Question:
    return Question(text=text, release=release, caller=Caller(name="test", is_evaluation=True), facts=facts)


def answered(question: Question) -> Answer:
    done = async_to_sync(pipeline.answer)(question)
    assert isinstance(done, Done)
    return done.answer


def passage(one: Any) -> tuple[Any, ...]:
    where = (one.document_title, one.source_type, one.page_number, one.section_path, one.start, one.end)
    return (*where, one.content, one.cosine, one.lexical, one.score)


def seen(release: Release, text: str, facts: dict[str, Any]) -> dict[str, Any]:
    """Everything about an answer that does not say where it is kept."""
    question = asked(release, text, facts)
    said = answered(question)
    return {
        "passages": [passage(one) for one in retriever.retrieve(question)],
        "text": said.text,
        "outcome": (said.outcome, said.reason, said.why),
        "citations": [(c.number, c.start, c.end, c.excerpt, c.score, passage(c.passage)) for c in said.citations],
        "confidence": (said.confidence, asdict(said.basis) if said.basis else None),
        "path": [{**step, "tree": None} for step in said.decision_path],
        "asks": said.clarification.question if said.clarification else None,
        "nearest": [passage(one) for one in said.nearest],
    }


def all_seen(release: Release) -> list[dict[str, Any]]:
    return [seen(release, text, facts) for text, facts in QUESTIONS]


@pytest.fixture
def installed(drafted: Plugin, charlie: User, monkeypatch: pytest.MonkeyPatch) -> Plugin:
    """Charlie's copy, made while the draft of the original says other things, and without embedding anything."""
    with monkeypatch.context() as patched:
        patched.setattr(LocalEmbedder, "embed_chunks", None)
        return install_copy(drafted.slug, by=charlie).install.copy


def test_a_copy_answers_exactly_as_the_release(release: Release, installed: Plugin) -> None:
    original, copy = all_seen(release), all_seen(releases.snapshot(installed))
    assert copy == original
    outcomes = {str(one["outcome"][0]) for one in original}
    assert {"answered", "refused", "clarify"} <= outcomes  # or the comparison says little
    assert any(one["citations"] for one in original)


def test_a_copy_of_a_release_from_before_its_base_moved_answers_as_it_does(
    release: Release, drafted: Plugin, charlie: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = all_seen(release)
    with registered(CountingEmbedder("new", dimensions=24)):
        reembed_base(drafted.knowledge_base, embedder=get_embedder("new"))
        with monkeypatch.context() as patched:
            patched.setattr(LocalEmbedder, "embed_chunks", None)
            copy = install_copy(drafted.slug, by=charlie).install.copy
    assert all_seen(release) == all_seen(releases.snapshot(copy)) == original
    assert (copy.knowledge_base.embedder, copy.knowledge_base.dimensions) == ("local", 384)


def test_its_golden_questions_are_those_that_were_there(release: Release, installed: Plugin) -> None:
    questions = list(installed.golden_questions.order_by("pk").values_list("question", "facts"))
    assert questions == [(text, facts) for text, facts in QUESTIONS]


def test_it_can_be_published_and_answers_the_same_again(release: Release, installed: Plugin, charlie: User) -> None:
    own = publish(installed, by=charlie).release
    assert all_seen(own) == all_seen(release)


def test_the_rows_are_the_same(release: Release, installed: Plugin) -> None:
    pinned = releases.pinned_bases(release)
    copied = list(KnowledgeBase.objects.of_plugin(installed))
    assert len(copied) == len(pinned) == 2
    assert {base.owner for base in copied} == {installed.owner}
    for base, then in zip(copied, pinned, strict=True):
        assert rows(base.pk, base.revision) == rows(then.knowledge_base_id, then.revision)
        assert figures(base.pk, base.revision) == figures(then.knowledge_base_id, then.revision)


def rows(base: int, revision: int) -> list[list[tuple[Any, ...]]]:
    chunks = Chunk.objects.alive_at(revision).filter(knowledge_base=base).order_by("pk")
    pages = Page.objects.alive_at(revision).filter(document__knowledge_base=base).order_by("pk")
    vectors = Embedding.objects.alive_at(revision).filter(knowledge_base=base).order_by("chunk", "window")
    details = ("label", "source_sha256", "repository_path", "commit")
    span = ("index", "start", "end", "section_path", "content", "content_hash", "document_title", "source_type")
    return [
        [(*row[:5], bytes(row[5]), *row[6:]) for row in chunks.values_list(*span)],
        [(one.word_boxes, one.number, one.text, *(getattr(one, name) for name in details)) for one in pages],
        [(window, str(vector)) for window, vector in vectors.values_list("window", "vector")],
    ]


def test_a_copy_of_files_of_a_repository_names_the_same_lines(drafted: Plugin, charlie: User) -> None:
    original = Page.objects.get(document__title="Site notes")
    original.repository_path, original.commit = "docs/site.md", "c0ffee00" * 5
    original.save()
    installed = install_copy(drafted.slug, by=charlie).install.copy
    copied = Page.objects.get(document__title="Site notes", document__knowledge_base__owner=installed.owner)
    assert place_on_page(copied, start=2, end=30) == place_on_page(original, start=2, end=30)
    assert copied.repository_path == "docs/site.md"


def figures(base: int, revision: int) -> tuple[int, int]:
    row = Revision.objects.filter(knowledge_base=base, number__lte=revision).order_by("-number").first()
    assert row is not None
    return row.chunk_count, row.term_total


def test_by_file_it_is_the_same(release: Release, drafted: Plugin, bob: User) -> None:
    with release_file(release).open() as file:
        content = file.read()
    drafted.delete()  # as on another site
    before = Embedding.objects.count()
    copy = import_plugin_file(io.BytesIO(content), owner=bob, slug="copied").plugin
    assert Embedding.objects.count() > before
    assert not copy.installed_from.is_unverified_origin  # this site has signed it
    assert (copy.installed_from.original_name, copy.installed_from.original_author) == ("Concrete cover", "Alice")
    assert seen(releases.snapshot(copy), *QUESTIONS[0])["citations"]
    made = Embedding.objects.count()
    for document in Document.objects.of_plugin(copy):
        assert document.is_unverified
        ingest(document.pk)
    # What reads as the file says keeps its rows: nothing is embedded again.
    assert Embedding.objects.count() == made
    assert set(Document.objects.of_plugin(copy).values_list("status", "is_unverified")) == {("ready", False)}
    assert seen(releases.snapshot(copy), *QUESTIONS[0])["citations"]
