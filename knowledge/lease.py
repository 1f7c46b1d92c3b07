"""Leases, so that only one process does some work: advisory locks of PostgreSQL, which a crash releases as well."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from uuid import UUID

from django.db import Error, connection


@contextmanager
def try_lease(name: str) -> Iterator[bool]:
    """True inside the block when this database session alone holds the lease of this name; False when another one does.

    The lock belongs to the session, not to a transaction: none needs to be open during the work. Nobody waits for it.
    """
    key = lock_key(name)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [key])
        (is_ours,) = cursor.fetchone()
    try:
        yield is_ours
    finally:
        if is_ours:
            # A session that broke has lost its locks already.
            with suppress(Error), connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", [key])


def document_lease(document_id: UUID) -> AbstractContextManager[bool]:
    """The lease to read this document."""
    return try_lease(f"document:{document_id}")


def is_leased(document_id: UUID) -> bool:
    """Whether any session reads the document now."""
    return document_lock_key(document_id) in held_lock_keys()


def held_lock_keys() -> set[int]:
    """The keys of all advisory locks that are held in this database."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks"
            " WHERE locktype = 'advisory' AND objsubid = 1 AND granted"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        )
        return {key for (key,) in cursor.fetchall()}


def lock_in_transaction(name: str) -> None:
    """Wait until no other transaction has called this with the same name. Held to the end of the transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [lock_key(name)])


def document_lock_key(document_id: UUID) -> int:
    return lock_key(f"document:{document_id}")


def lock_key(name: str) -> int:
    return int.from_bytes(hashlib.sha256(f"lexic:{name}".encode()).digest()[:8], "big", signed=True)
