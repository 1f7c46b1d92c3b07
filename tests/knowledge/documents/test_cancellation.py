"""Reading that is stopped: what answered before goes on answering, and a worker in the middle of it notices."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import pytest
from django.utils import timezone

from knowledge.documents.cancellation import NothingToCancel, cancel_ingestion
from knowledge.documents.lifecycle import reingest_document, replace_file
from knowledge.documents.source_file import DuplicateContent
from knowledge.ingest import ingest
from knowledge.models import Chunk, Document, Embedding, KnowledgeBase, Page
from lexic.errors import NotFound
from tests.knowledge.bases import CountingEmbedder, add_markdown, alive, check_sound, make_base, prose, registered
from tests.remembered import remembered

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def embedder() -> Iterator[CountingEmbedder]:
    embedder = CountingEmbedder()
    with registered(embedder):
        yield embedder


@pytest.fixture
def base() -> KnowledgeBase:
    return make_base()


@pytest.fixture
@remembered
def document(base: KnowledgeBase) -> Document:
    """Ready, as `notes.md`."""
    document = add_markdown(base, "Wear boots.")
    ingest(document.pk)
    document.refresh_from_db()
    return document


def newer(document: Document, text: str = "Wear shoes.", name: str = "shoes.txt") -> Document:
    return replace_file(document, file_name=name, stream=io.BytesIO(text.encode()), enqueue=False)


def stop_within(embedder: CountingEmbedder, document: Document) -> None:
    """Somebody stops the reading while the first batch is being embedded."""

    def stop() -> None:
        embedder.trouble = lambda: None
        cancel_ingestion(document)

    embedder.trouble = stop


def nothing_is_staged() -> bool:
    return not any(model.objects.staged().exists() for model in (Page, Chunk, Embedding))


def test_a_document_that_never_answered_is_gone(base: KnowledgeBase) -> None:
    assert cancel_ingestion(add_markdown(base, "Wear boots.")) is None
    assert not Document.objects.exists()
    base.refresh_from_db()
    assert base.revision == 0


def test_a_newer_version_that_waits_is_forgotten(base: KnowledgeBase, document: Document) -> None:
    before = Document.objects.values().get()
    cancel_ingestion(newer(document))
    after = Document.objects.values().get()
    moments = {"updated_at": None, "queued_at": None}
    assert after | moments == before | moments
    assert alive(base) == ["Wear boots."]


def test_a_newer_version_that_could_not_be_read_is_forgotten(base: KnowledgeBase, document: Document) -> None:
    newer(document, text="...")
    ingest(document.pk)
    document.refresh_from_db()
    assert document.status == "failed"
    kept = cancel_ingestion(document)
    assert kept
    assert (kept.status, kept.error, kept.file_name, kept.source_type) == ("ready", "", "notes.md", "markdown")
    assert alive(base) == ["Wear boots."]


def test_a_worker_in_the_middle_of_it_stops_and_leaves_nothing_behind(
    base: KnowledgeBase, document: Document, embedder: CountingEmbedder
) -> None:
    newer(document, text=prose("pump", paragraphs=400))
    embedder.texts.clear()
    stop_within(embedder, document)
    ingest(document.pk)
    document.refresh_from_db()
    assert (document.status, alive(base)) == ("ready", ["Wear boots."])
    assert 0 < len(embedder.texts) < 200
    assert nothing_is_staged()
    check_sound(base)


def test_a_worker_that_reads_a_new_document_stops_as_well(base: KnowledgeBase, embedder: CountingEmbedder) -> None:
    document = add_markdown(base, prose("pump", paragraphs=400))
    stop_within(embedder, document)
    ingest(document.pk)
    assert not Document.objects.exists()
    assert nothing_is_staged()


def test_reading_the_same_bytes_again_can_be_stopped_too(
    base: KnowledgeBase, document: Document, embedder: CountingEmbedder
) -> None:
    Document.objects.update(title="Boots")  # so that all of it is embedded anew
    document.refresh_from_db()
    reingest_document(document, enqueue=False)
    stop_within(embedder, document)
    ingest(document.pk)
    document.refresh_from_db()
    base.refresh_from_db()
    assert (document.status, base.revision) == ("ready", 1)
    assert nothing_is_staged()


def test_what_is_ready_or_gone_cannot_be_stopped(document: Document) -> None:
    with pytest.raises(NothingToCancel):
        cancel_ingestion(document)
    Document.objects.update(removed_in=2)
    with pytest.raises(NotFound):
        cancel_ingestion(document)


def test_bytes_that_another_document_has_taken_do_not_come_back(base: KnowledgeBase, document: Document) -> None:
    newer(document)
    add_markdown(base, "Wear boots.", name="other.md")
    with pytest.raises(DuplicateContent):
        cancel_ingestion(document)
    document.refresh_from_db()
    assert document.status == "queued"


def test_rows_from_before_names_were_kept_have_their_type_on_their_chunks(document: Document) -> None:
    Document.objects.update(ready_file_name="", ready_source_type="")
    newer(document)
    kept = cancel_ingestion(document)
    assert kept
    assert kept.source_type == "markdown"


def test_a_retry_of_a_running_document_leaves_it_running(document: Document) -> None:
    Document.objects.update(status="embedding", chunks_done=7, updated_at=timezone.now())
    reingest_document(document, enqueue=False)
    document.refresh_from_db()
    assert (document.status, document.chunks_done) == ("embedding", 7)


def test_a_new_name_in_the_middle_of_reading_is_not_lost(
    base: KnowledgeBase, embedder: CountingEmbedder, monkeypatch: Any
) -> None:
    document = add_markdown(base, prose("pump", paragraphs=100))

    def rename() -> None:
        embedder.trouble = lambda: None
        Document.objects.update(title="Pumps")
        reingest_document(document, enqueue=False)

    embedder.trouble = rename
    ingest(document.pk)
    document.refresh_from_db()
    assert (document.title, document.status) == ("Pumps", "ready")
    assert set(Chunk.objects.filter(removed_in=None).values_list("document_title", flat=True)) == {"Pumps"}
    check_sound(base)
