from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from knowledge.documents.lifecycle import update_details
from knowledge.ingest import ingest
from knowledge.models import Chunk, DocumentStatus, Embedding, Page, Revision
from tests.knowledge.bases import (
    CountingEmbedder,
    add_markdown,
    add_pdf,
    alive,
    check_sound,
    make_base,
    prose,
    registered,
)

pytestmark = pytest.mark.django_db


def test_a_document_becomes_ready_and_makes_a_revision(embedder: CountingEmbedder) -> None:
    base = make_base()
    document = add_markdown(base, f"# Pumps\n\n{prose('pump', paragraphs=6)}")
    ingest(document.pk)
    document.refresh_from_db()
    base.refresh_from_db()
    assert (document.status, document.error, document.error_code) == ("ready", "", "")
    assert document.ready_sha256 == document.sha256
    assert document.page_count is None
    assert (base.revision, document.added_in) == (1, 1)
    assert Revision.objects.get(knowledge_base=base).chunk_count == document.chunks_total == len(alive(base))
    check_sound(base)


def test_a_pdf_has_pages(embedder: CountingEmbedder) -> None:
    base = make_base()
    document = add_pdf(base, ["First page about valves.", "Second page about gauges."])
    ingest(document.pk)
    document.refresh_from_db()
    assert (document.page_count, document.pages_total, document.pages_done) == (2, 2, 2)
    pages = Page.objects.filter(document=document).order_by("number")
    assert [page.number for page in pages] == [1, 2]
    assert all(page.word_boxes for page in pages)
    check_sound(base)


def test_statuses_follow_each_other(embedder: CountingEmbedder) -> None:
    base = make_base()
    document = add_markdown(base, prose("pump", paragraphs=3))
    with CaptureQueriesContext(
        connection,
    ) as queries:
        ingest(document.pk)
    moves = [
        status
        for query in queries.captured_queries
        for status in DocumentStatus.values
        if query["sql"].startswith('UPDATE "knowledge_document"') and f"\"status\" = '{status}'" in query["sql"]
    ]
    assert moves == ["reading", "chunking", "embedding", "ready"]


def test_progress_is_reported_per_stage(embedder: CountingEmbedder) -> None:
    base = make_base()
    document = add_pdf(base, ["One page about valves.", "Another about gauges."])
    seen: list[tuple[str, int, int | None]] = []
    ingest(document.pk, on_progress=lambda stage, done, total: seen.append((stage, done, total)))
    assert seen[0] == ("reading", 2, 2)
    assert seen[-1] == ("embedding", 2, 2)


def test_reading_a_ready_document_changes_nothing(embedder: CountingEmbedder) -> None:
    base = make_base()
    document = add_markdown(base, prose("pump", paragraphs=3))
    ingest(document.pk)
    ingest(document.pk)
    base.refresh_from_db()
    assert base.revision == 1


def test_the_same_text_read_again_makes_no_revision(embedder: CountingEmbedder) -> None:
    base = make_base()
    document = add_markdown(base, prose("pump", paragraphs=3))
    ingest(document.pk)
    before = set(Chunk.objects.values_list("pk", flat=True))
    base.documents.update(status=DocumentStatus.QUEUED)
    ingest(document.pk)
    base.refresh_from_db()
    document.refresh_from_db()
    assert (base.revision, document.status) == (1, "ready")
    assert set(Chunk.objects.values_list("pk", flat=True)) == before
    check_sound(base)


def test_a_text_that_is_known_is_not_embedded_again(embedder: CountingEmbedder) -> None:
    base = make_base()
    text = prose("pump", paragraphs=8)
    ingest(add_markdown(base, text, name="a/pumps.md").pk)
    embedded = len(embedder.texts)
    # Other bytes, the same text: what is embedded is title and text.
    ingest(add_markdown(base, f"\n{text}\n\n", name="b/pumps.md").pk)
    assert len(embedder.texts) == embedded
    assert Embedding.objects.filter(knowledge_base=base).count() == 2 * embedded
    check_sound(base)


def test_a_text_that_occurs_twice_in_a_document_is_embedded_once(embedder: CountingEmbedder) -> None:
    base = make_base()
    page = prose("pump", paragraphs=1)[:300]
    document = add_pdf(base, ["\n".join(page.split(". ")), "\n".join(page.split(". "))])
    ingest(document.pk)
    assert len(embedder.texts) == 1
    assert Embedding.objects.filter(document=document).count() == 2
    check_sound(base)


def test_another_knowledge_base_embeds_for_itself(embedder: CountingEmbedder) -> None:
    text = prose("pump", paragraphs=2)
    for name in ("one", "two"):
        ingest(add_markdown(make_base(name=name), text).pk)
    assert len(embedder.texts) == 2 * len(set(embedder.texts))


def test_the_plugin_says_how_long_chunks_are(embedder: CountingEmbedder) -> None:
    base = make_base(chunk_size=400)
    ingest(add_markdown(base, prose("pump", paragraphs=6)).pk)
    assert max(len(content) for content in alive(base)) <= 400
    check_sound(base)


def test_chunks_can_be_cut_by_tokens(embedder: CountingEmbedder) -> None:
    base = make_base(chunk_strategy="tokens")
    ingest(add_markdown(base, prose("pump", paragraphs=12)).pk)
    assert max(embedder.count_tokens(content) for content in alive(base)) <= 512
    check_sound(base)


def test_the_title_is_part_of_what_is_embedded(embedder: CountingEmbedder) -> None:
    base = make_base()
    ingest(add_markdown(base, "Wash your hands before you touch the pump.", name="hygiene.md").pk)
    assert embedder.texts[0].startswith("hygiene")


def test_a_source_that_names_itself_gives_its_name_to_an_unnamed_document(embedder: CountingEmbedder) -> None:
    base = make_base()
    html = "<html><head><title>Rules of the pump house</title></head><body><p>Wear boots in here.</p></body></html>"
    unnamed = add_markdown(base, html, name="page17.html")
    named = add_markdown(base, f"{html} ", name="page18.html", title="Boots")
    for document in (unnamed, named):
        ingest(document.pk)
        document.refresh_from_db()
    assert (unnamed.title, named.title) == ("Rules of the pump house", "Boots")


def test_a_title_that_somebody_gave_stays_although_it_is_what_the_file_is_called(embedder: CountingEmbedder) -> None:
    base = make_base()
    text = "# Rules of the pump house\n\nWear boots in here."
    given = add_markdown(base, text, name="pump_house.md", title="Pump house")
    renamed = add_markdown(base, f"{text}\n", name="boot_rules.md")
    for document in (given, renamed):
        ingest(document.pk)
    renamed.refresh_from_db()
    assert renamed.title == "Rules of the pump house"
    update_details(renamed, title="Boot rules", enqueue=False)
    ingest(renamed.pk)
    for document in (given, renamed):
        document.refresh_from_db()
    assert (given.title, renamed.title) == ("Pump house", "Boot rules")


def test_the_first_document_fixes_the_dimensions() -> None:
    base = make_base()
    with registered(CountingEmbedder(dimensions=12)):
        ingest(add_markdown(base, "Wear boots in the pump house.").pk)
    base.refresh_from_db()
    assert base.dimensions == 12
    with registered(CountingEmbedder(dimensions=16)):
        other = add_markdown(base, "Wear gloves in the pump house.", name="other.md")
        ingest(other.pk)
    other.refresh_from_db()
    assert (other.status, other.error_code) == ("failed", "wrong_dimensions")


def test_the_built_in_embedder_reads_a_document() -> None:
    base = make_base(embedder="local")
    document = add_markdown(base, f"# Pumps\n\n{prose('pump', paragraphs=4)}")
    ingest(document.pk)
    document.refresh_from_db()
    assert (document.status, document.error) == ("ready", "")
    # A chunk of 1500 characters is more than the model reads at once.
    assert Embedding.objects.filter(document=document, window=1).exists()
    check_sound(base)
