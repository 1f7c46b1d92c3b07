"""The row of a private question is written while its asker, its documents or its plugin is deleted: no word is left."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from django.db import connection, transaction

from accounts.models import ApiKey, User
from conversations.models import ChatSession
from knowledge.models import Document, KnowledgeBase
from lexic.database import release_connections
from marketplace.account.account_deletion import delete_account
from marketplace.retention.document_deletion import delete_private_document
from marketplace.retention.plugin_deletion import delete_knowledge_base, delete_plugin
from marketplace.retention.storage_sweep import inspect_storage, sweep_storage
from plugins.models import Plugin
from querying.audit import log
from querying.models import ERASED_COLUMNS, Query
from tests.conversations.layered import QUESTION, ask, personal
from tests.cover import handbook, plugin, published

__all__ = ["handbook", "personal", "plugin", "published"]
# What each deletion deletes, of the world that `world` returns.
DELETIONS: dict[str, Callable[[], None]] = {
    "base": lambda: delete_knowledge_base(KnowledgeBase.objects.get(kind="personal")),
    "account": lambda: delete_account(User.objects.get(email__startswith="bob")),
    "document": lambda: delete_private_document(Document.objects.get(knowledge_base__kind="personal")),
    "plugin": lambda: delete_plugin(Plugin.objects.get()),
}
concurrent = pytest.mark.django_db(transaction=True)


@pytest.fixture
def record(published: Plugin, personal: KnowledgeBase, bob: User, monkeypatch: pytest.MonkeyPatch) -> log.QueryRecord:
    """Bob's question, which has been answered, and whose row has not been written."""
    records: list[log.QueryRecord] = []

    async def keep(record: log.QueryRecord) -> None:
        records.append(record)

    with monkeypatch.context() as patch:
        patch.setattr(log, "_write_row", keep)
        _, answer = ask(published, bob, text=QUESTION)
    assert answer.citations
    return records[0]


def wait_for_a_lock(other: Future[Any]) -> None:
    """Until the other thread waits for a lock of the database."""
    asked = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    for _ in range(1000):
        with connection.cursor() as cursor:
            cursor.execute(asked)
            [count] = cursor.fetchone() or [0]
        if count:
            return
        assert not other.done(), "it did not wait"
        time.sleep(0.01)
    raise AssertionError("it never began")


def in_thread(work: Callable[[], None]) -> Callable[[], None]:
    def run() -> None:
        with release_connections():
            work()

    return run


def assert_without_words(row: Query) -> None:
    assert row.erased_at
    assert {name: getattr(row, name) for name in ERASED_COLUMNS} == ERASED_COLUMNS


@concurrent
@pytest.mark.parametrize("deleted", DELETIONS)
def test_a_deletion_waits_for_a_row_that_is_being_written(
    record: log.QueryRecord, deleted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written, go = Event(), Event()

    def hold_open(query: Query) -> None:
        written.set()
        assert go.wait(20)

    monkeypatch.setattr(log.refusal_webhook, "report_refusal", hold_open)
    with ThreadPoolExecutor(2) as pool:
        writing = pool.submit(in_thread(lambda: log._save_row(record)))
        assert written.wait(20)
        deleting = pool.submit(in_thread(DELETIONS[deleted]))
        try:
            wait_for_a_lock(deleting)
        finally:
            go.set()
        writing.result(20)
        deleting.result(20)
    rows = list(Query.objects.all())
    assert len(rows) == (deleted != "account")
    for row in rows:
        assert_without_words(row)


@concurrent
@pytest.mark.parametrize("deleted", DELETIONS)
def test_a_row_waits_for_a_deletion_and_has_no_words(record: log.QueryRecord, deleted: str) -> None:
    gone, go = Event(), Event()

    def delete_slowly() -> None:
        with transaction.atomic():
            DELETIONS[deleted]()
            gone.set()
            assert go.wait(20)

    with ThreadPoolExecutor(2) as pool:
        deleting = pool.submit(in_thread(delete_slowly))
        assert gone.wait(20)
        writing = pool.submit(in_thread(lambda: log._save_row(record)))
        try:
            wait_for_a_lock(writing)
        finally:
            go.set()
        deleting.result(20)
        writing.result(20)
    row = Query.objects.get()
    assert_without_words(row)
    assert (row.user_id is None) == (deleted == "account")
    bases = set(KnowledgeBase.objects.values_list("pk", flat=True))
    assert {pin["knowledge_base"] for pin in row.knowledge} <= bases


@pytest.mark.django_db
def test_a_row_is_kept_where_nothing_was_deleted(record: log.QueryRecord, bob: User) -> None:
    log._save_row(record)
    row = Query.objects.get()
    assert (row.question, row.erased_at, row.user) == (QUESTION, None, bob)
    assert len(row.knowledge) == 2


@pytest.mark.django_db
def test_an_old_pin_of_a_base_that_is_gone_erases_nothing(
    record: log.QueryRecord, bob: User, published: Plugin
) -> None:
    """A release may pin a base that was deleted long ago: nothing was read from it."""
    release = record.question.release
    release.knowledge = [*release.knowledge, {"knowledge_base": 10**6, "revision": 1, "embedder": "local"}]
    log._save_row(record)
    assert Query.objects.get().question == QUESTION
    sweep_storage()
    assert Query.objects.get().question == QUESTION


@concurrent
def test_a_key_that_is_deleted_meanwhile_leaves_a_row_without_words(
    record: log.QueryRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = log._query_columns(record) | {"api_key_id": uuid.uuid4()}
    monkeypatch.setattr(log, "_query_columns", lambda _: columns)
    log._save_row(record)
    row = Query.objects.get()
    assert_without_words(row)
    assert (row.user, row.api_key) == (None, None)


# --- What the sweep finds -----------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("lost", ["user", "base", "conversation", "nothing"])
def test_the_sweep_erases_what_belongs_to_nobody(
    record: log.QueryRecord, personal: KnowledgeBase, bob: User, lost: str
) -> None:
    session = ChatSession.objects.begin_private(user=bob, project=None, title="x")
    log._save_row(record)
    Query.objects.update(conversation_id=session.pk)
    if lost == "user":
        Query.objects.update(user=None)
    elif lost == "base":
        personal.delete()
    elif lost == "conversation":
        session.delete()
    assert inspect_storage().orphaned_questions == (lost != "nothing")
    sweep_storage()
    row = Query.objects.get()
    if lost == "nothing":
        assert row.question == QUESTION
    else:
        assert_without_words(row)


@pytest.mark.django_db
def test_a_row_of_a_key_alone_is_somebodys(record: log.QueryRecord, bob: User) -> None:
    key, _ = ApiKey.objects.issue(owner=bob, name="x")
    log._save_row(record)
    Query.objects.update(user=None, api_key=key)
    assert not inspect_storage().orphaned_questions
