"""A person changes a source while it is being synced: what they said holds."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import transaction

from knowledge.models import Document, KnowledgeBase, Source, SourceItem
from knowledge.source_models import SourceRemoved, SyncInterval
from knowledge.sync.remote.source_settings import change_source, create_source, delete_source
from knowledge.sync.runner import run_sync
from tests.knowledge.bases import CountingEmbedder, make_base
from tests.knowledge.sync.remote.servers import Site
from tests.two_transactions import wait_in_turn

PAGES = ("boots", "gloves", "hats", "laces")


@pytest.fixture
def handbook(site: Site) -> Site:
    """A site, and a feed that names its pages."""
    links = "".join(f'<a href="/{name}">more</a>' for name in PAGES)
    site.page("/", f"<p>Welcome.</p>{links}")
    for name in PAGES:
        site.page(f"/{name}", f"<p>All about {name}.</p>")
    items = "".join(f"<item><title>{name}</title><link>{site.url}/{name}</link></item>" for name in PAGES)
    feed = f'<rss version="2.0"><channel><title>News</title>{items}</channel></rss>'
    site.answer("/feed", 200, feed.encode(), Content_Type="application/rss+xml", ETag='"1"')
    return site


def website(base: KnowledgeBase, site: Site) -> Source:
    return create_source(base, kind="website", location=f"{site.url}/", is_public=True)


def meanwhile(change: Callable[[Source], object]) -> Callable[[int, int], None]:
    """Changes the source when the first of its files has been stored."""

    def tell(done: int, total: int) -> None:
        if done == 1:
            change(Source.objects.get())

    return tell


def synced_meanwhile(source: Source, change: Callable[[Source], object]) -> None:
    run_sync(source, reads_now=False, on_progress=meanwhile(change))


@pytest.mark.django_db
def test_a_source_that_is_closed_has_no_public_document(base: KnowledgeBase, handbook: Site, sent: list[str]) -> None:
    synced_meanwhile(website(base, handbook), lambda source: change_source(source, is_public=False))
    assert list(Document.objects.values_list("is_public", flat=True)) == [False] * 5


@pytest.mark.django_db
def test_a_source_that_is_opened_has_no_private_document(base: KnowledgeBase, handbook: Site, sent: list[str]) -> None:
    source = change_source(website(base, handbook), is_public=False)
    synced_meanwhile(source, lambda source: change_source(source, is_public=True))
    assert list(Document.objects.values_list("is_public", flat=True)) == [True] * 5


@pytest.mark.django_db(transaction=True)
def test_a_document_that_arrives_while_its_source_is_being_closed_is_closed(
    handbook: Site, embedder: CountingEmbedder, sent: list[str]
) -> None:
    source = website(make_base(), handbook)

    def close(hold: Callable[[], None]) -> None:
        with transaction.atomic():
            change_source(Source.objects.get(), is_public=False)
            hold()

    wait_in_turn(close, lambda: run_sync(source, reads_now=False))
    assert list(Document.objects.values_list("is_public", flat=True)) == [False] * 5


@pytest.mark.django_db
def test_a_document_is_stored_with_its_row_of_the_manifest_or_not_at_all(
    base: KnowledgeBase, handbook: Site, sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Crash(BaseException):
        pass

    def crash(item: SourceItem, **options: object) -> None:
        raise Crash

    monkeypatch.setattr(SourceItem, "save", crash)
    with pytest.raises(Crash):
        run_sync(website(base, handbook), reads_now=False)
    assert not Document.objects.exists()


@pytest.mark.django_db
def test_other_options_are_not_taken_for_synced(base: KnowledgeBase, handbook: Site, sent: list[str]) -> None:
    source = create_source(base, kind="feed", location=f"{handbook.url}/feed", options={"max_pages": 4})
    synced_meanwhile(source, lambda source: change_source(source, options={"max_pages": 5}))
    source = Source.objects.get()
    assert (source.options, source.state) == ({"max_pages": 5}, {})
    assert source.synced_at
    run_sync(source, reads_now=False)
    assert Source.objects.get().state


@pytest.mark.django_db
def test_another_timetable_holds(base: KnowledgeBase, handbook: Site, sent: list[str]) -> None:
    source = website(base, handbook)
    synced_meanwhile(source, lambda source: change_source(source, interval_hours=SyncInterval.NEVER))
    source = Source.objects.get()
    assert (source.interval_hours, source.due_at) == (SyncInterval.NEVER, None)
    assert source.tried_at


@pytest.mark.django_db
def test_a_source_that_is_removed_gives_no_more_documents(base: KnowledgeBase, handbook: Site, sent: list[str]) -> None:
    with pytest.raises(SourceRemoved):
        synced_meanwhile(website(base, handbook), delete_source)
    assert Document.objects.present().count() == 1
    assert not Source.objects.exists()


@pytest.mark.django_db
def test_a_change_leaves_alone_what_somebody_else_has_changed(base: KnowledgeBase, handbook: Site) -> None:
    as_alice_sees_it = website(base, handbook)
    change_source(Source.objects.get(), is_paused=True, credentials={})
    changed = change_source(as_alice_sees_it, is_public=False)
    assert (changed.is_paused, changed.is_public) == (True, False)
    delete_source(Source.objects.get())
    with pytest.raises(SourceRemoved):
        change_source(changed, is_public=True)
    assert not Source.objects.exists()
