"""Reads the database as it is at one moment, with nothing but a connection: no client programs are needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from psycopg import Connection, sql

from backups.backup_store import PIECE_BYTES, BackupStore
from backups.manifest import TableCopy
from knowledge.lease_models import Lease

# Tables of the schema that Django works in, but for those of extensions, with the columns that are not computed and
# those of the primary key: in its order, a table that was only added to gives the same pieces again.
TABLES = """
SELECT class.relname,
    ARRAY(SELECT attname::text FROM pg_attribute
        WHERE attrelid = class.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum),
    ARRAY(SELECT attname::text FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY(indkey)
        WHERE indrelid = class.oid AND indisprimary ORDER BY array_position(indkey::int2[], attnum))
FROM pg_class AS class
WHERE class.relkind = 'r' AND class.relnamespace = current_schema()::regnamespace
    AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = class.oid AND deptype = 'e')
ORDER BY class.relname
"""
_SEQUENCES = "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = current_schema() AND last_value > 0"


@contextmanager
def database_snapshot() -> Iterator[Connection[Any]]:
    """A connection that sees the database as it is now, whatever is written meanwhile."""
    own = connection.copy()  # beside the one that Django works with
    try:
        own.ensure_connection()
        with own.wrap_database_errors, own.connection.transaction():
            own.connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield own.connection
    finally:
        own.close()


def copy_tables(snapshot: Connection[Any], store: BackupStore) -> list[TableCopy]:
    """Every table of the snapshot; without rows those that say what the processes of this moment do."""
    return [
        TableCopy(name=name, columns=columns, rows=0, pieces=[])
        if name == Lease._meta.db_table
        else _copy_table(snapshot, store, name=name, columns=columns, key=key)
        for name, columns, key in snapshot.execute(TABLES).fetchall()
    ]


def read_sequences(snapshot: Connection[Any]) -> dict[str, int]:
    """The last value that each sequence gave."""
    return {name: int(value) for name, value in snapshot.execute(_SEQUENCES).fetchall()}


def read_migrations(snapshot: Connection[Any]) -> list[str]:
    """The applied migrations, as `app.name`."""
    rows = snapshot.execute("SELECT app || '.' || name FROM django_migrations ORDER BY 1").fetchall()
    return [name for (name,) in rows]


def _copy_table(
    snapshot: Connection[Any], store: BackupStore, *, name: str, columns: list[str], key: list[str]
) -> TableCopy:
    order = sql.SQL("ORDER BY {}").format(_identifiers(key)) if key else sql.SQL("")
    statement = sql.SQL("COPY (SELECT {} FROM {} {}) TO STDOUT").format(
        _identifiers(columns), sql.Identifier(name), order
    )
    pieces, rows, gathered = [], 0, bytearray()
    with snapshot.cursor() as cursor, cursor.copy(statement) as copy:
        for data in copy:
            rows += bytes(data).count(b"\n")  # one inside a value is written in another way
            gathered += data
            if len(gathered) >= PIECE_BYTES:
                pieces.append(store.add(bytes(gathered)))
                gathered.clear()
    if gathered:
        pieces.append(store.add(bytes(gathered)))
    return TableCopy(name=name, columns=columns, rows=rows, pieces=pieces)


def _identifiers(names: list[str]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, names))
