"""A source file as the library sees it: its text, its hash, or why it gets no design file."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass

from lexibrarian.config import Config
from lexibrarian.project import Project, suffix_of
from lexibrarian.store import read_bytes

_CONFLICT = re.compile(r"^<<<<<<< .*?^=======$.*?^>>>>>>> ", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Source:
    """A text file; line ends are LF. `hash` is SHA-256 of the bytes with LF, in hexadecimal."""

    path: str
    text: str
    hash: str

    @property
    def in_conflict(self) -> bool:
        """Whether a merge was left unfinished: all three markers, in their order, at starts of lines."""
        return "<<<<<<<" in self.text and _CONFLICT.search(self.text) is not None


def hash_of(content: bytes) -> str:
    """SHA-256 of a file's bytes, CRLF counted as LF, so that a Windows checkout is the same file."""
    return hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()


def read_source(project: Project, config: Config, path: str) -> Source | str:
    """The source at a path, or in a few words why it is only listed: binary, too large, unreadable."""
    if suffix_of(path).lower() in config.crawl.binary_extensions:
        return "binary file"
    if not project.can_mirror(path):
        return "name that the library cannot mirror"
    file = f"{project.root}/{path}"
    try:
        if os.stat(file).st_size > config.crawl.max_file_size_kb * 1024:  # noqa: PTH116
            return "large file"
        content = read_bytes(file)
    except OSError:
        return "unreadable file"
    text = _decoded(content)
    if text is None:
        return "binary file"
    return Source(path, text.replace("\r\n", "\n"), hash_of(content))


def _decoded(content: bytes) -> str | None:
    """UTF-8, or UTF-16 where a mark says so; other bytes are not guessed at."""
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    try:
        text = content.removeprefix(b"\xef\xbb\xbf").decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
