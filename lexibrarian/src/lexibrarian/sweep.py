"""A sweep: one update, unless nothing has changed since the last one that succeeded; times tell, no file is read."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event

from lexibrarian.config import Config, Daemon, load_config
from lexibrarian.crawl import crawl
from lexibrarian.errors import LibraryError
from lexibrarian.log import logger
from lexibrarian.project import Project
from lexibrarian.report import Report
from lexibrarian.store import write_text
from lexibrarian.update import update

STAMP = ".swept"


def sweep(project: Project, config: Config, *, dry_run: bool = False) -> Report | None:
    """Update everything; `None`, and nothing done, where nothing changed since the last sweep."""
    stamp = project.library / STAMP
    begun = time.time_ns()
    if stamp.is_file() and not _changed_since(project, config, stamp.stat().st_mtime_ns):
        logger.info("sweep skipped: nothing changed")
        return None
    report = update(project, config, dry_run=dry_run)
    if dry_run or report.failed:
        return report
    write_text(stamp, "")
    # What changes while the update runs is for the next sweep.
    os.utime(stamp, ns=(begun, begun))
    return report


def sweep_forever(project: Project, stopped: Event, said: Callable[[Report | None, LibraryError | None], None]) -> int:
    """Sweep until an event is set, and then again after each interval; returns the number of sweeps.

    The configuration is read anew each time. `said` hears of each report, and of what a sweep refused; it goes on.
    """
    count = 0
    while True:
        interval = Daemon().sweep_interval_seconds
        try:
            config, _ = load_config(project)
            interval = config.daemon.sweep_interval_seconds
            said(sweep(project, config), None)
        except LibraryError as problem:
            logger.error("sweep failed: %s", problem.message)
            said(None, problem)
        count += 1
        if stopped.wait(interval):
            return count


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
