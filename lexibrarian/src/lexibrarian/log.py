"""The log of upkeep, in the project's root: what was done, for people, without any text of a source."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator

from lexibrarian.crawl import LOG
from lexibrarian.project import Project

logger = logging.getLogger("lexibrarian")
_LARGEST = 5 * 1024 * 1024
_BACKUPS = 3


@contextlib.contextmanager
def logged(project: Project) -> Iterator[None]:
    """Meanwhile, send the log of this process to the project's file."""
    from logging.handlers import RotatingFileHandler

    path = project.root / LOG
    handler = RotatingFileHandler(path, maxBytes=_LARGEST, backupCount=_BACKUPS, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger.addHandler(handler)
    logger.propagate = False
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        handler.close()
