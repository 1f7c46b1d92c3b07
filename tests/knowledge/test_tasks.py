from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any
from uuid import UUID

import pytest
from celery.exceptions import Retry
from django.core.cache import cache
from django.db import OperationalError
from django.utils import timezone

from knowledge import ingest_scheduling, lease, tasks
from knowledge.documents.lifecycle import add_url, delete_document, reingest_document
from knowledge.embedders import EmbedderUnavailable, clear_embedders
from knowledge.ingest import ingest
from knowledge.models import Chunk, Document, Embedding, Revision, Source
from knowledge.task_queue import publish_ingest
from lexic import egress
from lexic.celery import app
from lexic.publish_task import publish_task
from tests.knowledge.bases import (
    CountingEmbedder,
    add_markdown,
    alive,
    check_sound,
    make_base,
    prose,
)
from tests.openai_stub import OpenAIStub, Status

pytestmark = pytest.mark.django_db
ROUTED = {"ingest_document": "reading", "index_vectors": "reading", "resume_unfinished": "lexic"}


def run(document: Document, *, retries: int = 0) -> Any:
    """The task as a worker runs it; a retry is raised instead of sent."""
    return tasks.ingest_document.apply(kwargs={"document_id": str(document.pk)}, retries=retries, throw=True)


def attempt(document: Document, *, retries: int) -> int:
    """One attempt that ends in a retry; returns how many seconds later that is to be."""
    with pytest.raises(Retry) as retry, called_directly(retries):
        tasks.ingest_document.run(document_id=str(document.pk))
    return int(retry.value.when)


@contextmanager
def called_directly(retries: int) -> Iterator[None]:
    tasks.ingest_document.push_request(
        retries=retries, called_directly=False, id="test", args=[], kwargs={}, is_eager=False, delivery_info={}
    )
    try:
        yield
    finally:
        tasks.ingest_document.pop_request()


def quiet_since(document: Document, **ago: float) -> None:
    Document.objects.filter(pk=document.pk).update(updated_at=timezone.now() - timedelta(**ago))


def test_the_task_reads_the_document(embedder: CountingEmbedder) -> None:
    base = make_base()
    run(add_markdown(base, "Wear boots."))
    assert alive(base) == ["Wear boots."]


def test_a_task_for_a_document_that_is_gone_does_nothing(embedder: CountingEmbedder) -> None:
    document = add_markdown(make_base(), "Wear boots.")
    Document.objects.all().delete()
    run(document)
    assert not Document.objects.exists()


def test_while_the_provider_is_away_the_document_says_so_and_waits_longer_each_time(
    embedder: CountingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> None:
        raise EmbedderUnavailable

    embedder.trouble = away
    monkeypatch.setattr(tasks.Task, "apply_async", lambda *args, **kwargs: None)
    document = add_markdown(make_base(), "Wear boots.")
    waits = []
    for retries in range(5):
        waits.append(attempt(document, retries=retries))
        document.refresh_from_db()
        assert document.status == "embedding"
        assert document.error == f"Waiting for the embedding provider, attempt {retries + 1} of 6."
    assert waits == [10, 20, 40, 80, 160]
    run(document, retries=5)
    document.refresh_from_db()
    assert (document.status, document.error_code) == ("failed", "provider_unavailable")
    # What is staged stays: reading again goes on from there.
    assert Chunk.objects.staged().filter(document=document).count() == 1


def test_a_database_that_is_away_is_tried_again(embedder: CountingEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise OperationalError("server closed the connection unexpectedly")

    embedder.trouble = broken
    monkeypatch.setattr(tasks.Task, "apply_async", lambda *args, **kwargs: None)
    document = add_markdown(make_base(), "Wear boots.")
    assert attempt(document, retries=0) == 10


def test_a_database_that_is_away_before_anything_is_claimed_loses_no_message(
    embedder: CountingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(document_id: UUID) -> None:
        raise OperationalError("the database system is starting up")

    monkeypatch.setattr(ingest_scheduling, "claim_next", broken)
    monkeypatch.setattr(tasks.Task, "apply_async", lambda *args, **kwargs: None)
    assert attempt(add_markdown(make_base(), "Wear boots."), retries=0) == 10


def test_a_database_that_is_lost_as_a_document_ends_takes_nothing_back(
    embedder: CountingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**kwargs: Any) -> None:
        raise OperationalError("the connection is closed")

    monkeypatch.setattr(ingest_scheduling, "next_waiting", broken)
    document = add_markdown(make_base(), "Wear boots.")
    run(document)
    document.refresh_from_db()
    assert document.status == "ready"


def test_what_finds_lost_messages_does_not_wait_behind_the_others() -> None:
    queues = {name: app.amqp.router.route({}, f"knowledge.{name}")["queue"].name for name in ROUTED}
    assert queues == ROUTED


@pytest.fixture
def provider(settings: Any) -> Iterator[OpenAIStub]:
    with OpenAIStub() as stub:
        settings.OPENAI_BASE_URL, settings.OPENAI_API_KEY = stub.base_url, "any"
        clear_embedders()
        yield stub
    clear_embedders()


def test_a_provider_that_says_too_many_requests_is_asked_again(
    provider: OpenAIStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = make_base(embedder="openai:text-embedding-3-small:64")
    document = add_markdown(base, prose("pump", paragraphs=9))
    monkeypatch.setattr(tasks.Task, "apply_async", lambda *args, **kwargs: None)
    provider.script += [Status(429, headers={"Retry-After": "0"})] * 8
    attempt(document, retries=0)
    document.refresh_from_db()
    assert (document.status, document.error_code) == ("embedding", "waiting_for_provider")
    provider.script.clear()
    run(document, retries=1)
    document.refresh_from_db()
    base.refresh_from_db()
    assert (document.status, document.error) == ("ready", "")
    assert base.dimensions == 64
    assert Embedding.objects.filter(document=document).count() == len(alive(base))
    check_sound(base)


def test_a_provider_that_refuses_the_key_is_not_asked_again(provider: OpenAIStub) -> None:
    document = add_markdown(make_base(embedder="openai:text-embedding-3-small:64"), "Wear boots.")
    provider.script += [Status(401)]
    run(document)
    document.refresh_from_db()
    assert (document.status, document.error_code) == ("failed", "embedder_rejected")
    assert len(provider.calls) == 1


def test_quiet_unfinished_documents_are_sent_again(embedder: CountingEmbedder, sent: list[str]) -> None:
    base = make_base()
    old, new, waiting, ready, failed = (add_markdown(base, f"Rule {n}.", name=f"{n}.md") for n in range(5))
    ingest(ready.pk)
    Document.objects.filter(pk=failed.pk).update(status="failed")
    Document.objects.filter(pk=waiting.pk).update(status="embedding", error_code=tasks.WAITING_ERROR_CODE)
    for document in (old, waiting, ready, failed):
        quiet_since(document, minutes=5)
    assert tasks.resume_unfinished() == 1
    assert sent == [str(old.pk)]
    quiet_since(waiting, minutes=11)
    assert tasks.resume_unfinished() == 1
    assert sent[1:] == [str(waiting.pk)]
    assert new.status == "queued"


def test_a_worker_that_starts_takes_up_everything(embedder: CountingEmbedder, sent: list[str]) -> None:
    base = make_base()
    documents = [add_markdown(base, f"Rule {n}.", name=f"{n}.md") for n in range(3)]
    assert tasks.resume_unfinished(at_start=True) == 3
    assert sorted(sent) == sorted(str(document.pk) for document in documents)


def test_what_somebody_reads_is_not_sent_again(embedder: CountingEmbedder, sent: list[str]) -> None:
    document = add_markdown(make_base(), "Wear boots.")
    with lease.document_lease(document.pk) as ours:
        assert ours
        assert tasks.resume_unfinished(at_start=True) == 0
    assert tasks.resume_unfinished(at_start=True) == 1


def test_a_long_queue_is_not_filled_with_doubles(embedder: CountingEmbedder, sent: list[str]) -> None:
    document = add_markdown(make_base(), "Wear boots.")
    quiet_since(document, minutes=5)
    assert [tasks.resume_unfinished(), tasks.resume_unfinished()] == [1, 0]


def test_no_more_messages_wait_than_documents(embedder: CountingEmbedder) -> None:
    base = make_base()
    documents = [add_markdown(base, f"Rule {n}.", name=f"{n}.md") for n in range(6)]
    with app.connection_for_write() as connection:
        broker = connection.default_channel.client
        broker.delete("reading")
        for document in documents[:4]:
            publish_ingest(document.pk)
        for _ in range(3):  # the backlog is long, and all have been quiet for a while, again and again
            Document.objects.update(updated_at=timezone.now() - timedelta(minutes=5))
            tasks.resume_unfinished()
        assert broker.llen("reading") == 6
        broker.delete("reading")


def test_messages_of_other_tasks_have_no_document_read(embedder: CountingEmbedder) -> None:
    base = make_base()
    document = add_markdown(base, "Wear boots.")
    with app.connection_for_write() as connection:
        broker = connection.default_channel.client
        broker.delete("reading")
        for number in range(3):
            publish_task("knowledge.index_vectors", knowledge_base_id=number)
        quiet_since(document, minutes=5)
        assert tasks.resume_unfinished() == 1
        quiet_since(document, minutes=5)
        assert tasks.resume_unfinished() == 0, "its message is there"
        assert broker.llen("reading") == 4
        broker.delete("reading")


def test_what_a_dead_reader_left_is_read_for_any_message(embedder: CountingEmbedder, sent: list[str]) -> None:
    base = make_base()
    left, other = (add_markdown(base, f"Rule {n}.", name=f"{n}.md") for n in range(2))
    Document.objects.filter(pk=left.pk).update(status="embedding")
    quiet_since(left, minutes=5)
    assert tasks.resume_unfinished() == 1
    left.refresh_from_db()
    assert left.status == "queued"
    run(other)
    run(other)
    assert sorted(alive(base)) == ["Rule 0.", "Rule 1."]


def test_a_document_that_ends_its_workers_is_given_up(embedder: CountingEmbedder) -> None:
    document = add_markdown(make_base(), "Wear boots.")
    for _ in range(tasks.MAX_STARTS):  # starts that no end followed
        assert tasks._count_start(str(document.pk)) <= tasks.MAX_STARTS
    run(document)
    document.refresh_from_db()
    assert (document.status, document.error_code) == ("failed", "worker_died")
    assert embedder.texts == []
    reingest_document(document, enqueue=False)
    run(document)
    document.refresh_from_db()
    assert document.status == "ready"
    assert cache.get(tasks._start_count_key(str(document.pk))) is None


def test_a_count_of_starts_that_the_cache_loses_begins_anew(
    embedder: CountingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = add_markdown(make_base(), "Wear boots.")
    monkeypatch.setattr(cache, "add", lambda *args, **kwargs: False)  # Redis dies before the number is there
    run(document)
    document.refresh_from_db()
    assert document.status == "ready"


class Site(BaseHTTPRequestHandler):
    pages = {
        "/rules": ("text/html; charset=utf-8", b"<title>Rules</title><p>Wear boots.</p>"),
        "/rules.bin": ("application/octet-stream", b"\x00\x01\x02"),
    }

    def do_GET(self) -> None:
        kind, body = self.pages[self.path]
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A web site on this machine, to which the egress policy makes one exception."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        policy = egress.EgressPolicy(exempt=frozenset({("127.0.0.1", server.server_port)}))
        monkeypatch.setattr(egress, "fetch", partial(egress.fetch, policy=policy))
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_a_web_page_is_fetched_and_read(embedder: CountingEmbedder, site: str) -> None:
    base = make_base()
    document = add_url(knowledge_base=base, url=f"{site}/rules", enqueue=False).document
    run(document)
    document.refresh_from_db()
    assert (document.status, document.error, document.title) == ("ready", "", "Rules")
    assert alive(base) == ["Wear boots."]
    assert document.sha256 == document.ready_sha256 != ""
    check_sound(base)


def test_a_web_page_is_fetched_anew_when_it_is_read_again(
    embedder: CountingEmbedder, site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = make_base()
    document = add_url(knowledge_base=base, url=f"{site}/rules", enqueue=False).document
    run(document)
    monkeypatch.setitem(Site.pages, "/rules", ("text/html", b"<title>Rules</title><p>Wear gloves.</p>"))
    reingest_document(document, enqueue=False)
    run(document)
    assert alive(base) == ["Wear gloves."]
    assert base.revision == 2


def test_two_addresses_with_the_same_content_are_said_to_be_that(embedder: CountingEmbedder, site: str) -> None:
    base = make_base()
    first = add_url(knowledge_base=base, url=f"{site}/rules", enqueue=False).document
    second = add_url(knowledge_base=base, url=f"{site}/rules#top", enqueue=False).document
    run(first)
    run(second)
    second.refresh_from_db()
    assert (second.status, second.error_code) == ("failed", "duplicate")


def test_an_address_that_returns_no_document_fails(embedder: CountingEmbedder, site: str) -> None:
    document = add_url(knowledge_base=make_base(), url=f"{site}/rules.bin", enqueue=False).document
    run(document)
    document.refresh_from_db()
    assert (document.status, document.error_code) == ("failed", "unsupported")


def test_pruning_goes_over_every_base(embedder: CountingEmbedder) -> None:
    for name in ("one", "two"):
        document = add_markdown(make_base(name=name), "Wear boots.")
        ingest(document.pk)
        delete_document(document)
    assert tasks.prune_knowledge() == 0
    Revision.objects.update(created_at=timezone.now() - timedelta(days=2))
    assert tasks.prune_knowledge() == 2
    assert Document.objects.count() == 0


def test_the_timetable_enqueues_the_sources_from_elsewhere_that_are_due(
    embedder: CountingEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(tasks, "enqueue_sync", asked.append)
    base, now = make_base(), timezone.now()
    moments = {"due": now, "later": now + timedelta(hours=1), "paused": now, "never": None}
    rows = {
        name: Source.objects.create(
            knowledge_base=base,
            kind="website",
            location=f"https://example.org/{name}",
            due_at=moment,
            is_paused=name == "paused",
            interval_hours=6,
        )
        for name, moment in moments.items()
    }
    assert tasks.sync_sources() == 1
    assert asked == [rows["due"].pk]
    rows["due"].refresh_from_db()
    assert rows["due"].due_at
    assert rows["due"].due_at > now + timedelta(hours=5)
