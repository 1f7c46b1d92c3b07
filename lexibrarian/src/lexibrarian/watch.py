"""The daemon: it watches the project and updates what changed. Off by default: hooks and sweeps cost less."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Lock

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from lexibrarian.config import Config
from lexibrarian.crawl import LOG
from lexibrarian.errors import LibraryError
from lexibrarian.log import logger
from lexibrarian.project import LIBRARY, Project
from lexibrarian.update import update

# After the last change of a file, so that one save that writes it twice is one update.
QUIET_SECONDS = 0.5
_TURN_SECONDS = 0.1


@dataclass
class Changes(FileSystemEventHandler):
    """What changed since the last update; `everything` where git moved to another commit."""

    project: Project
    suppression: float
    paths: set[str] = field(default_factory=set)
    # What changed before it began to watch is not known.
    everything: bool = True
    due: float = 0.0
    lock: Lock = field(default_factory=Lock)

    __hash__ = object.__hash__

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Note a change; those of the library itself, and of git but for its HEAD, are none."""
        if event.event_type in ("opened", "closed", "closed_no_write"):
            return
        for place in (event.src_path, event.dest_path):
            if not place:
                continue
            path = os.path.relpath(os.fsdecode(place), self.project.root).replace(os.sep, "/")
            self._note(path, directory=event.is_directory, moved=event.event_type != "modified")

    def _note(self, path: str, *, directory: bool, moved: bool) -> None:
        top = path.partition("/")[0]
        now = time.monotonic()
        with self.lock:
            if path in (".git/HEAD", ".git/HEAD.lock"):
                self.everything = True
                self.due = max(self.due, now + self.suppression)
            elif top in (".git", LIBRARY) or path.startswith(LOG):
                return
            elif directory:
                # A directory that came or went takes files along that are not named.
                self.everything |= moved
                self.due = max(self.due, now + QUIET_SECONDS) if moved else self.due
            else:
                self.paths.add(path)
                self.due = max(self.due, now + QUIET_SECONDS)

    def taken(self) -> list[str] | None:
        """The files to update, when it is time; an empty list means everything, `None` nothing yet."""
        with self.lock:
            if not (self.paths or self.everything) or time.monotonic() < self.due:
                return None
            paths = [] if self.everything else sorted(self.paths)
            self.paths, self.everything = set(), False
            return paths


def watch(project: Project, config: Config, stopped: Event, begun: Callable[[], None]) -> int:
    """Update everything once, then what changes, until an event is set; returns the number of updates.

    `begun` is called when no change can be missed any more.
    """
    changes = Changes(project, config.daemon.git_suppression_seconds)
    observer = Observer()
    observer.schedule(changes, str(project.root), recursive=True)
    observer.start()
    begun()
    count = 0
    try:
        while not stopped.wait(_TURN_SECONDS):
            paths = changes.taken()
            if paths is not None:
                _updated(project, config, paths)
                count += 1
    finally:
        observer.stop()
        observer.join()
    return count


def _updated(project: Project, config: Config, paths: list[str]) -> None:
    try:
        update(project, config, files=paths or None)
    except LibraryError as problem:
        logger.error("update failed: %s", problem.message)
