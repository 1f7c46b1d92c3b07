"""The row of a private question is written while its asker, its documents or its plugin is deleted: no word is left."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest
from django.db import transaction

from accounts.models import ApiKey, User
from conversations.models import ChatSession
from knowledge.models import KnowledgeBase
from plugins.models import Plugin
from privacy.account_deletion import delete_account
from privacy.plugin_deletion import delete_plugin
from privacy.storage_sweep import inspect_storage, sweep_storage
from querying.models import ERASED_COLUMNS, Query
from querying.query_log import record_query
from tests.conversations.layered import PRIVATE_DELETIONS, QUESTION, ask, personal
from tests.cover import handbook, plugin, published
from tests.two_transactions import wait_in_turn

__all__ = ["handbook", "personal", "plugin", "published"]
# What each deletion deletes, of the world that `world` returns.
DELETIONS: dict[str, Callable[[], None]] = {
    **PRIVATE_DELETIONS,
    "account": lambda: delete_account(User.objects.get(email__startswith="bob")),
    "plugin": lambda: delete_plugin(Plugin.objects.get()),
}
concurrent = pytest.mark.django_db(transaction=True)


@pytest.fixture
def record(
    published: Plugin, personal: KnowledgeBase, bob: User, monkeypatch: pytest.MonkeyPatch
) -> record_query.QueryRecord:
    """Bob's question, which has been answered, and whose row has not been written."""
    records: list[record_query.QueryRecord] = []

    async def keep(record: record_query.QueryRecord) -> None:
        records.append(record)

    with monkeypatch.context() as patch:
        patch.setattr(record_query, "_write_row", keep)
        _, answer = ask(published, bob, text=QUESTION)
    assert answer.citations
    return records[0]


def assert_without_words(row: Query) -> None:
    assert row.erased_at
    assert {name: getattr(row, name) for name in ERASED_COLUMNS} == ERASED_COLUMNS


@concurrent
@pytest.mark.parametrize("deleted", DELETIONS)
def test_a_deletion_waits_for_a_row_that_is_being_written(
    record: record_query.QueryRecord, deleted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(hold: Callable[[], None]) -> None:
        monkeypatch.setattr(record_query.refusal_webhook, "report_refusal", lambda query: hold())
        record_query._save_row(record)

    wait_in_turn(write, DELETIONS[deleted])
    rows = list(Query.objects.all())
    assert len(rows) == (deleted != "account")
    for row in rows:
        assert_without_words(row)


@concurrent
@pytest.mark.parametrize("deleted", DELETIONS)
def test_a_row_waits_for_a_deletion_and_has_no_words(record: record_query.QueryRecord, deleted: str) -> None:
    def delete(hold: Callable[[], None]) -> None:
        with transaction.atomic():
            DELETIONS[deleted]()
            hold()

    wait_in_turn(delete, lambda: record_query._save_row(record))
    row = Query.objects.get()
    assert_without_words(row)
    assert (row.user_id is None) == (deleted == "account")
    bases = set(KnowledgeBase.objects.values_list("pk", flat=True))
    assert {pin["knowledge_base"] for pin in row.knowledge} <= bases


@pytest.mark.django_db
def test_a_row_is_kept_where_nothing_was_deleted(record: record_query.QueryRecord, bob: User) -> None:
    record_query._save_row(record)
    row = Query.objects.get()
    assert (row.question, row.erased_at, row.user) == (QUESTION, None, bob)
    assert len(row.knowledge) == 2


@pytest.mark.django_db
def test_an_old_pin_of_a_base_that_is_gone_erases_nothing(
    record: record_query.QueryRecord, bob: User, published: Plugin
) -> None:
    """A release may pin a base that was deleted long ago: nothing was read from it."""
    release = record.question.release
    release.knowledge = [*release.knowledge, {"knowledge_base": 10**6, "revision": 1, "embedder": "local"}]
    record_query._save_row(record)
    assert Query.objects.get().question == QUESTION
    sweep_storage()
    assert Query.objects.get().question == QUESTION


@concurrent
def test_a_key_that_is_deleted_meanwhile_leaves_a_row_without_words(
    record: record_query.QueryRecord, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = record_query._query_columns(record) | {"api_key_id": uuid.uuid4()}
    monkeypatch.setattr(record_query, "_query_columns", lambda _: columns)
    record_query._save_row(record)
    row = Query.objects.get()
    assert_without_words(row)
    assert (row.user, row.api_key) == (None, None)


# --- What the sweep finds -----------------------------------------------------------------------------------------


@pytest.mark.django_db
@pytest.mark.parametrize("lost", ["user", "base", "conversation", "nothing"])
def test_the_sweep_erases_what_belongs_to_nobody(
    record: record_query.QueryRecord, personal: KnowledgeBase, bob: User, lost: str
) -> None:
    session = ChatSession.objects.begin_private(user=bob, project=None, title="x")
    record_query._save_row(record)
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
def test_a_row_of_a_key_alone_is_somebodys(record: record_query.QueryRecord, bob: User) -> None:
    key, _ = ApiKey.objects.issue(owner=bob, name="x")
    record_query._save_row(record)
    Query.objects.update(user=None, api_key=key)
    assert not inspect_storage().orphaned_questions
