"""A pinned version of a document outlives a new one, until its holder lets it go; privacy wins over every pin."""

from __future__ import annotations

import io
import uuid
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction

from accounts.models import User
from conversations.models import ChatSession
from knowledge import prune
from knowledge.documents.lifecycle import add_file, delete_document
from knowledge.ingest import ingest
from knowledge.models import BaseKind, Chunk, Document, KnowledgeBase, Page, PinKind, RevisionPin
from knowledge.prune import delete_orphaned_files, prune_knowledge_base
from knowledge.revision_pins import (
    pin_bases,
    pin_documents,
    pin_pages,
    release_pins,
    release_pins_without_holder,
)
from knowledge.search.hybrid import BaseRevision, search
from privacy.plugin_deletion import delete_knowledge_base
from tests.knowledge.bases import CountingEmbedder, check_sound, make_base, registered
from tests.stored_files import stored_path
from tests.two_transactions import wait_in_turn

pytestmark = pytest.mark.django_db
RUN, REVIEW = PinKind.RUN, PinKind.REVIEW
NOW = timedelta(0)


@pytest.fixture(autouse=True)
def embedder() -> Iterator[CountingEmbedder]:
    embedder = CountingEmbedder()
    with registered(embedder):
        yield embedder


@pytest.fixture
def holder() -> uuid.UUID:
    return uuid.uuid4()


@pytest.fixture(params=["plugin", "private"])
def base(request: pytest.FixtureRequest, alice: User) -> KnowledgeBase:
    if request.param == "plugin":
        return make_base()
    return KnowledgeBase.objects.create(owner=alice, kind=BaseKind.PERSONAL, name="Mine", embedder="counting")


@pytest.fixture
def private(alice: User) -> KnowledgeBase:
    return KnowledgeBase.objects.create(owner=alice, kind=BaseKind.PERSONAL, name="Mine", embedder="counting")


def upload(base: KnowledgeBase, text: str, name: str = "notes.md") -> Document:
    """Read at once; another text under the same name is the next version."""
    document = add_file(knowledge_base=base, file_name=name, stream=io.BytesIO(text.encode())).document
    ingest(document.pk)
    base.refresh_from_db()
    return Document.objects.get(pk=document.pk)


def texts(base: KnowledgeBase) -> list[str]:
    """What is left of the pages of the base, and of its chunks, which must not differ."""
    pages = sorted(Page.objects.filter(document__knowledge_base=base).values_list("text", flat=True))
    assert sorted(Chunk.objects.filter(knowledge_base=base).values_list("content", flat=True)) == pages
    return pages


def test_a_cited_page_outlives_the_next_version_until_it_is_released(base: KnowledgeBase, holder: uuid.UUID) -> None:
    document = upload(base, "Wear boots.")
    page = document.pages.get()
    assert pin_pages(RUN, holder, [page.pk, 10**9]) == {page.pk}
    upload(base, "Wear gloves.")
    upload(base, "Wear a helmet.")
    prune_knowledge_base(base, older_than=NOW)
    assert texts(base) == ["Wear a helmet.", "Wear boots."]
    delete_orphaned_files({page.source_sha256}, older_than=NOW)
    assert stored_path(page.source_sha256).exists()
    check_sound(base)
    release_pins(RUN, [holder])
    prune_knowledge_base(base, older_than=NOW)
    assert texts(base) == ["Wear a helmet."]


def test_a_page_may_be_pinned_after_it_was_replaced(base: KnowledgeBase, holder: uuid.UUID) -> None:
    """A question takes a while, and what it read stays for an hour."""
    page = upload(base, "Wear boots.").pages.get()
    upload(base, "Wear gloves.")
    pin_pages(RUN, holder, [page.pk])
    prune_knowledge_base(base, older_than=NOW)
    assert texts(base) == ["Wear boots.", "Wear gloves."]


def test_a_document_is_pinned_as_it_stands_and_no_other(base: KnowledgeBase, holder: uuid.UUID) -> None:
    contract, other = upload(base, "Clause one.", "contract.md"), upload(base, "Boots.", "other.md")
    gone = upload(base, "Gone.", "gone.md")
    delete_document(gone)
    base.refresh_from_db()
    assert pin_documents(REVIEW, holder, [contract.pk, gone.pk, uuid.uuid4()]) == {contract.pk: base.revision}
    upload(base, "Clause two.", "contract.md")
    upload(base, "Gloves.", "other.md")
    prune_knowledge_base(base, older_than=NOW)
    assert texts(base) == ["Clause one.", "Clause two.", "Gloves."]
    assert other.pk != contract.pk


def test_a_pinned_base_is_searched_as_it_stood(base: KnowledgeBase, holder: uuid.UUID) -> None:
    upload(base, "Wear boots on site.")
    was = BaseRevision(knowledge_base_id=base.pk, revision=base.revision, embedder="counting")
    missing = BaseRevision(knowledge_base_id=10**6, revision=1, embedder="counting")
    assert pin_bases(RUN, holder, [was, missing]) == {base.pk}
    upload(base, "Wear gloves on site.")
    prune_knowledge_base(base, older_than=NOW)
    found = search(knowledge_bases=[was], text="site", embedding={}, limit=5)
    assert [passage.content for passage in found] == ["Wear boots on site."]


def test_several_holders_each_hold_it(base: KnowledgeBase, holder: uuid.UUID) -> None:
    document, second = upload(base, "Wear boots."), uuid.uuid4()
    for _ in range(2):
        pin_documents(REVIEW, holder, [document.pk])
    pin_documents(RUN, second, [document.pk])
    assert RevisionPin.objects.count() == 2
    upload(base, "Wear gloves.")
    release_pins(RUN, [second, holder])  # the review is another holder, whatever its id
    prune_knowledge_base(base, older_than=NOW)
    assert texts(base) == ["Wear boots.", "Wear gloves."]


def test_whoever_is_gone_holds_nothing(base: KnowledgeBase, alice: User) -> None:
    session = ChatSession.objects.begin_private(user=alice, project=None, title="x")
    document = upload(base, "Wear boots.")
    pin_documents(RUN, session.pk, [document.pk])
    pin_documents(REVIEW, uuid.uuid4(), [document.pk])
    assert release_pins_without_holder(RUN, ChatSession.objects.all()) == 0
    session.delete()
    assert release_pins_without_holder(RUN, ChatSession.objects.all()) == 1
    assert RevisionPin.objects.get().kind == REVIEW


# --- Privacy wins -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", ["document", "base"])
def test_what_is_deleted_out_of_a_private_base_goes(private: KnowledgeBase, holder: uuid.UUID, keep: str) -> None:
    document = upload(private, "A secret.")
    upload(private, "Other.", "other.md")
    if keep == "document":
        pin_documents(REVIEW, holder, [document.pk])
    else:
        was = BaseRevision(knowledge_base_id=private.pk, revision=private.revision, embedder="counting")
        pin_bases(RUN, holder, [was])
    upload(private, "A secret, in other words.")
    prune_knowledge_base(private, older_than=NOW)
    assert "A secret." in texts(private)
    delete_document(Document.objects.get(pk=document.pk))
    assert not RevisionPin.objects.filter(document=document).exists()
    prune_knowledge_base(private, older_than=NOW)
    assert texts(private) == ["Other."]
    assert not Document.objects.filter(pk=document.pk).exists()


def test_what_is_removed_from_a_plugin_stays_where_it_is_cited(holder: uuid.UUID) -> None:
    base = make_base()
    document = upload(base, "Wear boots.")
    pin_documents(RUN, holder, [document.pk])
    delete_document(document)
    prune_knowledge_base(base, older_than=NOW)
    assert texts(base) == ["Wear boots."]


def test_pins_go_with_their_base(private: KnowledgeBase, holder: uuid.UUID) -> None:
    pin_documents(REVIEW, holder, [upload(private, "A secret.").pk])
    delete_knowledge_base(private)
    assert not RevisionPin.objects.exists()


# --- Two at once --------------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_pruning_waits_for_a_pin_that_is_being_made(holder: uuid.UUID) -> None:
    base = make_base()
    page = upload(base, "Wear boots.").pages.get()
    upload(base, "Wear gloves.")

    def pin(hold: Callable[[], None]) -> None:
        with transaction.atomic():
            pin_pages(RUN, holder, [page.pk])
            hold()

    _, pruned = wait_in_turn(pin, lambda: prune_knowledge_base(base, older_than=NOW))
    assert pruned == 0
    assert texts(base) == ["Wear boots.", "Wear gloves."]


@pytest.mark.django_db(transaction=True)
def test_what_is_pruned_first_is_not_pinned(holder: uuid.UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    base = make_base()
    page = upload(base, "Wear boots.").pages.get()
    upload(base, "Wear gloves.")
    hashes = prune._source_hashes

    def prune_and_hold(hold: Callable[[], None]) -> int:
        def hash_and_hold(*args: Any) -> set[str]:
            hold()
            return hashes(*args)

        monkeypatch.setattr(prune, "_source_hashes", hash_and_hold)
        return prune_knowledge_base(base, older_than=NOW)

    assert wait_in_turn(prune_and_hold, lambda: pin_pages(RUN, holder, [page.pk])) == (1, set())
    assert not RevisionPin.objects.exists()
