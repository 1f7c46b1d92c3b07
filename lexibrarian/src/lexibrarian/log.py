"""The log of upkeep, in the project's root: what was done, for people, without any text of a source."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Iterator
from logging.handlers import RotatingFileHandler

from lexibrarian.crawl import LOG
from lexibrarian.project import Project
from lexibrarian.safe_text import on_one_line

logger = logging.getLogger("lexibrarian")
_LARGEST = 5 * 1024 * 1024
_BACKUPS = 3
_LINES_BETWEEN = 100
_LONGEST_WAIT = 0.2


class Events(tuple[str, ...]):
    """Several events that are logged at once, one a line; each by itself would cost as much as reading a source."""

    __slots__ = ()

    def __str__(self) -> str:
        return "\n".join(map(on_one_line, self))


class _Log(RotatingFileHandler):
    """Asks seldom whether the file is full, and writes lines that quickly follow each other together."""

    count = 0
    written_at = 0.0

    def format(self, record: logging.LogRecord) -> str:
        """One line a record, whatever the names in it are."""
        return str(record.msg) if isinstance(record.msg, Events) else on_one_line(super().format(record))

    def shouldRollover(self, record: logging.LogRecord) -> bool:
        """Whether the next line goes into a new file."""
        self.count += 1
        return self.count % _LINES_BETWEEN == 1 and bool(super().shouldRollover(record))

    def flush(self) -> None:
        """Write what waits, if it has waited long enough; closing writes all."""
        if time.monotonic() - self.written_at > _LONGEST_WAIT:
            super().flush()
            self.written_at = time.monotonic()


@contextlib.contextmanager
def logged(project: Project) -> Iterator[None]:
    """Meanwhile, send the log of this process to the project's file."""
    # No line names threads or processes, so that nobody need ask for them at each.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    handler = _Log(project.root / LOG, maxBytes=_LARGEST, backupCount=_BACKUPS, encoding="utf-8")
    logger.addHandler(handler)
    logger.propagate = False
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        handler.close()


@contextlib.contextmanager
def kept_log() -> Iterator[list[logging.LogRecord]]:
    """Meanwhile, keep what is logged, for another process to write."""
    kept: list[logging.LogRecord] = []
    handlers, logger.handlers = logger.handlers, [_Kept(kept)]
    try:
        yield kept
    finally:
        logger.handlers = handlers


class _Kept(logging.Handler):
    def __init__(self, kept: list[logging.LogRecord]) -> None:
        super().__init__()
        self.kept = kept

    def emit(self, record: logging.LogRecord) -> None:
        self.kept.append(record)
