"""A source file as the library sees it: its text, its hash, or why it gets no design file."""

from __future__ import annotations

import hashlib
import re
from typing import NamedTuple

from lexibrarian.config import Config
from lexibrarian.project import Project, suffix_of
from lexibrarian.store import TooLarge, read_bytes

_CONFLICT = re.compile(r"^<<<<<<< .*?^=======$.*?^>>>>>>> ", re.MULTILINE | re.DOTALL)


class Source(NamedTuple):
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
    content = _content(project, config, path)
    if isinstance(content, str):
        return content
    text = _decoded(content)
    return "binary file" if text is None else Source(path, text.replace("\r\n", "\n"), hash_of(content))


def count_lines(project: Project, config: Config, path: str) -> int | str:
    """How many lines the source at a path has, or in a few words why it is only listed."""
    content = _content(project, config, path)
    if isinstance(content, str):
        return content
    text = _decoded(content)
    return "binary file" if text is None else text.count("\n") + (not text.endswith("\n"))


def _content(project: Project, config: Config, path: str) -> bytes | str:
    if suffix_of(path).lower() in config.crawl.binary:
        return "binary file"
    if not project.can_mirror(path):
        return "name that the library cannot mirror"
    try:
        return read_bytes(f"{project.location}/{path}", config.crawl.max_file_size_kb * 1024)
    except TooLarge:
        return "large file"
    except OSError:
        return "unreadable file"


def _decoded(content: bytes) -> str | None:
    """UTF-8, or UTF-16 where a mark says so; other bytes are not guessed at."""
    encoding = "utf-16" if content.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8"
    try:
        text = content.removeprefix(b"\xef\xbb\xbf").decode(encoding)
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text
