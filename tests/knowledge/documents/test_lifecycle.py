from __future__ import annotations

import datetime as dt
import io
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from kombu import Connection

from knowledge import tasks
from knowledge.documents.lifecycle import (
    add_file,
    add_text,
    add_url,
    delete_document,
    reingest_document,
    replace_file,
)
from knowledge.documents.metadata_columns import InvalidMetadata
from knowledge.documents.source_file import DuplicateContent
from knowledge.ingest import ingest
from knowledge.models import Chunk, ChunkTerms, Document, Embedding, Page
from knowledge.prune import delete_orphaned_files, pinned_revisions, prune_knowledge_base
from lexic.errors import InvalidInput, LexicError, NotFound
from tests.knowledge.bases import (
    CountingEmbedder,
    alive,
    check_sound,
    make_base,
    pin,
    registered,
)
from tests.stored_files import stored_path

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def embedder() -> Iterator[CountingEmbedder]:
    embedder = CountingEmbedder()
    with registered(embedder):
        yield embedder


def upload(base: Any, content: bytes, name: str = "notes.md", **options: Any) -> Any:
    return add_file(knowledge_base=base, file_name=name, stream=io.BytesIO(content), **options)


def test_a_file_is_stored_and_queued(sent: list[str], django_capture_on_commit_callbacks: Any) -> None:
    base = make_base()
    with django_capture_on_commit_callbacks(execute=True):
        added = upload(base, b"# Boots\n\nWear boots.")
    document = added.document
    assert added.is_new
    assert (document.title, document.file_name, document.source_type) == ("notes", "notes.md", "markdown")
    assert document.status == "queued"
    assert stored_path(document.sha256).read_bytes() == b"# Boots\n\nWear boots."
    assert sent == [str(document.pk)]


def test_without_a_worker_nothing_is_sent(sent: list[str], django_capture_on_commit_callbacks: Any) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        upload(make_base(), b"Wear boots.", enqueue=False)
    assert sent == []


def test_the_same_bytes_are_the_same_document(sent: list[str], django_capture_on_commit_callbacks: Any) -> None:
    base = make_base()
    first = upload(base, b"Wear boots.", enqueue=False).document
    ingest(first.pk)
    with django_capture_on_commit_callbacks(execute=True):
        again = upload(base, b"Wear boots.", name="other.md")
    assert (again.document.pk, again.is_new) == (first.pk, False)
    assert Document.objects.count() == 1
    assert sent == []


def test_the_same_bytes_in_another_base_are_another_document() -> None:
    one = upload(make_base(name="one"), b"Wear boots.").document
    two = upload(make_base(name="two"), b"Wear boots.").document
    assert one.pk != two.pk


def test_the_same_bytes_are_read_again_when_they_had_failed(
    sent: list[str], django_capture_on_commit_callbacks: Any
) -> None:
    base = make_base()
    document = upload(base, b"Wear boots.", enqueue=False).document
    Document.objects.update(status="failed", error="Something.", error_code="x")
    with django_capture_on_commit_callbacks(execute=True):
        again = upload(base, b"Wear boots.")
    assert (again.document.pk, again.is_new) == (document.pk, False)
    document.refresh_from_db()
    assert (document.status, document.error, document.error_code) == ("queued", "", "")
    assert sent == [str(document.pk)]


def test_other_bytes_under_the_same_name_are_a_new_version() -> None:
    base = make_base()
    first = upload(base, b"Wear boots.").document
    ingest(first.pk)
    second = upload(base, b"Wear gloves.")
    assert (second.document.pk, second.is_new) == (first.pk, False)
    assert alive(base) == ["Wear boots."]
    ingest(first.pk)
    assert alive(base) == ["Wear gloves."]
    check_sound(base)


def test_going_back_to_the_version_that_answers_makes_no_revision() -> None:
    base = make_base()
    document = upload(base, b"Wear boots.").document
    ingest(document.pk)
    upload(base, b"Wear gloves.")
    upload(base, b"Wear boots.")
    ingest(document.pk)
    assert alive(base) == ["Wear boots."]
    assert base.revision == 1


def test_a_document_can_be_replaced_under_another_name() -> None:
    base = make_base()
    document = upload(base, b"Wear boots.").document
    ingest(document.pk)
    replace_file(document, file_name="new.txt", stream=io.BytesIO(b"Wear gloves."))
    ingest(document.pk)
    document.refresh_from_db()
    assert (document.file_name, document.source_type, document.status) == ("new.txt", "text", "ready")
    assert alive(base) == ["Wear gloves."]


def test_a_document_is_not_replaced_by_another_ones_bytes() -> None:
    base = make_base()
    upload(base, b"Wear gloves.", name="gloves.md")
    boots = upload(base, b"Wear boots.", name="boots.md").document
    with pytest.raises(DuplicateContent):
        replace_file(boots, file_name="boots.md", stream=io.BytesIO(b"Wear gloves."))


def test_what_nobody_can_read_is_refused_at_the_door() -> None:
    base = make_base()
    for content in (b"", b"\x7fELF\x02\x01\x00\x00", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        with pytest.raises(LexicError):
            upload(base, content, name="thing.bin")
    assert Document.objects.count() == 0


def test_a_file_that_is_too_large_is_refused(settings: Any) -> None:
    settings.LEXIC_MAX_DOCUMENT_BYTES = 1000
    with pytest.raises(LexicError) as refused:
        upload(make_base(), b"Wear boots. " * 1000)
    assert refused.value.code == "too_large"
    assert Document.objects.count() == 0


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd.md", "../../etc/passwd.md"),
        ("a\x00b\n.md", "a b.md"),
        ("", "document"),
        ("x" * 400 + ".md", "x" * 297 + ".md"),
    ],
)
def test_names_are_text_and_never_paths(given: str, kept: str) -> None:
    document = upload(make_base(), b"Wear boots.", name=given).document
    assert document.file_name == kept
    assert "/" not in document.title


def test_labels_go_to_their_columns_and_the_rest_is_kept() -> None:
    metadata = {"doc_type": "standard", "doc_date": "2024-05-01", "tags": ["water", "pump"], "clause": "26.4"}
    document = upload(make_base(), b"Wear boots.", metadata=metadata).document
    document.refresh_from_db()
    assert (document.doc_type, document.doc_date) == ("standard", dt.date(2024, 5, 1))
    assert document.tags == ["water", "pump"]
    assert document.metadata == {"clause": "26.4"}


@pytest.mark.parametrize("metadata", [{"doc_date": "yesterday"}, {"is_public": "maybe"}, {"doc_type": "x" * 61}])
def test_labels_that_do_not_fit_are_refused_by_name(metadata: dict[str, Any]) -> None:
    with pytest.raises(InvalidMetadata, match=next(iter(metadata))):
        upload(make_base(), b"Wear boots.", metadata=metadata)


def test_what_a_file_says_about_itself_fills_in_what_nobody_said() -> None:
    base = make_base()
    said = b"---\ndoc_type: standard\nproject: dam\nauthor: Ada\n---\n\nWear boots.\n"
    document = upload(base, said, metadata={"project": "bridge"}).document
    ingest(document.pk)
    document.refresh_from_db()
    assert document.metadata.get("file", {}).get("author") == "Ada"
    assert (document.doc_type, document.project) == ("standard", "bridge")


def test_text_is_a_document() -> None:
    base = make_base()
    added = add_text(knowledge_base=base, title="Boots", text="Wear\x00 boots.", enqueue=False)
    ingest(added.document.pk)
    assert alive(base) == ["Wear  boots."]
    again = add_text(knowledge_base=base, title="Boots", text="Wear gloves.", enqueue=False)
    assert (again.document.pk, again.is_new) == (added.document.pk, False)
    assert again.document.title == "Boots"


def test_what_is_said_with_an_address_that_is_known_holds_from_then_on() -> None:
    base = make_base()
    said = {"knowledge_base": base, "url": "https://example.org/x", "enqueue": False}
    add_url(**said, title="First", metadata={"project": "P", "by": "Ada"})
    document = add_url(**said, title="Second", metadata={"doc_type": "standard"}).document
    document.refresh_from_db()
    assert (document.title, document.project, document.doc_type) == ("Second", "P", "standard")
    assert document.metadata == {"by": "Ada"}
    add_url(**said)
    document.refresh_from_db()
    assert (document.title, document.doc_type) == ("Second", "standard")


def test_an_address_is_a_document_once() -> None:
    base = make_base()
    first = add_url(knowledge_base=base, url="https://example.org/rules", enqueue=False)
    again = add_url(knowledge_base=base, url="https://example.org/rules", enqueue=False)
    assert (first.is_new, again.is_new) == (True, False)
    assert first.document.pk == again.document.pk
    assert (first.document.source_type, first.document.status) == ("url", "queued")


@pytest.mark.parametrize("url", ["file:///etc/passwd", "example.org", "http://", "http://[::1", "javascript:alert(1)"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(InvalidInput):
        add_url(knowledge_base=make_base(), url=url)


def test_a_deleted_document_stops_answering_and_its_release_does_not() -> None:
    base = make_base()
    keep, go = upload(base, b"Wear boots.", "a.md").document, upload(base, b"Wear gloves.", "b.md").document
    ingest(keep.pk)
    ingest(go.pk)
    release = pin(base)
    delete_document(go)
    assert alive(base) == ["Wear boots."]
    base.refresh_from_db()
    assert base.revision == 3
    pinned = Chunk.objects.filter(knowledge_base=base).alive_at(release.knowledge[0]["revision"])
    assert sorted(pinned.values_list("content", flat=True)) == ["Wear boots.", "Wear gloves."]
    assert not Document.objects.present().filter(pk=go.pk).exists()


def test_deleting_twice_is_deleting_once() -> None:
    base = make_base()
    document = upload(base, b"Wear boots.").document
    ingest(document.pk)
    delete_document(document)
    delete_document(document)
    base.refresh_from_db()
    assert base.revision == 2
    with pytest.raises(NotFound):
        reingest_document(document)


def test_a_document_that_never_was_ready_leaves_no_trace() -> None:
    base = make_base()
    document = upload(base, b"Wear boots.").document
    delete_document(document)
    base.refresh_from_db()
    assert (Document.objects.count(), base.revision) == (0, 0)


def test_a_deleted_document_can_be_added_again() -> None:
    base = make_base()
    first = upload(base, b"Wear boots.").document
    ingest(first.pk)
    delete_document(first)
    second = upload(base, b"Wear boots.")
    ingest(second.document.pk)
    assert second.is_new
    assert alive(base) == ["Wear boots."]


def rows() -> list[int]:
    return [model.objects.count() for model in (Document, Page, Chunk, ChunkTerms, Embedding)]


def test_pruning_deletes_what_no_release_pins() -> None:
    base = make_base()
    document = upload(base, b"Wear boots.").document
    ingest(document.pk)
    upload(base, b"Wear gloves.")
    ingest(document.pk)
    assert rows() == [1, 2, 2, 2, 2]
    assert prune_knowledge_base(base, older_than=timedelta(0)) == 1
    assert rows() == [1, 1, 1, 1, 1]
    delete_document(document)
    assert prune_knowledge_base(base, older_than=timedelta(0)) == 1
    assert rows() == [0, 0, 0, 0, 0]


def test_pruning_keeps_what_a_release_pins() -> None:
    base = make_base()
    document = upload(base, b"Wear boots.").document
    ingest(document.pk)
    release = pin(base)
    upload(base, b"Wear gloves.")
    ingest(document.pk)
    upload(base, b"Wear a helmet.")
    ingest(document.pk)
    delete_document(document)
    assert pinned_revisions(base) == [1]
    assert prune_knowledge_base(base, older_than=timedelta(0)) == 2
    assert list(Chunk.objects.alive_at(1).values_list("content", flat=True)) == ["Wear boots."]
    assert rows() == [1, 1, 1, 1, 1]
    release.delete()
    prune_knowledge_base(base, older_than=timedelta(0))
    assert rows() == [0, 0, 0, 0, 0]


def test_pruning_spares_what_was_removed_a_moment_ago() -> None:
    base = make_base()
    document = upload(base, b"Wear boots.").document
    ingest(document.pk)
    delete_document(document)
    assert prune_knowledge_base(base) == 0
    assert Chunk.objects.count() == 1


def test_files_go_when_nothing_comes_from_them() -> None:
    one, two = make_base(name="one"), make_base(name="two")
    content = b"A text that only these two knowledge bases hold."
    first, second = upload(one, content).document, upload(two, content).document
    path = stored_path(first.sha256)
    for base, document in ((one, first), (two, second)):
        assert path.exists()
        ingest(document.pk)
        delete_document(document)
        prune_knowledge_base(base, older_than=timedelta(0))
    assert path.exists()  # it may be part of an upload that has just begun
    delete_orphaned_files({first.sha256}, older_than=timedelta(0))
    assert not path.exists()


def test_a_broker_that_is_away_does_not_lose_the_upload(
    monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    base = make_base()
    nowhere = Connection("redis://127.0.0.1:1/0")
    monkeypatch.setattr(
        tasks.ingest_document, "apply_async", partial(tasks.ingest_document.apply_async, connection=nowhere)
    )
    with django_capture_on_commit_callbacks(execute=True):
        document = upload(base, b"Wear boots.").document
    document.refresh_from_db()
    assert document.status == "queued"
