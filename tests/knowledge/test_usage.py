"""Every way of adding a document is counted against the account's and the site's quotas."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.cache import caches

from accounts.models import User
from accounts.quotas import StorageFull, TooManyDocuments
from knowledge import usage
from knowledge.documents import lifecycle
from knowledge.documents.bulk_import import NewText, add_texts
from knowledge.models import Document, KnowledgeBase, Source
from knowledge.sync import runner
from marketplace.bundle import export_plugin
from marketplace.sharing.installs import import_upload
from plugins.models import Plugin
from tests.knowledge.bases import CountingEmbedder, make_base, registered

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
    monkeypatch.setattr(usage, "_file_size", lambda sha256: 1024 * 1024)
    settings.QUOTAS = settings.QUOTAS | {f"{scope}_storage_mb": 1}
    if scope == "site":
        monkeypatch.setattr(usage.file_store, "stored_hashes", lambda: iter(["a", "b"]))
    with pytest.raises(StorageFull, match=rf"This {scope} has 2 of 1 MB of files"):
        door(base, tmp_path)
    assert Document.objects.count() == 1


def test_a_replaced_file_is_counted_too(base: KnowledgeBase, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = iter([2 * 1024 * 1024])
    monkeypatch.setattr(usage, "_file_size", lambda sha256: next(sizes, 0))
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
    assert (usage.document_count(bob), usage.document_count(base.owner), usage.document_count()) == (1, 1, 2)
    assert usage.stored_bytes(bob) == len(b"Wear a hat.")
