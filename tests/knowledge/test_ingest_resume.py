"""After a crash work goes on where it stopped: nothing is doubled, lost, or embedded twice."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator

import pytest
from django.db import connection

from knowledge import ingest as ingesting
from knowledge import lease
from knowledge.documents.lifecycle import reingest_document, replace_file
from knowledge.embedders import EmbedderUnavailable
from knowledge.ingest import ingest
from knowledge.models import Chunk, Document, Page
from knowledge.readers.types import PageText, ReadingTimedOut
from knowledge.versions import embeddings, publish_version, staged_rows, writer
from knowledge.versions.progress import VersionProgress
from tests.knowledge.bases import (
    CountingEmbedder,
    Crash,
    add_markdown,
    add_pdf,
    alive,
    check_sound,
    make_base,
    pdf,
    prose,
    registered,
)

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> Iterator[CountingEmbedder]:
    embedder = CountingEmbedder()
    monkeypatch.setattr(embeddings, "CHUNKS_PER_BATCH", 2)
    monkeypatch.setattr(staged_rows, "CHUNKS_PER_BATCH", 3)
    monkeypatch.setattr(staged_rows, "PAGES_PER_BATCH", 2)
    with registered(embedder):
        yield embedder


def crash_on_call(number: int) -> Callable[..., None]:
    calls = iter(range(1, 10_000))

    def trouble(*args: object, **kwargs: object) -> None:
        if next(calls) == number:
            raise Crash

    return trouble


def crash_before(monkeypatch: pytest.MonkeyPatch, module: object, name: str, *, call: int = 1) -> None:
    """The function runs its course until this call, and the process dies there, once."""
    original, trouble = getattr(module, name), crash_on_call(call)

    def dying(*args: object, **kwargs: object) -> object:
        trouble()
        return original(*args, **kwargs)

    monkeypatch.setattr(module, name, dying)


POINTS = [
    (writer, "insert_staged_pages", 2),
    (ingesting, "plan_chunks", 1),
    (writer, "insert_staged_chunks", 1),
    (writer, "insert_staged_chunks", 2),
    (embeddings, "_embed_batch", 1),
    (embeddings, "_embed_batch", 2),
    (publish_version, "publish_version", 1),
    (writer, "open_staged", 1),
    (publish_version, "_mark_ready", 1),
]


@pytest.mark.parametrize(("module", "name", "call"), POINTS)
@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_crash_anywhere_is_made_good(
    embedder: CountingEmbedder,
    monkeypatch: pytest.MonkeyPatch,
    module: object,
    name: str,
    call: int,
    is_replaced: bool,
) -> None:
    base = make_base()
    texts = [f"{prose(f'pump {number}', paragraphs=3)}" for number in range(5)]
    document = add_pdf(base, ["An old page about nothing much.", "Another one."] if is_replaced else texts)
    if is_replaced:
        ingest(document.pk)
        replace_file(document, file_name="manual.pdf", stream=io.BytesIO(pdf(texts)), enqueue=False)
        embedder.texts.clear()
    answering = alive(base)
    crash_before(monkeypatch, module, name, call=call)
    with pytest.raises(Crash):
        ingest(document.pk)
    assert alive(base) == answering
    assert not lease.is_leased(document.pk)
    ingest(document.pk)
    document.refresh_from_db()
    assert document.status == "ready"
    assert len(alive(base)) == len(set(alive(base))) == document.chunks_total
    assert len(embedder.texts) == len(set(embedder.texts))
    check_sound(base)


def pages_read(monkeypatch: pytest.MonkeyPatch, *, stop_after: int | None = None) -> list[int]:
    """The numbers of the pages that the reader gives from now on, which stands still after so many."""
    original, seen = ingesting.read_pages, []

    def counted(*args: object, **kwargs: object) -> Iterator[object]:
        for event in original(*args, **kwargs):
            if isinstance(event, PageText):
                if stop_after is not None and len(seen) == stop_after:
                    raise ReadingTimedOut
                seen.append(event.number)
            yield event

    monkeypatch.setattr(ingesting, "read_pages", counted)
    return seen


def numbered_pages(count: int) -> list[str]:
    return [
        f"{number} Rules\nEach rule of part {number} is kept by the foreman of gate {number}."
        for number in range(count)
    ]


def test_a_reading_goes_on_after_the_pages_that_were_stored(
    embedder: CountingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = numbered_pages(7)
    whole = add_pdf(make_base(name="whole"), texts)
    ingest(whole.pk)
    document = add_pdf(make_base(), texts)
    with monkeypatch.context() as patch:
        crash_before(patch, writer, "insert_staged_pages", call=3)
        with pytest.raises(Crash):
            ingest(document.pk)
    kept = dict(document.pages.values_list("number", "pk"))
    assert set(kept) == {1, 2, 3, 4}
    seen = pages_read(monkeypatch)
    ingest(document.pk)
    assert seen == [5, 6, 7]
    assert kept.items() <= dict(document.pages.live().values_list("number", "pk")).items()
    columns = ("index", "start", "end", "section_path", "content")
    assert list(document.chunks.live().values(*columns)) == list(whole.chunks.live().values(*columns))
    assert not Page.objects.exclude(reader_state=None).exists()
    check_sound(document.knowledge_base)


def test_a_reading_that_stood_still_keeps_its_pages_for_the_next(
    embedder: CountingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = add_pdf(make_base(), numbered_pages(7))
    with monkeypatch.context() as patch:
        pages_read(patch, stop_after=5)
        ingest(document.pk)
    document.refresh_from_db()
    assert (document.status, document.error_code) == ("failed", "timeout")
    assert "reading continues after the pages that were read" in document.error
    seen = pages_read(monkeypatch)
    reingest_document(document, enqueue=False)
    ingest(document.pk)
    document.refresh_from_db()
    assert (document.status, seen, document.page_count) == ("ready", [5, 6, 7], 7)
    check_sound(document.knowledge_base)


def test_other_bytes_begin_again(embedder: CountingEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    document = add_pdf(make_base(), numbered_pages(7))
    with monkeypatch.context() as patch:
        pages_read(patch, stop_after=5)
        ingest(document.pk)
    replace_file(document, file_name="manual.pdf", stream=io.BytesIO(pdf(numbered_pages(3))), enqueue=False)
    seen = pages_read(monkeypatch)
    ingest(document.pk)
    assert seen == [1, 2, 3]
    assert set(document.pages.values_list("number", flat=True)) == {1, 2, 3}
    check_sound(document.knowledge_base)


def test_finished_batches_are_not_embedded_again(embedder: CountingEmbedder) -> None:
    base = make_base()
    document = add_markdown(base, prose("pump", paragraphs=24))
    embedder.trouble = crash_on_call(3)
    with pytest.raises(Crash):
        ingest(document.pk)
    assert len(embedder.texts) == 4
    ingest(document.pk)
    assert sorted(embedder.texts) == sorted(set(embedder.texts))
    assert len(embedder.texts) == len(alive(base))
    check_sound(base)


def test_a_provider_that_comes_back_goes_on_from_there(embedder: CountingEmbedder) -> None:
    base = make_base()
    document = add_markdown(base, prose("pump", paragraphs=24))

    def away() -> None:
        if len(embedder.texts) >= 4:
            embedder.trouble = lambda: None
            raise EmbedderUnavailable

    embedder.trouble = away
    with pytest.raises(EmbedderUnavailable):
        ingest(document.pk)
    ingest(document.pk)
    assert len(embedder.texts) == len(set(embedder.texts)) == len(alive(base))
    check_sound(base)


def test_what_was_staged_for_another_version_is_discarded(embedder: CountingEmbedder) -> None:
    base = make_base()
    document = add_markdown(base, prose("pump", paragraphs=12))
    embedder.trouble = crash_on_call(2)
    with pytest.raises(Crash):
        ingest(document.pk)
    replace_file(document, file_name="notes.md", stream=io.BytesIO(b"Only one line is left."), enqueue=False)
    ingest(document.pk)
    assert alive(base) == ["Only one line is left."]
    assert Chunk.objects.count() == Page.objects.count() == 1
    check_sound(base)


def test_pages_that_read_as_before_keep_their_rows(embedder: CountingEmbedder) -> None:
    base = make_base()
    document = add_pdf(base, ["Page about valves.", "Page about gauges.", "Page about boots."])
    ingest(document.pk)
    before = {page.number: page.pk for page in Page.objects.all()}
    embedder.texts.clear()
    changed = pdf(["Page about valves.", "Page about thermometers."])
    replace_file(document, file_name="manual.pdf", stream=io.BytesIO(changed), enqueue=False)
    ingest(document.pk)
    base.refresh_from_db()
    after = {page.number: page.pk for page in document.pages.alive_at(base.revision)}
    assert after[1] == before[1]
    assert after[2] != before[2]
    assert set(after) == {1, 2}
    assert {page.number for page in document.pages.alive_at(1)} == {1, 2, 3}
    assert len(embedder.texts) == 1
    check_sound(base)


def test_two_threads_read_a_document_once(embedder: CountingEmbedder) -> None:
    base = make_base()
    document = add_markdown(base, prose("pump", paragraphs=24))
    inside, go_on = threading.Event(), threading.Event()

    def wait() -> None:
        inside.set()
        go_on.wait(30)

    embedder.trouble = wait
    first = threading.Thread(target=in_thread, args=[document])
    first.start()
    assert inside.wait(30)
    second = threading.Thread(target=in_thread, args=[document])
    second.start()
    second.join(30)
    assert not second.is_alive()
    assert lease.is_leased(document.pk)
    go_on.set()
    first.join(30)
    assert len(embedder.texts) == len(set(embedder.texts)) == len(alive(base))
    assert base.revision == 1
    assert not lease.is_leased(document.pk)
    check_sound(base)


def test_two_documents_are_read_side_by_side(embedder: CountingEmbedder) -> None:
    base = make_base()
    documents = [add_markdown(base, prose(f"pump {n}", paragraphs=9), name=f"{n}.md") for n in range(4)]
    threads = [threading.Thread(target=in_thread, args=[document]) for document in documents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    base.refresh_from_db()
    assert base.revision == 4
    assert set(base.documents.values_list("status", flat=True)) == {"ready"}
    check_sound(base)


def in_thread(document: Document) -> None:
    try:
        ingest(document.pk)
    finally:
        connection.close()


def test_no_transaction_is_open_while_texts_are_embedded(embedder: CountingEmbedder) -> None:
    seen: list[bool] = []
    embedder.trouble = lambda: seen.append(connection.in_atomic_block)
    ingest(add_markdown(make_base(), "Wear boots.").pk)
    assert seen == [False]


def test_progress_is_not_written_more_often_than_it_is_read(embedder: CountingEmbedder) -> None:
    document = add_markdown(make_base(), "Wear boots.")
    progress = VersionProgress(document_id=document.pk, sha256=document.sha256, interval=3600)
    progress.report_pages(1, 90)
    for number in range(2, 90):
        progress.report_pages(number, 90)
    document.refresh_from_db()
    assert (document.pages_done, document.pages_total) == (1, 90)
