"""Errors of the infrastructure: the database or the files cannot be reached, or the disk is full."""

from __future__ import annotations

import errno
import logging

from django.db import DatabaseError, InterfaceError, OperationalError

from lexic.errors import LexicError

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
# SQLSTATEs: the disk of the database is full; it takes no writes, because another server has just taken its place.
_DISK_FULL, _READ_ONLY = "53100", "25006"
# What is said of a connection (08, 57P), and not of a statement.
_ABOUT_CONNECTION = ("08", "57P")


class ServiceUnavailable(LexicError):
    """The database cannot be reached at the moment."""

    code = "unavailable"
    status = 503
    hint = "Try again in a moment."


class StorageUnavailable(LexicError):
    """The file storage of this site cannot be reached at the moment."""

    code = "storage_unavailable"
    status = 503
    retry_after = 10  # seconds
    hint = "Nothing was lost; try again in a moment."


class MailUnavailable(LexicError):
    """No mail can be sent at the moment."""

    code = "mail_unavailable"
    status = 503
    retry_after: int | None = 60  # seconds
    hint = "Try again in a few minutes. If you were signing up, your account is there already: sign in then."


class RecipientRefused(MailUnavailable):
    """The mail server refuses this address."""

    code = "address_refused"
    status = 422
    retry_after = None
    hint = "Check how it is written, or use another one."


class DiskFull(LexicError):
    """There is no room left on the server's disk, so nothing was stored."""

    code = "disk_full"
    status = 507
    retry_after = 60  # seconds
    hint = "The operators of this site have to free some space; then try again."


def outage_error(exc: BaseException) -> LexicError | None:
    """The error to show where the exception comes from an outage; None for every other exception."""
    if isinstance(exc, (StorageUnavailable, MailUnavailable)):
        return exc
    state = getattr(exc.__cause__, "sqlstate", None) if isinstance(exc, DatabaseError) else None
    if state == _DISK_FULL or (isinstance(exc, OSError) and exc.errno in _FULL):
        return DiskFull()
    if isinstance(exc, (OperationalError, InterfaceError)) or state == _READ_ONLY:
        return ServiceUnavailable()
    return None


def is_connection_lost(exc: BaseException) -> bool:
    """Whether no database was there to ask, and not that it refused a statement."""
    state = getattr(exc.__cause__, "sqlstate", None)
    return isinstance(exc, (OperationalError, InterfaceError)) and (not state or state.startswith(_ABOUT_CONNECTION))


class LostConnectionFilter(logging.Filter):
    """Leaves out what Django logs of a request that found no database or no mail server: one line names it, and a
    hundred lines of traceback for each request hide what else is wrong."""

    def filter(self, record: logging.LogRecord) -> bool:
        exc = record.exc_info[1] if record.exc_info else None
        return exc is None or not (is_connection_lost(exc) or isinstance(exc, MailUnavailable))
