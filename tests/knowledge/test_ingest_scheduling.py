"""Owners are served in turn: one's many files hold up nobody's one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import User
from knowledge import ingest, ingest_scheduling, lease, tasks
from knowledge.documents.lifecycle import add_text, reingest_document
from knowledge.models import Document, DocumentStatus, KnowledgeBase
from knowledge.readers.types import DocumentHeader, Limits, OcrReading, PageText, ReadingPoint
from tests.knowledge.bases import CountingEmbedder, registered

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def embedder() -> Iterator[None]:
    with registered(CountingEmbedder()):
        yield


def give(owner: User, count: int) -> list[Document]:
    base = KnowledgeBase.objects.create(owner=owner, name=owner.email, embedder="counting")
    texts = [f"Rule {number} of {owner.email}." for number in range(count)]
    return [add_text(knowledge_base=base, title=text, text=text, enqueue=False).document for text in texts]


def serve(documents: list[Document]) -> list[list[str]]:
    """The owners whose documents a reader reads in each turn, for a message of each document in this order."""
    turns: list[list[str]] = []
    for document in documents:
        before = set(Document.objects.filter(status="ready").values_list("pk", flat=True))
        tasks.ingest_document.apply(kwargs={"document_id": str(document.pk)}, throw=True)
        fresh = Document.objects.filter(status="ready").exclude(pk__in=before)
        emails = fresh.values_list("knowledge_base__owner__email", flat=True)
        turns += [[email.partition("@")[0] for email in emails]] if emails else []
    return turns


def test_one_file_does_not_wait_for_anothers_many(alice: User, bob: User, charlie: User) -> None:
    many, two, one = give(alice, 9), give(bob, 2), give(charlie, 1)
    turns = serve([*many, *two, *one])
    assert sorted(name for names in turns for name in names) == ["alice"] * 9 + ["bob"] * 2 + ["charlie"]
    assert sorted(turns[:3]) == [["alice"] * ingest_scheduling.SMALL_AMONG_OTHERS, ["bob"] * 2, ["charlie"]]
    assert turns[3:] == [["alice"] * 5], "when nobody else waits, all that are left are read together"


def test_large_files_take_one_turn_each(alice: User, bob: User) -> None:
    many, two = give(alice, 3), give(bob, 2)
    Document.objects.update(file_bytes=ingest_scheduling.SMALL_BYTES + 1)
    turns = serve([*many, *two])
    assert sorted(turns[:2]) == [["alice"], ["bob"]]
    assert sorted(turns[2:]) == [["alice"], ["alice"], ["bob"]]


def test_an_owner_who_is_being_read_lets_the_others_go_first(alice: User, bob: User) -> None:
    busy, waiting = give(alice, 2), give(bob, 1)
    Document.objects.filter(pk=busy[0].pk).update(status=DocumentStatus.READING, updated_at=timezone.now())
    assert ingest_scheduling.claim_next(busy[1].pk) == waiting[0].pk
    assert ingest_scheduling.claim_next(busy[1].pk) == busy[1].pk
    assert ingest_scheduling.claim_next(busy[1].pk) == busy[1].pk, "what was begun is gone on with"
    Document.objects.update(status=DocumentStatus.READY)
    assert ingest_scheduling.claim_next(busy[1].pk) is None


def test_the_message_of_a_document_that_another_worker_reads_serves_the_next_that_waits(alice: User) -> None:
    small, large = give(alice, 2)
    Document.objects.filter(pk=large.pk).update(file_bytes=20_000_000)
    assert ingest_scheduling.claim_next(large.pk) == small.pk, "the message of the large one is used up"
    with lease.document_lease(small.pk):
        assert serve([small]) == [["alice"]]
    large.refresh_from_db()
    assert large.status == DocumentStatus.READY
    assert ingest_scheduling.claim_next(small.pk) == small.pk, "what was left is gone on with"


def test_a_message_that_another_worker_was_quicker_for_is_passed_on(
    alice: User, sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    read, waiting = give(alice, 2)
    Document.objects.update(file_bytes=20_000_000)  # not read together
    Document.objects.filter(pk=read.pk).update(status=DocumentStatus.READING)
    monkeypatch.setattr(ingest_scheduling, "claim_next", lambda document_id: document_id)  # a moment before its lease
    with lease.document_lease(read.pk):
        tasks.ingest_document.apply(kwargs={"document_id": str(read.pk)}, throw=True)
    assert sent == [str(waiting.pk)]


def test_a_document_whose_reader_died_holds_its_owner_up_no_longer(alice: User, bob: User, settings: Any) -> None:
    settings.QUOTAS = settings.QUOTAS | {"account_reads": 1}
    dead, next_one = give(alice, 2)
    long_ago = timezone.now() - timedelta(minutes=11)
    Document.objects.filter(pk=dead.pk).update(status=DocumentStatus.READING, updated_at=long_ago)
    assert ingest_scheduling.claim_next(next_one.pk) == next_one.pk


@pytest.mark.parametrize("scope", ["account", "site"])
def test_only_so_many_are_read_at_once_and_the_rest_is_read_later(
    alice: User, bob: User, settings: Any, scope: str, sent: list[str]
) -> None:
    settings.QUOTAS = settings.QUOTAS | {f"{scope}_reads": 1}
    first, second, third = give(alice, 3)
    assert ingest_scheduling.claim_next(first.pk) == first.pk
    for refused in (second, third):  # their messages are used up
        tasks.ingest_document.apply(kwargs={"document_id": str(refused.pk)}, throw=True)
    assert Document.objects.filter(status="ready").count() == 0
    tasks.ingest_document.apply(kwargs={"document_id": str(first.pk)}, throw=True)
    while sent:
        tasks.ingest_document.apply(kwargs={"document_id": sent.pop(0)}, throw=True)
    assert Document.objects.filter(status="ready").count() == 3


def test_a_tie_between_two_readers_gives_each_a_document(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = give(alice, 2)
    choose = ingest_scheduling._next_document
    choices = iter([first.pk, first.pk])
    monkeypatch.setattr(ingest_scheduling, "_next_document", lambda: next(choices, None) or choose())
    assert ingest_scheduling.claim_next(first.pk) == first.pk
    Document.objects.filter(pk=first.pk).update(status=DocumentStatus.READING)
    assert ingest_scheduling.claim_next(second.pk) == second.pk


def test_a_long_scan_makes_way_and_goes_on_where_it_was(
    alice: User, bob: User, sent: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    [scan], [note] = give(alice, 1), give(bob, 1)
    began: list[int] = []

    def read_pages(path: Path, *, source_type: str, limits: Limits, resume: ReadingPoint | None = None) -> Any:
        total = 4 if "alice" in path.read_text() else 1
        began.append(resume.page if resume else 0)
        yield DocumentHeader(title=None, page_total=total, paged=True)
        for number in range(began[-1] + 1, total + 1):
            ocr = OcrReading(confidence=0.9, cpu_seconds=1.5) if total > 1 else None
            yield PageText(number=number, text=f"Page {number} of many.", state={"at": number}, ocr=ocr)

    monkeypatch.setattr(ingest, "read_pages", read_pages)
    monkeypatch.setattr(ingest_scheduling, "TURN_SECONDS", 0.0)
    queue = [str(scan.pk), str(note.pk)]
    while queue:
        tasks.ingest_document.apply(kwargs={"document_id": queue.pop(0)})
        queue += sent
        sent.clear()
    for document in (scan, note):
        document.refresh_from_db()
        assert document.status == DocumentStatus.READY
    # The scan stopped after its first page, the note was read, and the scan went on with nobody waiting.
    assert began == [0, 0, 1]
    assert note.updated_at < scan.updated_at
    assert [page.text for page in scan.pages.live().order_by("number")] == [f"Page {at} of many." for at in range(1, 5)]


def test_small_files_pass_large_ones_that_came_with_them_and_no_large_one_waits_for_ever(alice: User) -> None:
    large, small = give(alice, 2)
    Document.objects.filter(pk=large.pk).update(file_bytes=20_000_000)
    assert small.file_bytes == len("Rule 1 of alice@example.org.")
    assert ingest_scheduling.claim_next(large.pk) == small.pk
    Document.objects.filter(pk=small.pk).update(status=DocumentStatus.READY)
    Document.objects.filter(pk=large.pk).update(queued_at=timezone.now() - timedelta(minutes=4))
    [late] = give(alice, 1)
    assert ingest_scheduling.claim_next(late.pk) == large.pk


def test_a_large_file_has_its_turn_though_it_was_sent_again_meanwhile(alice: User, sent: list[str]) -> None:
    [large] = give(alice, 1)
    long_ago = timezone.now() - timedelta(minutes=9)
    Document.objects.filter(pk=large.pk).update(file_bytes=50_000_000, updated_at=long_ago, queued_at=long_ago)
    assert tasks.resume_unfinished() == 1
    assert sent == [str(large.pk)]
    [late] = give(alice, 1)
    assert ingest_scheduling.claim_next(late.pk) == large.pk


def test_a_document_that_is_read_again_waits_from_then_on(alice: User) -> None:
    first, second = give(alice, 2)
    Document.objects.update(queued_at=timezone.now() - timedelta(hours=1))
    Document.objects.filter(pk=first.pk).update(status=DocumentStatus.READY)
    reingest_document(first, enqueue=False)
    assert ingest_scheduling.claim_next(first.pk) == second.pk


def test_small_files_do_not_wait_for_a_long_scan_of_the_same_owner(alice: User) -> None:
    scan, first, second = give(alice, 3)
    Document.objects.filter(pk=scan.pk).update(file_bytes=40_000_000)
    assert [ingest_scheduling.claim_next(scan.pk) for _ in range(2)] == [first.pk, second.pk]
    Document.objects.filter(pk=scan.pk).update(pages_done=3)  # it was begun, and made way for others
    late = add_text(knowledge_base=scan.knowledge_base, title="Late", text="Late.", enqueue=False).document
    assert ingest_scheduling.claim_next(scan.pk) == late.pk
    assert ingest_scheduling.claim_next(scan.pk) == scan.pk
