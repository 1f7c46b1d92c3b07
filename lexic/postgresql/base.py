"""The database backend: Django's for PostgreSQL, in whose web processes nobody waits long for a database that is away.

Workers and commands do wait: their work goes on when it is back.
"""

from __future__ import annotations

from typing import Any

import psycopg
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.postgresql import base
from django.db.backends.utils import CursorWrapper
from psycopg import IsolationLevel
from psycopg_pool import ConnectionPool, PoolTimeout

from lexic.postgresql.watched_connection import CONNECT_SECONDS, WatchedConnection

# Once a caller has waited in vain and connections could not be made, the others wait so long, until one succeeds.
_AWAY_TIMEOUT_SECONDS = 0.5
_is_web = False


def watch_connections() -> None:
    """Called by a web process. From now on its connections are watched, also those that are of no pool."""
    global _is_web
    _is_web = True


def prepared_cursor(using: str = DEFAULT_DB_ALIAS) -> CursorWrapper:
    """A cursor for statements that are asked again and again with other values: PostgreSQL reads and plans each of them
    once for a connection. Where sessions are not ours alone (`lexic.conf.database`), it is a cursor like any other."""
    database = connections[using]
    return database.prepared_cursor() if isinstance(database, DatabaseWrapper) else database.cursor()


def binary_cursor(using: str = DEFAULT_DB_ALIAS) -> CursorWrapper:
    """A cursor whose values come as bytes: a column of bytes is twice as long as text."""
    database = connections[using]
    return database.cursor_of(BinaryCursor) if isinstance(database, DatabaseWrapper) else database.cursor()


class PreparedCursor(base.CursorMixin, psycopg.Cursor[Any]):
    """One of psycopg's, which prepares statements and sends their values beside them."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        try:
            return super().execute(query, params, **options)
        except psycopg.errors.FeatureNotSupported:
            # A migration has given a column another type since the statement was prepared.
            if self.connection.info.transaction_status != psycopg.pq.TransactionStatus.IDLE:
                raise  # the rollback forgets what was prepared
            self.connection.execute("DEALLOCATE ALL")
            return super().execute(query, params, **options)


class BinaryCursor(PreparedCursor):
    """Asks for binary values. Its statements are prepared where those of others are."""

    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        return super().execute(query, params, binary=True, **options)


class DatabaseWrapper(base.DatabaseWrapper):
    def prepared_cursor(self) -> CursorWrapper:
        """See the function of this name."""
        if self.settings_dict["OPTIONS"].get("prepare_threshold") is None:
            return self.cursor()
        return self.cursor_of(PreparedCursor)

    def cursor_of(self, factory: type[PreparedCursor]) -> CursorWrapper:
        """A cursor of this class in place of Django's usual one."""
        self.ensure_connection()
        usual = self.connection.cursor_factory
        self.connection.cursor_factory = factory
        try:
            return self.cursor()
        finally:
            self.connection.cursor_factory = usual

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        if pool := self.pool:
            return self._take_from(pool, conn_params)
        return self._connect_watched(conn_params) if _is_web else super().get_new_connection(conn_params)

    def _take_from(self, pool: ConnectionPool[Any], conn_params: dict[str, Any]) -> Any:
        before = _count_failures(pool)
        try:
            connection = super().get_new_connection(conn_params)
        except PoolTimeout:
            # A pool whose connections are all busy is no reason: one may be free in a moment.
            if _count_failures(pool) > before:
                pool.timeout = _AWAY_TIMEOUT_SECONDS
            raise
        pool.timeout = self.settings_dict["OPTIONS"]["pool"]["timeout"]
        return connection

    def _connect_watched(self, conn_params: dict[str, Any]) -> Any:
        connection = WatchedConnection.connect(**{"connect_timeout": CONNECT_SECONDS, **conn_params})
        chosen = self.settings_dict["OPTIONS"].get("isolation_level")
        self.isolation_level = IsolationLevel(chosen or IsolationLevel.READ_COMMITTED)
        if chosen:
            connection.isolation_level = self.isolation_level
        return connection


def _count_failures(pool: ConnectionPool[Any]) -> int:
    """Connections that could not be made, or were found dead when somebody asked for one."""
    stats = pool.get_stats()
    return stats.get("connections_errors", 0) + stats.get("connections_lost", 0)
