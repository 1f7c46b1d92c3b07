"""The file of a shared release: written when somebody first wants it, kept for the next, within bounds."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from django.conf import settings

from lexic import locks
from marketplace.bundle import release as bundle
from marketplace.bundle.pinned import PinnedDocument, documents_of
from plugins.models import Release


@dataclass(frozen=True, kw_only=True)
class ReleaseFile:
    """The file of a release, not yet written perhaps. `name` is another one when its content is."""

    name: str
    head: dict[str, Any]
    documents: list[PinnedDocument]

    def open(self) -> IO[bytes]:
        """At its beginning; the caller closes it. Raises `FileIsGone`, `TooLargeToCarry`."""
        path = _root() / f"{self.name}.zip"
        if (kept := _kept(path)) is not None:
            return kept
        # One writes at a time: whoever waited finds it written.
        with locks.locked(settings.VAR_DIR, "shared-releases"):
            if (kept := _kept(path)) is None:
                with _incoming(path) as target:
                    bundle.write_release(self.head, self.documents, target)
                kept = path.open("rb")
                sweep(most_bytes=settings.LEXIC_SHARED_MAX_BYTES, but=path)
        return kept


def file_of(release: Release) -> ReleaseFile:
    """The release as one file, as it is now. Raises `KnowledgeIsGone`."""
    documents = documents_of(release)
    head = bundle.head_of(release, documents)
    return ReleaseFile(name=bundle.name_of(head, release), head=head, documents=documents)


def sweep(*, most_bytes: int, but: Path | None = None) -> int:
    """Delete the files that nobody has wanted for longest, until the rest takes up less. Returns how many."""
    found = []
    for path in _root().glob("*.zip"):
        with suppress(OSError):
            about = path.stat()
            found.append((about.st_mtime, about.st_size, path))
    taken, deleted = sum(size for _, size, _ in found), 0
    for _, size, path in sorted(found):
        if taken <= most_bytes:
            break
        if path != but:
            path.unlink(missing_ok=True)
            taken, deleted = taken - size, deleted + 1
    return deleted


def _root() -> Path:
    return Path(settings.LEXIC_FILES_DIR) / "shared"


def _kept(path: Path) -> IO[bytes] | None:
    with suppress(OSError):
        os.utime(path)
        return path.open("rb")
    return None


@contextlib.contextmanager
def _incoming(path: Path) -> Iterator[IO[bytes]]:
    """A file that gets its name once it is whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".incoming-", delete=False) as target:
        incoming = Path(target.name)
        try:
            yield target
            target.close()
            incoming.replace(path)
        finally:
            incoming.unlink(missing_ok=True)
