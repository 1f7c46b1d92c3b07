from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

from knowledge.documents import bulk_import
from knowledge.documents.bulk_import import NewText, add_texts
from knowledge.documents.lifecycle import reingest_document
from knowledge.documents.metadata_columns import InvalidMetadata
from knowledge.embedders import get_embedder
from knowledge.embedders.base import EmbedderUnavailable
from knowledge.ingest import ingest
from knowledge.models import Chunk, Document, DocumentStatus, KnowledgeBase, Revision
from knowledge.search.hybrid import BaseRevision, search
from knowledge.versions import embeddings
from tests.knowledge.bases import CountingEmbedder, add_markdown, alive, check_sound, make_base, prose, registered

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def embedder() -> Iterator[CountingEmbedder]:
    embedder = CountingEmbedder()
    with registered(embedder):
        yield embedder


def texts(*bodies: str, **fields: Any) -> list[NewText]:
    return [NewText(name=f"row-{n}", title=f"Row {n}", text=body, **fields) for n, body in enumerate(bodies, start=1)]


def found(base: KnowledgeBase, text: str) -> list[str]:
    base.refresh_from_db()
    at = BaseRevision(knowledge_base_id=base.pk, revision=base.revision, embedder=base.embedder)
    vector = get_embedder(base.embedder).embed_one(text)
    return [one.content for one in search(knowledge_bases=[at], text=text, embedding={base.embedder: vector}, limit=1)]


def test_all_texts_answer_from_one_new_revision() -> None:
    base = make_base()
    imported = add_texts(
        knowledge_base=base, texts=texts("Gulls follow the plough.", "Terns dive.", prose("x", paragraphs=6))
    )
    base.refresh_from_db()
    check_sound(base)
    assert (base.revision, imported.added, imported.chunks) == (1, 3, len(alive(base)))
    assert Revision.objects.get(knowledge_base=base).chunk_count == imported.chunks
    assert found(base, "gulls and ploughs") == ["Gulls follow the plough."]


@pytest.mark.parametrize("section", [["Birds", "Coast"], "Birds > Coast"])
def test_a_row_stands_under_the_section_that_it_names_also_when_it_is_read_again(section: Any) -> None:
    base = make_base()
    other = NewText(name="x", title="", text="They sing.")
    rows = [*texts("They dive for fish.", metadata={"section": section}), other]
    documents = add_texts(knowledge_base=base, texts=rows).documents
    chunk = Chunk.objects.get(document=documents["row-1"])
    assert chunk.section_path == ["Birds", "Coast"]
    assert found(base, "birds of the coast") == ["They dive for fish."]
    before = alive(base)
    reingest_document(Document.objects.get(pk=documents["row-1"]), enqueue=False)
    ingest(documents["row-1"])
    assert alive(base) == before


@pytest.mark.parametrize("section", [7, {"a": 1}, [], [None, " "], ""])
def test_what_is_no_section_is_none(section: Any) -> None:
    base = make_base()
    add_texts(knowledge_base=base, texts=texts("They dive for fish.", metadata={"section": section}))
    assert Chunk.objects.get().section_path == []


def test_a_text_is_stored_as_it_would_be_by_reading_it(embedder: CountingEmbedder) -> None:
    base = make_base()
    [name] = add_texts(knowledge_base=base, texts=texts("One.\r\nTwo\x00 three.\fFour.")).documents
    document = Document.objects.get(file_name=name)
    before, embedded = alive(base), len(embedder.texts)
    reingest_document(document, enqueue=False)
    ingest(document.pk)
    document.refresh_from_db()
    assert document.status == DocumentStatus.READY
    assert alive(base) == before == ["One.\nTwo three.\nFour."]
    assert len(embedder.texts) == embedded
    base.refresh_from_db()
    assert base.revision == 1


def test_the_same_texts_again_change_nothing(embedder: CountingEmbedder) -> None:
    base = make_base()
    first = add_texts(knowledge_base=base, texts=texts("Gulls.", "Terns."))
    embedded = len(embedder.texts)
    second = add_texts(knowledge_base=base, texts=texts("Gulls.", "Terns."))
    base.refresh_from_db()
    assert (second.documents, second.added, second.chunks) == (first.documents, 0, 0)
    assert (base.revision, len(embedder.texts)) == (1, embedded)


def test_texts_of_equal_bytes_share_a_document() -> None:
    base = make_base()
    imported = add_texts(knowledge_base=base, texts=texts("Gulls.", "Gulls."))
    assert imported.added == 1
    assert imported.documents["row-1"] == imported.documents["row-2"]
    assert Document.objects.get().title == "Row 1"


def test_a_text_without_a_letter_is_named_as_empty() -> None:
    imported = add_texts(knowledge_base=make_base(), texts=texts("Gulls.", " -- \n"))
    assert (imported.added, imported.empty) == (1, ("row-2",))


def test_labels_get_their_columns() -> None:
    add_texts(
        knowledge_base=make_base(),
        texts=texts("Gulls.", metadata={"doc_date": "2020-05-04", "tags": ["birds"], "by": "A"}),
    )
    document = Document.objects.get()
    assert (str(document.doc_date), document.tags, document.metadata) == ("2020-05-04", ["birds"], {"by": "A"})


def test_a_label_that_does_not_fit_stops_everything() -> None:
    with pytest.raises(InvalidMetadata):
        add_texts(knowledge_base=make_base(), texts=texts("Gulls.", metadata={"doc_date": "yesterday"}))
    assert not Document.objects.exists()


def test_a_name_that_is_taken_by_other_words_is_refused() -> None:
    base = make_base()
    add_markdown(base, "Other words.", name="row-2")
    with pytest.raises(bulk_import.NameTaken):
        add_texts(knowledge_base=base, texts=texts("Gulls.", "Terns."))
    assert Document.objects.count() == 1


def test_an_embedder_that_fails_leaves_nothing_behind(embedder: CountingEmbedder) -> None:
    def fail() -> None:
        raise EmbedderUnavailable

    base = make_base()
    embedder.trouble = fail
    with pytest.raises(EmbedderUnavailable):
        add_texts(knowledge_base=base, texts=texts("Gulls."))
    base.refresh_from_db()
    assert (base.revision, Document.objects.count()) == (0, 0)


def test_vectors_of_another_length_are_refused() -> None:
    base = make_base()
    add_texts(knowledge_base=base, texts=texts("Gulls."))
    with pytest.raises(embeddings.WrongDimensions):
        add_texts(
            knowledge_base=base,
            texts=[NewText(name="x", title="", text="Terns.")],
            embedder=CountingEmbedder(dimensions=8),
        )


def test_vectors_go_to_the_chunk_they_were_made_of(monkeypatch: pytest.MonkeyPatch, embedder: CountingEmbedder) -> None:
    monkeypatch.setattr(bulk_import, "DOCUMENTS_PER_BATCH", 2)
    heard: list[Sequence[int]] = []
    base = make_base()
    bodies = [
        prose(word, paragraphs=count) for word, count in (("oil", 4), ("gas", 1), ("tar", 7), ("wax", 2), ("ash", 5))
    ]
    add_texts(knowledge_base=base, texts=texts(*bodies), on_progress=lambda *done: heard.append(done))
    check_sound(base)
    for document in Document.objects.all():
        for chunk in document.chunks.all():
            [window] = embedder.windows(title_path=document.title, text=chunk.content)
            stored = chunk.embeddings.get().vector
            assert np.allclose(stored, embedder.embed([window])[0], atol=2e-3)
    assert heard == [(2, 5), (4, 5), (5, 5)]
