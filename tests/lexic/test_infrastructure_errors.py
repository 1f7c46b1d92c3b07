from __future__ import annotations

import logging
import sys

import psycopg
import pytest
from django.db import DataError, OperationalError

from lexic.infrastructure_errors import LostConnectionFilter


def raised(error: Exception, cause: Exception | None) -> logging.LogRecord:
    try:
        raise error from cause
    except type(error):
        return logging.LogRecord("django.request", logging.ERROR, "", 0, "Internal Server Error", (), sys.exc_info())


@pytest.mark.parametrize(
    ("error", "cause", "is_logged"),
    [
        (OperationalError(), psycopg.OperationalError(), False),
        (OperationalError(), None, False),
        (OperationalError(), psycopg.errors.AdminShutdown(), False),
        (OperationalError(), psycopg.errors.DeadlockDetected(), True),
        (OperationalError(), psycopg.errors.QueryCanceled(), True),
        (DataError(), psycopg.DataError(), True),
        (ZeroDivisionError(), None, True),
    ],
)
def test_only_of_a_lost_connection_no_traceback_is_logged(
    error: Exception, cause: Exception | None, is_logged: bool
) -> None:
    assert LostConnectionFilter().filter(raised(error, cause)) == is_logged


def test_what_has_no_exception_is_logged() -> None:
    assert LostConnectionFilter().filter(logging.LogRecord("", logging.WARNING, "", 0, "Not Found: /x", (), None))
