"""The database: the built-in one, or elsewhere by URL, and how long its connections wait."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dj_database_url

from local import embedded_services

EMBEDDED_DATABASE = "lexic"
_ENGINE = "lexic.postgresql"
# A peer that acknowledges nothing for so long is gone. A long statement is not cut: its server's machine acknowledges.
_SECONDS_UNTIL_GONE_IN_WEB, _SECONDS_UNTIL_GONE = 10, 60
# A statement of `prepared_cursor` is prepared when a connection is asked it for the second time.
_PREPARED_AFTER = 1


def read_database(url: str, *, data_folder: Path, pool_size: int) -> dict[str, Any]:
    """Connections that last for one piece of work, or of a pool: under ASGI a request runs on a short-lived thread, and
    a persistent connection would leak with it. Celery closes pools around every task; workers and commands do without.
    """
    if url:
        database: dict[str, Any] = dict(dj_database_url.parse(url, engine=_ENGINE))
    else:
        folder = str(embedded_services.Postgres(data_folder).socket_folder)
        database = {"ENGINE": _ENGINE, "NAME": EMBEDDED_DATABASE, "USER": "lexic", "HOST": folder}
    options = _tcp_options(_SECONDS_UNTIL_GONE_IN_WEB if pool_size else _SECONDS_UNTIL_GONE)
    if pool_size:
        options |= _pool_options(pool_size)
        # A pooler in between would give a statement to a session that has not prepared it, or another one by its name.
        options |= {} if url else {"prepare_threshold": _PREPARED_AFTER}
    # Cursors on the server belong to a session, and a pooler may give every transaction another one.
    constant = {"CONN_MAX_AGE": 0, "CONN_HEALTH_CHECKS": True, "DISABLE_SERVER_SIDE_CURSORS": True}
    return {**database, **constant, "OPTIONS": {**options, **database.get("OPTIONS", {})}}


def read_replica(url: str, *, data_folder: Path, pool_size: int) -> dict[str, Any]:
    """The primary is there instead, so nobody waits for a copy that does not answer."""
    database = read_database(url, data_folder=data_folder, pool_size=pool_size)
    database["OPTIONS"]["connect_timeout"] = 2
    if pool_size:
        database["OPTIONS"]["pool"]["timeout"] = 2
    return {**database, "TEST": {"MIRROR": "default"}}


def _tcp_options(seconds: int) -> dict[str, Any]:
    """What libpq asks of the system; it has no effect on a socket of the same machine."""
    return {"keepalives_idle": seconds, "keepalives_interval": 5, "tcp_user_timeout": seconds * 1000}


def _pool_options(pool_size: int) -> dict[str, Any]:
    from lexic.postgresql.watched_connection import CONNECT_SECONDS, WatchedConnection  # imports psycopg

    # After an outage the pool tries again when somebody asks, not when its own growing delay is over.
    pool = {"min_size": 1, "max_size": pool_size, "timeout": 5, "reconnect_timeout": 2}
    return {"connect_timeout": CONNECT_SECONDS, "pool": {**pool, "connection_class": WatchedConnection}}
