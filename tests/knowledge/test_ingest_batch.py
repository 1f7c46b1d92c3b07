"""Small documents that wait for one knowledge base are read together: one run of the model, one revision."""

from __future__ import annotations

import io
from typing import Any

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from knowledge import ingest_batch as together
from knowledge import ingest_scheduling, lease, tasks
from knowledge.documents.lifecycle import add_url, delete_document, reingest_document, replace_file
from knowledge.embedders import EmbedderUnavailable
from knowledge.ingest import ingest
from knowledge.models import Chunk, Document, Embedding, KnowledgeBase, Page, Revision
from knowledge.search import term_statistics
from knowledge.versions import publish_version, writer
from tests.knowledge.bases import (
    CountingEmbedder,
    Crash,
    add_markdown,
    add_pdf,
    alive,
    check_sound,
    make_base,
    prose,
)
from tests.knowledge.factories import at
from webhooks.models import Delivery, Webhook

pytestmark = pytest.mark.django_db


def give(base: KnowledgeBase, count: int) -> list[Document]:
    texts = [f"# Pump {number}\n\n{prose(f'pump {number}', paragraphs=number % 4 + 1)}" for number in range(count)]
    return [add_markdown(base, text, name=f"pump-{number}.md") for number, text in enumerate(texts)]


def run(document: Document) -> None:
    tasks.ingest_document.apply(kwargs={"document_id": str(document.pk)}, throw=True)


def run_all(documents: list[Document]) -> None:
    """A worker gets a message for each, whatever it has read by then."""
    for document in documents:
        run(document)


def states(documents: list[Document]) -> list[str]:
    found = dict(Document.objects.filter(pk__in=[one.pk for one in documents]).values_list("pk", "status"))
    return [found[one.pk] for one in documents]


def test_they_are_one_revision_and_one_run_of_the_model(embedder: CountingEmbedder) -> None:
    base = make_base()
    documents = give(base, 8)
    batches: list[int] = []
    embedder.trouble = lambda: batches.append(1)
    run(documents[0])
    assert states(documents) == ["ready"] * 8
    base.refresh_from_db()
    assert (base.revision, len(batches)) == (1, 1)
    assert set(base.documents.values_list("added_in", flat=True)) == {1}
    assert Revision.objects.get(knowledge_base=base).chunk_count == len(alive(base))
    check_sound(base)


def test_they_are_read_as_each_would_be_by_itself(embedder: CountingEmbedder) -> None:
    one_by_one, base = make_base(name="alone"), make_base(name="together")
    for document in give(one_by_one, 6):
        ingest(document.pk)
    run_all(give(base, 6))
    columns = ("title", "status", "pages_total", "pages_done", "chunks_total", "chunks_done", "page_count", "language")
    columns += ("ready_sha256", "ready_file_name", "ready_source_type", "error", "error_code", "metadata")
    chunks = ("index", "start", "end", "section_path", "content", "document_title", "source_type", "is_paged")
    pages = ("number", "text", "label", "words", "headings", "source_sha256", "reader_state")

    def said(of: KnowledgeBase) -> Any:
        hashes = [bytes(digest) for digest in of.chunks.order_by("content").values_list("content_hash", flat=True)]
        vectors = Embedding.objects.filter(knowledge_base=of).order_by("chunk__content", "window")
        return (
            list(of.documents.order_by("title").values(*columns)),
            list(of.chunks.order_by("document__title", "index").values(*chunks)),
            list(Page.objects.filter(document__knowledge_base=of).order_by("document__title").values(*pages)),
            hashes,
            list(vectors.values_list("vector", flat=True)),
        )

    assert said(base) == said(one_by_one)
    one_by_one.refresh_from_db()
    base.refresh_from_db()
    weights = [
        term_statistics.term_weights(knowledge_bases=read, terms=["pump", "valv", "ledger"])
        for read in ([at(one_by_one)], [at(base)])
    ]
    assert weights[0] == weights[1]


def test_they_cost_few_statements(embedder: CountingEmbedder) -> None:
    def statements(count: int) -> int:
        documents = give(make_base(name=f"base of {count}"), count)
        with CaptureQueriesContext(connection) as queries:
            run(documents[0])
        assert states(documents) == ["ready"] * count
        return len(queries)

    few, more = statements(4), statements(12)
    assert more - few <= 8 * 2, "a further document costs two statements"


def test_one_that_cannot_be_read_fails_alone(embedder: CountingEmbedder) -> None:
    base = make_base()
    documents = give(base, 3)
    damaged = add_markdown(base, "PK\x03\x04 no archive", name="damaged.docx")
    empty = add_markdown(base, " \n\n ", name="empty.md")
    run(documents[0])
    assert states(documents) == ["ready"] * 3
    for document, code in ((damaged, "damaged"), (empty, "empty")):
        document.refresh_from_db()
        assert (document.status, document.error_code) == ("failed", code)
        assert document.error.endswith(".")
    assert Page.objects.count() == 3
    check_sound(base)


def test_webhooks_are_told_of_each(embedder: CountingEmbedder) -> None:
    base = make_base()
    Webhook.objects.create(
        plugin=base.plugin,
        url="https://example.org/hook",
        events=["document.ready", "document.failed"],
        secret_encrypted="x",
    )
    documents = [*give(base, 3), add_markdown(base, "PK\x03\x04 no archive", name="damaged.docx")]
    run(documents[0])
    told = Delivery.objects.values_list("event", "data__document__id", "data__document__title")
    expected = [("document.ready", str(one.pk), one.title) for one in documents[:3]]
    assert sorted(told) == sorted([*expected, ("document.failed", str(documents[3].pk), documents[3].title)])
    assert Delivery.objects.values("event_id").distinct().count() == 4


def test_a_text_that_occurs_twice_or_is_known_is_embedded_once(embedder: CountingEmbedder) -> None:
    base = make_base()
    text = prose("pump", paragraphs=2)
    ingest(add_markdown(base, text, name="a/pumps.md").pk)
    known = len(embedder.texts)
    documents = [add_markdown(base, "\n" * count + text, name=f"{count}/pumps.md") for count in (1, 2)]
    documents += [add_markdown(base, "\n" * count + "Wear boots.", name=f"{count}/boots.md") for count in (1, 2)]
    run(documents[0])
    assert states(documents) == ["ready"] * 4
    assert len(embedder.texts) == known + 1
    check_sound(base)


def test_an_embedder_that_is_away_leaves_all_to_be_read_later(
    embedder: CountingEmbedder, sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    base = make_base()
    documents = give(base, 4)

    def away() -> None:
        raise EmbedderUnavailable

    embedder.trouble = away
    retried: list[dict[str, Any]] = []

    def retry(**options: Any) -> EmbedderUnavailable:
        retried.append(options)
        return EmbedderUnavailable()

    monkeypatch.setattr(tasks.ingest_document, "retry", retry)
    with pytest.raises(EmbedderUnavailable):
        run(documents[0])
    assert states(documents) == ["embedding", "queued", "queued", "queued"]
    assert set(sent) == {str(one.pk) for one in documents[1:]}, "each has a message of its own again"
    assert len(retried) == 1
    embedder.trouble = lambda: None
    run_all(documents)
    assert states(documents) == ["ready"] * 4
    check_sound(base)


POINTS = [
    (together, "_read_and_plan"),
    (together.embeddings, "embed_texts"),
    (publish_version, "publish_new"),
    (writer, "write_documents"),
    (writer, "advance_revision"),
    (publish_version, "_write_ready"),
]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("module", "name"), POINTS)
def test_a_crash_anywhere_is_made_good(
    embedder: CountingEmbedder, monkeypatch: pytest.MonkeyPatch, module: Any, name: str
) -> None:
    base = make_base()
    documents = give(base, 4)
    original, calls = getattr(module, name), iter(range(1, 99))

    def dying(*args: Any, **kwargs: Any) -> Any:
        if next(calls) == (2 if name in {"_read_and_plan", "_write_ready"} else 1):
            raise Crash
        return original(*args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(module, name, dying)
        with pytest.raises(Crash):
            tasks.ingest_document.run(document_id=str(documents[0].pk))
    assert alive(base) == []
    assert not any(lease.is_leased(one.pk) for one in documents)
    run_all(documents)
    assert states(documents) == ["ready"] * 4
    assert len(alive(base)) == len(set(alive(base)))
    check_sound(base)


def test_a_database_that_is_lost_is_for_the_caller(embedder: CountingEmbedder) -> None:
    documents = give(make_base(), 2)

    def lost() -> None:
        raise OperationalError("the connection is closed")

    embedder.trouble = lost
    with pytest.raises(OperationalError):
        together.ingest_together([one.pk for one in documents])


def test_what_may_have_ended_a_worker_is_read_by_itself(embedder: CountingEmbedder) -> None:
    base = make_base()
    documents = give(base, 3)
    tasks._count_start(str(documents[0].pk))  # a start without an end
    run(documents[0])
    assert states(documents) == ["ready", "queued", "queued"]


def test_those_that_are_no_longer_wanted_stay_as_they_are(embedder: CountingEmbedder) -> None:
    base = make_base()
    deleted, replaced, kept = give(base, 3)

    def meanwhile() -> None:
        embedder.trouble = lambda: None
        delete_document(deleted)
        stream = io.BytesIO(b"The new rule: wear gloves.")
        replace_file(replaced, file_name=replaced.file_name, stream=stream, enqueue=False)

    embedder.trouble = meanwhile
    run_all([kept, replaced])
    assert not Document.objects.filter(pk=deleted.pk).exists()
    assert states([replaced, kept]) == ["ready", "ready"]
    assert "The new rule: wear gloves." in alive(base)
    assert Chunk.objects.filter(document=replaced).count() == 1
    check_sound(base)


def test_one_that_somebody_else_reads_is_left_to_them(embedder: CountingEmbedder) -> None:
    documents = give(make_base(), 3)
    with lease.document_lease(documents[1].pk):
        assert together.ingest_together([one.pk for one in documents]) == []
    assert states(documents) == ["ready", "queued", "ready"]


def test_what_takes_long_is_left_for_later(
    embedder: CountingEmbedder, sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    base = make_base()
    documents = give(base, 3)
    monkeypatch.setattr(together, "MAX_SECONDS", -1.0)
    run(documents[0])
    assert states(documents) == ["ready", "queued", "queued"]
    monkeypatch.setattr(together, "MAX_CHARACTERS", 10)
    run_all(documents[1:])
    assert states(documents) == ["ready"] * 3
    check_sound(base)


def test_only_small_new_files_of_the_same_base_are_read_beside(embedder: CountingEmbedder, settings: Any) -> None:
    base = make_base()
    first, second, large, known = give(base, 4)
    other = give(make_base(name="other"), 1)[0]
    page = add_pdf(base, ["A page about valves."])
    address = add_url(knowledge_base=base, url="https://example.org/rules", enqueue=False).document
    Document.objects.filter(pk=large.pk).update(file_bytes=ingest_scheduling.SMALL_BYTES + 1)
    ingest(known.pk)
    reingest_document(known, enqueue=False)
    assert ingest_scheduling.claim_small_beside(page.pk) == []
    Document.objects.filter(pk=first.pk).update(status="reading")
    settings.QUOTAS = settings.QUOTAS | {"account_reads": 3}
    assert ingest_scheduling.claim_small_beside(first.pk) == []
    settings.QUOTAS = settings.QUOTAS | {"account_reads": 0}
    assert ingest_scheduling.claim_small_beside(first.pk) == [second.pk]
    assert states([first, second]) == ["reading"] * 2
    assert set(states([large, known, other, page, address])) == {"queued"}
