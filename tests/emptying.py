"""How a test whose data is committed leaves its database: as it found it.

Django truncates every table and makes the content types and permissions again, which takes longer than most tests.
Here the rows that there are are deleted, and what the migrations made stays.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterable
from typing import Any

from django.db import OperationalError, connection, transaction
from django.test import TransactionTestCase
from psycopg import sql

# After so long a wait, whoever has locked a table and does nothing is a thread that is no more.
PATIENCE = "30s"
# A table that takes more bytes is truncated: so many dead rows would slow down the tests that follow.
MANY = 4_000_000

_COUNT = "SELECT {name}, count(*) FROM {table}"

_END_IDLE_TRANSACTIONS = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND state LIKE 'idle in transaction%'
"""

_truncate = TransactionTestCase._fixture_teardown
_tables: list[str] = []
# What the migrations made: rows by table.
_made: dict[str, int] = {}


def install() -> None:
    """When the database is there, before any test has used it."""
    with connection.cursor() as cursor:
        _tables[:] = connection.introspection.table_names(cursor)
    _note_made()
    TransactionTestCase._fixture_teardown = _fixture_teardown


def _fixture_teardown(test: TransactionTestCase) -> None:
    if test.reset_sequences or test.serialized_rollback or not _delete():
        # The audit log refuses that.
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE audit_auditentry DISABLE TRIGGER USER")
        _truncate(test)
        with connection.cursor() as cursor:
            cursor.execute("ALTER TABLE audit_auditentry ENABLE TRIGGER USER")
        _note_made()
    # Where a browser keeps an event loop in this thread, this connection is another one, which nobody else would close.
    connection.close()


def filled() -> dict[str, int]:
    """How many rows the tables have that have any."""
    return {table: rows for table, rows in _each(_COUNT, _tables) if rows}


def _note_made() -> None:
    _made.clear()
    _made.update(filled())


def _delete() -> bool:
    """False where there is too much, or what the migrations made has changed."""
    with transaction.atomic(), connection.cursor() as cursor:
        _lock_tables(cursor)
        if dict(_each(_COUNT, _made)) != _made:
            return False
        filled = "SELECT {name}, pg_total_relation_size({name}) WHERE EXISTS (SELECT FROM {table})"
        sizes = dict(_each(filled, [table for table in _tables if table not in _made]))
        if any(size > MANY for size in sizes.values()):
            return False
        # Foreign keys are not looked at: all of their ends go.
        cursor.execute("SET LOCAL session_replication_role = replica")
        for table in sizes:
            cursor.execute(sql.SQL("DELETE FROM {}").format(sql.Identifier(table)))
    return True


def _lock_tables(cursor: Any) -> None:
    """As TRUNCATE would, wait for what other threads are about to commit; but not for ever for one that is no more and
    has left a transaction open: the warning about its connection can keep that alive until the test has ended."""
    lock = sql.SQL("LOCK TABLE {}").format(sql.SQL(", ").join(map(sql.Identifier, _tables)))
    with contextlib.suppress(OperationalError), transaction.atomic():
        cursor.execute(sql.SQL("SET LOCAL lock_timeout = {}").format(PATIENCE))
        cursor.execute(lock)
        return
    cursor.execute(_END_IDLE_TRANSACTIONS)
    cursor.execute(lock)


def _each(select: str, tables: Iterable[str]) -> list[tuple[str, int]]:
    """The rows of one statement that selects from each of the tables."""
    with connection.cursor() as cursor:
        cursor.execute(_union(select, tuple(tables)))
        return cursor.fetchall()


@functools.cache
def _union(select: str, tables: tuple[str, ...]) -> str:
    """Its text: to put it together for all tables takes as long as the database needs to answer it."""
    parts = [sql.SQL(select).format(name=sql.Literal(table), table=sql.Identifier(table)) for table in tables]
    return sql.SQL(" UNION ALL ").join(parts).as_string()
