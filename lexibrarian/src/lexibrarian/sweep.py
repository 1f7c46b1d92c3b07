"""A sweep: one update, unless nothing has changed since the last one that succeeded; times tell, no file is read."""

from __future__ import annotations

import os
import time
from pathlib import Path

from lexibrarian.config import Config
from lexibrarian.crawl import crawl
from lexibrarian.log import logger
from lexibrarian.project import Project
from lexibrarian.store import write_text
from lexibrarian.update import Report, update

STAMP = ".swept"


def sweep(project: Project, config: Config) -> Report | None:
    """Update everything; `None`, and nothing done, where nothing changed since the last sweep."""
    stamp = project.library / STAMP
    begun = time.time_ns()
    if stamp.is_file() and not _changed_since(project, config, stamp.stat().st_mtime_ns):
        logger.info("sweep skipped: nothing changed")
        return None
    report = update(project, config)
    write_text(stamp, "")
    # What changes while the update runs is for the next sweep.
    os.utime(stamp, ns=(begun, begun))
    return report


def _changed_since(project: Project, config: Config, moment: int) -> bool:
    """Whether a file in view, or a directory, in which one may have gone, has a later time (in nanoseconds)."""
    for directory in crawl(project, config).directories.values():
        place = project.root / directory.path
        if any(_time(path) >= moment for path in (place, *(place / name for name in directory.files))):
            return True
    return False


def _time(path: Path) -> int:
    try:
        return path.lstat().st_mtime_ns
    except OSError:
        return 0
