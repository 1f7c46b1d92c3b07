"""Leases, so that only one process does some work: rows with a holder, who renews them while it works.

A row needs no session of the database, so leases hold behind a pooler that gives every transaction another session. The
row of a holder that died counts for nothing: on the holder's own machine at once, elsewhere when it expires.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from contextvars import ContextVar
from datetime import datetime
from functools import cache as once
from hashlib import sha256
from pathlib import Path
from uuid import UUID, uuid4

from django.db import Error, connection
from django.db.models import Q
from django.db.models.functions import Now

from knowledge.lease_models import Lease
from lexic.errors import LexicError

logger = logging.getLogger(__name__)

LEASE_SECONDS, RENEWAL_SECONDS = 60.0, 10.0
DOCUMENT_LEASE_PREFIX = "document:"
_held: ContextVar[tuple[tuple[str, str], ...]] = ContextVar("held_leases", default=())


class LeaseLost(LexicError):
    """Another process has taken this work over."""

    code = "lease_lost"
    status = 409
    hint = "It was silent for too long, for instance while the machine slept. The other process continues with it."


@contextmanager
def try_lease(name: str) -> Iterator[bool]:
    """Yields True if this block alone holds the lease of this name, and False if another one does. It does not wait.

    A thread renews it, with a connection of its own. Work that may take long calls `confirm_held` before it writes.
    """
    with try_leases([name]) as ours:
        yield bool(ours)


@contextmanager
def try_leases(names: Sequence[str]) -> Iterator[set[str]]:
    """Yields the names whose leases this block alone holds, as `try_lease` does for one."""
    holder = f"{_machine()}/{os.getpid()}/{_start_time(os.getpid())}/{uuid4().hex}"
    known = Lease.objects.filter(name__in=names).values_list("holder", flat=True)
    dead = [one for one in known if _is_dead(one)]
    ours = Lease.objects.take(*names, holder=holder, seconds=LEASE_SECONDS, from_dead=dead)
    if not ours:
        yield ours
        return
    done, token = threading.Event(), _held.set((*_held.get(), *((name, holder) for name in sorted(ours))))
    renewal = threading.Thread(target=_renew, args=(ours, holder, done), name=f"leases of {holder}", daemon=True)
    # Inside a transaction nobody else sees the rows, and there is nothing to renew.
    if not connection.in_atomic_block:
        renewal.start()
    try:
        yield ours
    finally:
        _held.reset(token)
        done.set()
        if renewal.ident:
            renewal.join()
        with suppress(Error):  # without a database the rows expire by themselves
            Lease.objects.filter(name__in=ours, holder=holder).delete()


def confirm_held() -> None:
    """Confirms the leases until the transaction ends. Raises `LeaseLost` if this context has lost one that it held."""
    held = set(_held.get())
    if not held:
        return
    names, holders = zip(*held, strict=True)
    rows = Lease.objects.filter(name__in=names, holder__in=set(holders)).order_by("name")
    rows = rows.select_for_update() if connection.in_atomic_block else rows
    if lost := held - set(rows.values_list("name", "holder")):
        raise LeaseLost(min(lost)[0])


def document_lease(document_id: UUID) -> AbstractContextManager[bool]:
    """The lease to read this document."""
    return try_lease(document_lease_name(document_id))


def is_leased(document_id: UUID) -> bool:
    """Whether anybody reads the document now."""
    return bool(held_names(document_lease_name(document_id)))


def held_names(*among: str) -> set[str]:
    """The names of the leases, all or among these, that somebody holds who is not known to be dead."""
    leases = Lease.objects.filter(name__in=among) if among else Lease.objects.all()
    rows = leases.filter(expires_at__gt=Now()).values_list("name", "holder")
    return {name for name, holder in rows if not _is_dead(holder)}


def abandoned(prefix: str) -> dict[str, datetime]:
    """The leases of work that was ended from outside, without the prefix of their names, and when they were taken. Who
    ends by themselves leaves none behind."""
    leases = Lease.objects.filter(name__startswith=prefix).annotate(is_expired=Q(expires_at__lte=Now()))
    rows = leases.values_list("name", "taken_at", "holder", "is_expired")
    return {name.removeprefix(prefix): at for name, at, holder, is_expired in rows if is_expired or _is_dead(holder)}


def document_lease_name(document_id: UUID) -> str:
    return f"{DOCUMENT_LEASE_PREFIX}{document_id}"


def lock_in_transaction(name: str) -> None:
    """Wait until no other transaction has called this with the same name. Held to the end of the transaction, so any
    pooler will do."""
    key = int.from_bytes(sha256(f"lexic:{name}".encode()).digest()[:8], "big", signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [key])


def _renew(names: Collection[str], holder: str, done: threading.Event) -> None:
    while not done.wait(RENEWAL_SECONDS):
        try:
            if lost := set(names) - Lease.objects.renew(*names, holder=holder, seconds=LEASE_SECONDS):
                logger.warning("the lease %s was lost", min(lost))
                return
        except Error:
            logger.warning("the lease %s could not be renewed", min(names))
        finally:
            connection.close()


def _is_dead(holder: str) -> bool:
    """Whether the holder was a process of this machine that is not there any more."""
    machine, _, rest = holder.partition("/")
    if not rest or not machine or machine != _machine():
        return False
    pid, started, _ = rest.split("/")
    return _start_time(int(pid)) != started


@once
def _machine() -> str:
    """This machine since it was started, and the namespace of our process numbers. Empty where it cannot be told."""
    with suppress(OSError):
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return sha256(f"{boot} {Path('/proc/self/ns/pid').readlink()}".encode()).hexdigest()[:16]
    return ""


def _start_time(pid: int) -> str:
    """When the process began, in ticks of this machine. Empty for one that has ended."""
    with suppress(OSError):
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return "" if state in "ZX" else fields[18]
    return ""
