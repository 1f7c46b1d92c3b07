"""Locks on a data folder. The kernel drops them with the process, so none is ever stale."""

from __future__ import annotations

import contextlib
import fcntl
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO


@contextlib.contextmanager
def open_lock(root: Path, name: str) -> Iterator[IO[str]]:
    folder = root / "lock"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{name}.lock").open("a") as file:
        yield file


@contextlib.contextmanager
def hold_lock(root: Path, name: str) -> Iterator[None]:
    """Waits for the lock, and holds it inside the block."""
    with open_lock(root, name) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def try_lock(file: IO[str], *, seconds: float = 0) -> bool:
    """Take the lock within that time; False when somebody else keeps it. It goes when the file is closed."""
    end = time.monotonic() + seconds
    while True:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(0.05)
        else:
            return True


def lock_shared(file: IO[str]) -> None:
    fcntl.flock(file, fcntl.LOCK_SH)


def is_locked(root: Path, name: str) -> bool:
    with open_lock(root, name) as file:
        return not try_lock(file)
