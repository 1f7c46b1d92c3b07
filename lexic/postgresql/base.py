"""The database backend: Django's for PostgreSQL, whose pool keeps nobody waiting for a database that is away."""

from __future__ import annotations

from typing import Any

from django.db.backends.postgresql import base
from psycopg_pool import ConnectionPool, PoolTimeout

# Once a caller has waited in vain and connections could not be made, the others wait so long, until one succeeds.
_AWAY_TIMEOUT_SECONDS = 0.5


class DatabaseWrapper(base.DatabaseWrapper):
    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        pool = self.pool
        if pool is None:
            return super().get_new_connection(conn_params)
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


def _count_failures(pool: ConnectionPool[Any]) -> int:
    """Connections that could not be made, or were found dead when somebody asked for one."""
    stats = pool.get_stats()
    return stats.get("connections_errors", 0) + stats.get("connections_lost", 0)
