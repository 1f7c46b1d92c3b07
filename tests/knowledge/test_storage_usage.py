"""Every way of adding a document is counted against the account's and the site's quotas."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import caches
from django.core.cache.backends.locmem import LocMemCache

from accounts.models import User
from accounts.quotas import StorageFull, TooManyDocuments
from knowledge import storage_usage
from knowledge.documents import file_store, lifecycle
from knowledge.documents.bulk_import import NewText, add_texts
from knowledge.ingest import ingest
from knowledge.models import Document, KnowledgeBase, Source
from knowledge.prune import delete_orphaned_files, prune_knowledge_base
from knowledge.sync import runner
from marketplace.bundle import export_plugin
from marketplace.sharing.installs import import_upload
from plugins.models import Plugin, Release
from tests.knowledge.bases import CountingEmbedder, make_base, pin, registered
from tests.stored_files import stored_path

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def embedder() -> Iterator[CountingEmbedder]:
    caches["process"].clear()
    with registered(CountingEmbedder()) as embedder:
        yield embedder  # type: ignore[misc]


def by_file(base: KnowledgeBase, tmp_path: Any) -> None:
    lifecycle.add_file(knowledge_base=base, file_name="new.md", stream=io.BytesIO(b"Wear a hat."))


def by_text(base: KnowledgeBase, tmp_path: Any) -> None:
    lifecycle.add_text(knowledge_base=base, title="New", text="Wear a hat.")


def by_address(base: KnowledgeBase, tmp_path: Any) -> None:
    lifecycle.add_url(knowledge_base=base, url="https://example.org/new")


def in_bulk(base: KnowledgeBase, tmp_path: Any) -> None:
    add_texts(knowledge_base=base, texts=[NewText(name="new", title="New", text="Wear a hat.")])


def by_sync(base: KnowledgeBase, tmp_path: Any) -> None:
    (tmp_path / "new.md").write_text("# New\n\nWear a hat.")
    source, _ = Source.objects.get_or_create(knowledge_base=base, kind="folder", location=str(tmp_path))
    runner.run_sync(source)


def by_import(base: KnowledgeBase, tmp_path: Any) -> None:
    with export_plugin(base.plugin) as file:  # type: ignore[arg-type]
        import_upload(file, by=base.owner, slug="copied")


DOORS = [by_file, by_text, by_address, in_bulk, by_sync, by_import]
Door = Callable[[KnowledgeBase, Any], None]


@pytest.fixture
def base() -> KnowledgeBase:
    """With one document, of a few bytes."""
    base = make_base()
    lifecycle.add_text(knowledge_base=base, title="Old", text="Wear boots.")
    return base


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
@pytest.mark.parametrize("scope", ["account", "site"])
def test_one_document_too_many_is_refused_at_every_door(
    door: Door, scope: str, base: KnowledgeBase, tmp_path: Any, settings: Any
) -> None:
    settings.QUOTAS = settings.QUOTAS | {f"{scope}_documents": 1}
    with pytest.raises(TooManyDocuments, match=f"This {scope} has 1 of 1 documents"):
        door(base, tmp_path)
    assert Document.objects.count() == 1
    assert Plugin.objects.count() == 1
    settings.QUOTAS = settings.QUOTAS | {f"{scope}_documents": 2}
    door(base, tmp_path)


@pytest.mark.parametrize("door", [by_file, by_text, in_bulk, by_sync], ids=lambda door: door.__name__)
@pytest.mark.parametrize("scope", ["account", "site"])
def test_a_full_store_refuses_every_file(
    door: Door, scope: str, base: KnowledgeBase, tmp_path: Any, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    megabyte = 1024 * 1024
    monkeypatch.setattr(storage_usage, "_total_size", lambda hashes: megabyte * len(set(hashes) - {""}))
    settings.QUOTAS = settings.QUOTAS | {f"{scope}_storage_mb": 1}
    if scope == "site":
        two = [file_store.StoredFile(sha256=name, size=megabyte) for name in "ab"]
        monkeypatch.setattr(storage_usage.file_store, "stored_files", lambda: iter(two))
    with pytest.raises(StorageFull, match=rf"This {scope} has 2 of 1 MB of files"):
        door(base, tmp_path)
    assert Document.objects.count() == 1


def test_a_replaced_file_is_counted_too(base: KnowledgeBase, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = iter([2 * 1024 * 1024])
    monkeypatch.setattr(storage_usage, "_total_size", lambda hashes: next(sizes, 0))
    settings.QUOTAS = settings.QUOTAS | {"account_storage_mb": 1}
    document = Document.objects.get()
    before = document.sha256
    with pytest.raises(StorageFull):
        lifecycle.replace_file(document, file_name="old.md", stream=io.BytesIO(b"Wear other boots."))
    assert Document.objects.get().sha256 == before


def test_an_operator_has_no_quota_of_their_own(base: KnowledgeBase, tmp_path: Any, settings: Any) -> None:
    settings.QUOTAS = settings.QUOTAS | {"account_documents": 1, "account_plugins": 1}
    User.objects.update(is_superuser=True)
    base.refresh_from_db()
    for door in DOORS:
        door(KnowledgeBase.objects.get(pk=base.pk), tmp_path)


def test_what_another_account_holds_does_not_count(base: KnowledgeBase, bob: User, settings: Any) -> None:
    settings.QUOTAS = settings.QUOTAS | {"account_documents": 1}
    theirs = KnowledgeBase.objects.create(owner=bob, name="Bob's", embedder="counting")
    by_text(theirs, None)
    assert (
        storage_usage.document_count(bob),
        storage_usage.document_count(base.owner),
        storage_usage.document_count(),
    ) == (1, 1, 2)
    assert storage_usage.stored_bytes(bob) == len(b"Wear a hat.")


def release_of(base: KnowledgeBase, document: Document, version: str) -> Release:
    """Reads the document, and pins what the base holds then."""
    ingest(document.pk)
    return pin(base, version)


def test_a_file_that_comes_after_it_was_counted_is_counted(base: KnowledgeBase) -> None:
    before = storage_usage.stored_bytes(base.owner)
    late = lifecycle.add_text(knowledge_base=base, title="Late", text="Wear what nobody has worn before.").document
    path = stored_path(late.sha256)
    content = path.read_bytes()
    path.unlink()
    storage_usage._known_sizes.clear()
    assert storage_usage.stored_bytes(base.owner) == before
    path.write_bytes(content)
    assert storage_usage.stored_bytes(base.owner) == before + len(content)


def test_what_releases_keep_of_removed_and_replaced_documents_counts_once_until_it_is_deleted(
    base: KnowledgeBase,
) -> None:
    alice, document = base.owner, Document.objects.get()
    first = release_of(base, document, "1.0.0")
    lifecycle.replace_file(document, file_name="old.md", stream=io.BytesIO(b"Wear other boots."))
    second = release_of(base, document, "2.0.0")
    lifecycle.delete_document(document)
    lifecycle.add_text(knowledge_base=base, title="Again", text="Wear boots.")
    kept = len(b"Wear boots.") + len(b"Wear other boots.")
    assert storage_usage.stored_bytes(alice) == kept
    Release.objects.filter(pk__in=[first.pk, second.pk]).delete()
    prune_knowledge_base(base, older_than=timedelta(0))
    delete_orphaned_files([one.sha256 for one in file_store.stored_files()], older_than=timedelta(0))
    assert storage_usage.stored_bytes(alice) == len(b"Wear boots.")


def test_to_remove_what_is_published_makes_no_room(
    base: KnowledgeBase, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    megabyte = 1024 * 1024
    monkeypatch.setattr(storage_usage, "_total_size", lambda hashes: megabyte * len(set(hashes) - {""}))
    settings.QUOTAS = settings.QUOTAS | {"account_storage_mb": 3}
    for number in (1, 2):
        document = lifecycle.add_text(knowledge_base=base, title=str(number), text=f"Wear {number} boots.").document
        release_of(base, document, f"{number}.0.0")
        lifecycle.delete_document(document)
    with pytest.raises(StorageFull, match="This account has 4 of 3 MB of files"):
        by_text(base, None)


def test_all_files_are_counted_once_a_minute_and_before_anything_is_refused(
    base: KnowledgeBase, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[int] = []
    count = storage_usage.stored_bytes
    monkeypatch.setattr(storage_usage, "stored_bytes", lambda owner: counted.append(count(owner)) or counted[-1])
    monkeypatch.setattr(storage_usage, "_total_size", lambda hashes: 1024 * 1024 * len(set(hashes) - {""}))
    monkeypatch.setattr(storage_usage, "caches", {"process": LocMemCache("counted", {})})
    settings.QUOTAS = settings.QUOTAS | {"account_storage_mb": 5}
    counts = []
    for number in range(4):
        lifecycle.add_text(knowledge_base=base, title=str(number), text=f"Wear {number} boots.")
        counts.append(len(counted))
    assert counts == [1, 1, 1, 1], "the first one counts, and the others are added to it"
    with pytest.raises(StorageFull, match="This account has 6 of 5 MB of files"):
        by_text(base, None)
    assert len(counted) == 2
    Document.objects.filter(title="0").delete()
    by_text(base, None)  # what was given back meanwhile is known


def test_a_base_that_comes_from_another_account_counts_at_once(
    base: KnowledgeBase, bob: User, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = KnowledgeBase.objects.create(owner=bob, name="Bob's", embedder="counting")
    by_text(theirs, None)
    monkeypatch.setattr(storage_usage, "_total_size", lambda hashes: 1024 * 1024 * len(set(hashes) - {""}))
    monkeypatch.setattr(storage_usage, "caches", {"process": LocMemCache("handed over", {})})
    settings.QUOTAS = settings.QUOTAS | {"account_storage_mb": 1}
    storage_usage.check_account(base.owner)
    KnowledgeBase.objects.filter(pk=theirs.pk).update(owner=base.owner)
    with pytest.raises(StorageFull, match="This account has 2 of 1 MB of files"):
        storage_usage.check_account(base.owner)
