"""Searches ask a replica that has what they need, and the primary when it has not, or is away. Two real servers."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import connections, transaction

from knowledge.documents.lifecycle import delete_document
from knowledge.health_checks import check_replica
from knowledge.ingest import ingest
from knowledge.models import Document, KnowledgeBase
from knowledge.prune import prune_knowledge_base
from knowledge.search import replica
from knowledge.search.filters import Filters
from knowledge.search.hybrid import BaseRevision, search
from lexic.diagnostics import CheckFailed
from tests.knowledge.bases import CountingEmbedder, add_markdown, make_base, registered
from tests.replica import Replica, running_replica

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "replica"])
EMBEDDER = CountingEmbedder()


@pytest.fixture(scope="module")
def server(django_db_setup: None, django_db_blocker: Any) -> Iterator[Replica]:
    with django_db_blocker.unblock(), running_replica() as copy:
        yield copy


@pytest.fixture
def copy(transactional_db: None, server: Replica, monkeypatch: pytest.MonkeyPatch) -> Iterator[Replica]:
    """The replica, with what there is. Seconds are long, so that a busy machine makes it no later than it is."""
    monkeypatch.setattr(replica, "MAX_LAG_SECONDS", 3600.0)
    replica.primary_log.forget()
    replica.primary_log.position()
    server.catch_up()
    replica.outage.end()
    with registered(EMBEDDER):
        yield server
    server.resume()
    connections[replica.REPLICA].close()
    replica.outage.end()


@pytest.fixture
def base(copy: Replica) -> KnowledgeBase:
    """Two documents that are read, on both servers."""
    made = make_base()
    for name, text in {"boots.md": "Boots are worn on site.", "gloves.md": "Gloves are worn with wire."}.items():
        ingest(add_markdown(made, text, name=name).pk)
    made.refresh_from_db()
    copy.catch_up()
    return made


def asked(base: KnowledgeBase, *, revision: int | None = None, filters: Filters | None = None) -> tuple[bool, set[str]]:
    """Whether the replica proposed the passages, and their texts."""
    at = BaseRevision(knowledge_base_id=base.pk, revision=revision or base.revision, embedder=base.embedder)
    vector = {base.embedder: EMBEDDER.embed(["worn"])[0]}
    statements: list[str] = []

    def note(execute: Any, sql: str, *arguments: Any) -> Any:
        statements.append(sql)
        return execute(sql, *arguments)

    with connections[replica.REPLICA].execute_wrapper(note):
        found = search(knowledge_bases=[at], text="worn", embedding=vector, filters=filters)
    return any("knowledge_chunkterms" in sql for sql in statements), {passage.content for passage in found}


BOTH = {"Boots are worn on site.", "Gloves are worn with wire."}


def test_a_replica_that_has_everything_is_asked(base: KnowledgeBase) -> None:
    assert asked(base) == (True, BOTH)


def test_a_revision_that_it_does_not_have_is_searched_on_the_primary(base: KnowledgeBase, copy: Replica) -> None:
    before = base.revision
    assert asked(base) == (True, BOTH)
    copy.pause()
    ingest(add_markdown(base, "Helmets are worn below cranes.", name="helmets.md").pk)
    base.refresh_from_db()
    assert asked(base) == (False, BOTH | {"Helmets are worn below cranes."})
    assert asked(base, revision=before) == (True, BOTH), "what a release pins is there"
    copy.resume()
    copy.catch_up()
    assert asked(base) == (True, BOTH | {"Helmets are worn below cranes."})


def test_one_that_is_too_far_behind_is_not_asked_for_old_revisions_either(
    base: KnowledgeBase, copy: Replica, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = base.revision
    assert asked(base) == (True, BOTH)
    copy.pause()
    ingest(add_markdown(base, "Helmets are worn below cranes.", name="helmets.md").pk)
    monkeypatch.setattr(replica, "MAX_LAG_SECONDS", 0.0)
    assert asked(base, revision=before) == (False, BOTH)


def test_what_was_deleted_since_does_not_come_back(base: KnowledgeBase, copy: Replica) -> None:
    assert asked(base) == (True, BOTH)
    copy.pause()
    delete_document(base.documents.order_by("pk").get(chunks__content__startswith="Boots"))
    prune_knowledge_base(base, older_than=timedelta(0))
    _, found = asked(base)
    assert found == {"Gloves are worn with wire."}


def test_a_filter_keeps_out_what_has_another_label_by_now(base: KnowledgeBase, copy: Replica) -> None:
    public = Filters(is_public=True)
    Document.objects.update(is_public=True)
    copy.catch_up()
    assert asked(base, filters=public) == (True, BOTH)
    copy.pause()
    Document.objects.filter(chunks__content__startswith="Boots").update(is_public=False)
    assert asked(base, filters=public) == (True, {"Gloves are worn with wire."})


def test_while_it_is_dead_the_primary_is_asked_at_once_and_it_again_later(
    base: KnowledgeBase, copy: Replica, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert asked(base) == (True, BOTH)
    copy.stop()
    try:
        assert asked(base) == (False, BOTH)
        assert replica.outage.is_on()
        monkeypatch.setattr(replica, "primary_log", None)  # nobody looks how far it is
        assert asked(base) == (False, BOTH)
        monkeypatch.undo()
    finally:
        copy.start()
    copy.catch_up()
    replica.outage._until = 1.0  # the seconds are over
    assert asked(base) == (True, BOTH)
    assert not replica.outage.is_on()


def test_what_fails_half_way_is_done_again_on_the_primary(
    base: KnowledgeBase, copy: Replica, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert asked(base) == (True, BOTH)
    can_answer = replica.can_answer

    def answers_and_stops(bases: Any) -> bool:
        can = can_answer(bases)
        copy.stop()
        return can

    monkeypatch.setattr(replica, "can_answer", answers_and_stops)
    try:
        assert asked(base)[1] == BOTH
        assert replica.outage.is_on()
    finally:
        copy.start()


def test_within_a_transaction_the_primary_is_asked(base: KnowledgeBase) -> None:
    with transaction.atomic():
        ingest_is_seen = asked(base)
    assert ingest_is_seen == (False, BOTH)


def test_doctor_says_how_far_it_is_behind_and_when_it_is_away(base: KnowledgeBase, copy: Replica) -> None:
    assert check_replica().endswith("bytes of the log behind")
    copy.stop()
    connections[replica.REPLICA].close()
    try:
        with pytest.raises(CheckFailed, match="It does not answer"):
            check_replica()
    finally:
        copy.start()


def test_a_server_that_follows_nobody_is_no_replica(base: KnowledgeBase) -> None:
    connections[replica.REPLICA].close()
    connections[replica.REPLICA].settings_dict["HOST"] = connections["default"].settings_dict["HOST"]
    assert asked(base) == (False, BOTH)
    with pytest.raises(CheckFailed, match="follows no other"):
        check_replica()
