from __future__ import annotations

import io

import pytest
from django.db import DataError

from knowledge.documents.lifecycle import add_file, add_url, delete_document, replace_file
from knowledge.embedders import EmbedderRejected, EmbedderUnavailable
from knowledge.ingest import ingest
from knowledge.models import Chunk, Document, Embedding, Page
from knowledge.readers.text_cleaning import replace_unstorable, replace_unstorable_json
from knowledge.versions import publish_version
from tests.knowledge.bases import (
    CountingEmbedder,
    add_markdown,
    add_pdf,
    alive,
    check_sound,
    make_base,
    prose,
)
from tests.shared_data import shared
from tests.stored_files import stored_path

pytestmark = pytest.mark.django_db


def staged_rows(document: Document) -> int:
    return sum(model.objects.staged().filter(document=document).count() for model in (Page, Chunk, Embedding))


def fails_with(document: Document, code: str) -> Document:
    ingest(document.pk)
    document.refresh_from_db()
    assert (document.status, document.error_code) == ("failed", code)
    assert document.error.endswith(".")
    assert staged_rows(document) == 0
    return document


def test_a_damaged_pdf_fails_in_words(embedder: CountingEmbedder) -> None:
    document = add_pdf(make_base(), ["Soon to be cut."])
    replace_file(document, file_name="manual.pdf", stream=io.BytesIO(b"%PDF-1.7\nnothing more"), enqueue=False)
    fails_with(document, "damaged")


def test_a_page_without_text_says_so(embedder: CountingEmbedder) -> None:
    fails_with(add_pdf(make_base(), ["", ""]), "no_text")


def test_the_old_version_answers_while_the_new_one_cannot_be_read(embedder: CountingEmbedder) -> None:
    base = make_base()
    document = add_pdf(base, ["The valve opens at nine bar."])
    ingest(document.pk)
    before = alive(base)
    replace_file(document, file_name="manual.pdf", stream=io.BytesIO(b"%PDF-1.7\nnothing more"), enqueue=False)
    ready = document.ready_sha256
    fails_with(document, "damaged")
    assert alive(base) == before == ["The valve opens at nine bar."]
    assert base.revision == 1
    assert document.ready_sha256 != document.sha256
    assert document.ready_sha256 == Page.objects.get().source_sha256 != ready


@pytest.mark.parametrize("name", ["encrypted", "truncated", "bomb"])
def test_hostile_pdfs_fail_and_nothing_else_happens(embedder: CountingEmbedder, name: str) -> None:
    for path in sorted(shared("hostile-pdfs").glob(f"*{name}*.pdf"))[:2]:
        base = make_base(name=path.stem)
        with path.open("rb") as stream:
            document = add_file(knowledge_base=base, file_name=path.name, stream=stream, enqueue=False).document
        ingest(document.pk)
        document.refresh_from_db()
        assert document.status in ("failed", "ready")
        assert staged_rows(document) == 0


def test_an_embedder_that_refuses_is_a_failure(embedder: CountingEmbedder) -> None:
    def refuse() -> None:
        raise EmbedderRejected

    embedder.trouble = refuse
    fails_with(add_markdown(make_base(), "Wear boots."), "embedder_rejected")


def test_an_embedder_that_is_away_is_for_the_caller_to_ask_again(embedder: CountingEmbedder) -> None:
    def away() -> None:
        raise EmbedderUnavailable

    embedder.trouble = away
    document = add_markdown(make_base(), "Wear boots.")
    with pytest.raises(EmbedderUnavailable):
        ingest(document.pk)
    document.refresh_from_db()
    assert document.status == "embedding"
    assert Chunk.objects.staged().filter(document=document).count() == 1


def test_what_nobody_foresaw_is_a_failure_too(embedder: CountingEmbedder) -> None:
    def surprise() -> None:
        raise DataError("invalid something")

    embedder.trouble = surprise
    fails_with(add_markdown(make_base(), "Wear boots."), "unexpected")


def test_an_unknown_embedder_is_a_failure() -> None:
    fails_with(add_markdown(make_base(embedder="psychic"), "Wear boots."), "unknown_embedder")


def test_a_file_that_is_gone_is_a_failure(embedder: CountingEmbedder) -> None:
    document = add_markdown(make_base(), "A text whose file will be deleted behind our back.")
    stored_path(document.sha256).unlink()
    fails_with(document, "file_missing")


def test_a_private_address_is_not_fetched(embedder: CountingEmbedder) -> None:
    base = make_base()
    document = add_url(knowledge_base=base, url="http://127.0.0.1:9/", enqueue=False).document
    ingest(document.pk)
    document.refresh_from_db()
    assert document.status == "failed"
    assert document.error


def test_what_the_database_cannot_hold_is_replaced_one_for_one() -> None:
    assert replace_unstorable("a\x00b\ud800c\U0001f9e4") == "a b?c\U0001f9e4"
    assert replace_unstorable_json({"a\x00": ["\udfff", 1, None]}) == {"a ": ["?", 1, None]}


def test_odd_characters_are_no_trouble(embedder: CountingEmbedder) -> None:
    base = make_base()
    document = add_markdown(base, "Wear boots.\u2028\ufeff And \ufffe gloves \U0001f9e4.")
    ingest(document.pk)
    document.refresh_from_db()
    assert document.status == "ready"
    check_sound(base)


def test_a_document_deleted_in_the_middle_leaves_nothing(embedder: CountingEmbedder) -> None:
    base = make_base()
    document = add_markdown(base, prose("pump", paragraphs=3))
    embedder.trouble = lambda: delete_document(document)
    ingest(document.pk)
    assert not Document.objects.filter(pk=document.pk).exists()
    assert Chunk.objects.count() == Page.objects.count() == 0


def test_a_ready_document_deleted_while_it_is_read_again_stays_deleted(embedder: CountingEmbedder) -> None:
    base = make_base()
    document = add_markdown(base, prose("pump", paragraphs=3))
    ingest(document.pk)
    replace_file(document, file_name="notes.md", stream=io.BytesIO(b"Something else."), enqueue=False)
    embedder.trouble = lambda: delete_document(document)
    ingest(document.pk)
    assert alive(base) == []
    assert staged_rows(document) == 0


def test_a_version_uploaded_in_the_middle_is_the_one_that_counts(embedder: CountingEmbedder) -> None:
    base = make_base()
    document = add_markdown(base, "The old rule: wear boots.")

    def replace_once() -> None:
        embedder.trouble = lambda: None
        stream = io.BytesIO(b"The new rule: wear gloves.")
        replace_file(document, file_name="notes.md", stream=stream, enqueue=False)

    embedder.trouble = replace_once
    ingest(document.pk)
    document.refresh_from_db()
    assert document.status == "ready"
    assert alive(base) == ["The new rule: wear gloves."]
    check_sound(base)


def test_a_swap_that_breaks_changes_nothing(embedder: CountingEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    base = make_base()
    document = add_markdown(base, "The valve opens at nine bar.")
    ingest(document.pk)
    replace_file(document, file_name="notes.md", stream=io.BytesIO(b"It opens at ten."), enqueue=False)

    def breaks(*args: object, **kwargs: object) -> None:
        raise ValueError("the last step")

    monkeypatch.setattr(publish_version, "_mark_ready", breaks)
    fails_with(document, "unexpected")
    assert alive(base) == ["The valve opens at nine bar."]
    assert base.revision == 1
