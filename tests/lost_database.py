"""A database that is lost while something works, and comes back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, connections


@contextmanager
def database_away() -> Iterator[None]:
    """Inside the block nobody answers where the database was. Only for tests without a transaction around them."""
    there = connection.settings_dict["HOST"]
    connection.settings_dict["HOST"] = "/nowhere"
    connections.close_all()
    try:
        yield
    finally:
        connection.settings_dict["HOST"] = there


def end_own_session() -> None:
    """What an operator's restart does to a session in the middle of its work. Raises `OperationalError`."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_terminate_backend(pg_backend_pid())")
