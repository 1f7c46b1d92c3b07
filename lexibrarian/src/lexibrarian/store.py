"""Writing files so that a reader sees the old text or the new one, and taking turns."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from lexibrarian.errors import LibraryError
from lexibrarian.project import Project

LOCKS = ".locks"
TEMPORARY_SUFFIX = ".lexi-tmp"
_ABANDONED_AFTER = 60
_PIECE = 1 << 20
_AS_BYTES = getattr(os, "O_BINARY", 0)
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _AS_BYTES
# No other process has this name, and no other file of this process this number.
_OWN_NAME = os.urandom(6).hex()
_NUMBERS = itertools.count()
# The paths that a dry run would have written; `None` while files are written for good.
_planned_writes: list[Path] | None = None


@contextlib.contextmanager
def collect_planned_writes() -> Iterator[list[Path]]:
    """Meanwhile no file of the library changes; what would have been written or removed is collected."""
    global _planned_writes
    _planned_writes = []
    try:
        yield _planned_writes
    finally:
        _planned_writes = None


def rehearsing() -> bool:
    """Whether nothing may be written for now."""
    return _planned_writes is not None


class TooLarge(OSError):
    """A file has more bytes than its reader takes."""


def read_bytes(path: str | Path, most: int | None = None) -> bytes:
    """The content of a file; raises `OSError` where it cannot be read, `TooLarge` for more than `most` bytes."""
    # File objects would cost as much again as the reading itself.
    handle = os.open(path, os.O_RDONLY | _AS_BYTES)
    try:
        size = os.fstat(handle).st_size
        if most is not None and size > most:
            raise TooLarge(f"{path} has {size} bytes")
        content = os.read(handle, size + 1)
        # A file that is as long as it was said to be is read to its end.
        while len(content) != size and (more := os.read(handle, _PIECE)):
            content += more
    finally:
        os.close(handle)
    return content


def read_text(path: str | Path) -> str | None:
    """The text of a file of the library, line ends as they are; `None` where there is none.

    Bytes that are not UTF-8 are kept as surrogates, so that writing the text gives them back.
    """
    try:
        return read_bytes(path).decode("utf-8", "surrogateescape")
    except (FileNotFoundError, NotADirectoryError):
        return None


def write_text(path: str | Path, text: str) -> bool:
    """Write a file through a temporary one, and only if its bytes change; returns whether they did."""
    content = text.encode("utf-8", "surrogateescape")
    try:
        if read_bytes(path) == content:
            return False
    except (FileNotFoundError, NotADirectoryError):
        pass
    if _planned_writes is not None:
        _planned_writes.append(Path(path))
        return True
    try:
        _replace(path, content)
    except OSError as problem:
        raise _not_writable(path, problem) from problem
    return True


def _not_writable(path: str | Path, problem: OSError) -> LibraryError:
    return LibraryError(
        f"{path} cannot be written: {problem.strerror}.", code="not_writable", hint="Check who owns the library."
    )


def create_text(path: Path, text: str) -> bool:
    """Write a file that must not exist yet; returns False, and writes nothing, where it does."""
    if _planned_writes is not None:
        _planned_writes.append(path)
        return not path.exists()
    try:
        temporary = _temporary(path, text.encode("utf-8", "surrogateescape"))
        try:
            os.link(temporary, path)
        except FileExistsError:
            return False
        finally:
            _discard(temporary)
    except OSError as problem:
        raise _not_writable(path, problem) from problem
    return True


def remove_file(path: Path) -> None:
    """Remove a file of the library, if it is there."""
    if _planned_writes is not None:
        _planned_writes.append(path)
        return
    path.unlink(missing_ok=True)


def remove_abandoned(temporary: Path) -> None:
    """Remove a temporary file that nobody can still be writing: each is there for a moment only."""
    with contextlib.suppress(FileNotFoundError):
        if time.time() - temporary.stat().st_mtime > _ABANDONED_AFTER:
            remove_file(temporary)


def _replace(path: str | Path, content: bytes) -> None:
    temporary = _temporary(path, content)
    try:
        os.replace(temporary, path)  # noqa: PTH105
    except BaseException:
        _discard(temporary)
        raise


def _temporary(path: str | Path, content: bytes) -> str:
    """A new file with this content in the directory of `path`, which is made where it is missing."""
    # As readable as the code beside it; modules for temporary files would make private ones.
    directory = os.path.dirname(path)  # noqa: PTH120
    name = f".{os.getpid()}-{_OWN_NAME}-{next(_NUMBERS)}{TEMPORARY_SUFFIX}"
    temporary = os.path.join(directory, name)  # noqa: PTH118
    try:
        handle = os.open(temporary, _NEW_FILE, 0o666)
    except FileNotFoundError:
        os.makedirs(directory, exist_ok=True)  # noqa: PTH103
        handle = os.open(temporary, _NEW_FILE, 0o666)
    try:
        try:
            while content:
                content = content[os.write(handle, content) :]
        finally:
            os.close(handle)
    except BaseException:
        _discard(temporary)
        raise
    return temporary


def _discard(temporary: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(temporary)  # noqa: PTH108


@contextlib.contextmanager
def upkeep_lock(project: Project) -> Iterator[None]:
    """One process at a time keeps the library; the next one waits. The kernel lets go when a process dies."""
    with _locked(project, "upkeep"):
        yield


@contextlib.contextmanager
def directory_lock(project: Project, directory: str) -> Iterator[None]:
    """One process at a time changes the index of a directory.

    A few files serve all directories, some of which wait for each other; so nobody may hold two of these locks.
    """
    with _locked(project, hashlib.sha256(directory.encode("utf-8", "surrogateescape")).hexdigest()[:1]):
        yield


@contextlib.contextmanager
def _locked(project: Project, name: str) -> Iterator[None]:
    if _planned_writes is not None:
        yield
        return
    path = project.library / LOCKS / name
    try:
        try:
            file = path.open("a+b")
        except FileNotFoundError:
            path.parent.mkdir(parents=True, exist_ok=True)
            file = path.open("a+b")
    except OSError as problem:
        raise _not_writable(path, problem) from problem
    with file:
        _lock(file)
        yield


try:
    import fcntl

    def _lock(file: IO[bytes]) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)

    def try_lock(file: IO[bytes]) -> bool:
        """Lock an open file, until it is closed; returns False where another process holds it."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

except ImportError:  # Windows
    import msvcrt

    def _lock(file: IO[bytes]) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined,unused-ignore]

    def try_lock(file: IO[bytes]) -> bool:
        """Lock an open file, until it is closed; returns False where another process holds it."""
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
        except OSError:
            return False
        return True
