"""A compound file ([MS-CFB]), in which Outlook keeps a message, as storages within storages and their streams."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from knowledge.readers.types import DamagedDocument


class StreamReader:
    """Reads streams, and in all no more bytes than the file has: streams that share sectors would multiply them."""

    def __init__(self, compound_file: Any, *, size: int) -> None:
        self._file = compound_file
        self._left = size

    def read(self, path: list[str]) -> bytes:
        size = self._file.get_size(path)
        self._left -= size
        if self._left < 0:
            raise DamagedDocument()
        content: bytes = self._file.openstream(path).read()
        if len(content) != size:  # the file is cut off
            raise DamagedDocument()
        return content


@dataclass
class CompoundStorage:
    reader: StreamReader
    streams: dict[str, list[str]] = field(default_factory=dict)
    storages: dict[str, CompoundStorage] = field(default_factory=dict)

    def read(self, name: str) -> bytes | None:
        """What the stream holds; None where there is none of this name."""
        path = self.streams.get(name.lower())
        return None if path is None else self.reader.read(path)

    def storages_named(self, prefix: str) -> Iterator[CompoundStorage]:
        return (one for name, one in sorted(self.storages.items()) if name.startswith(prefix.lower()))


def root_storage(compound_file: Any, *, size: int) -> CompoundStorage:
    """The tree of an `olefile.OleFileIO`. Names are kept in lower case, as they are compared."""
    root = CompoundStorage(StreamReader(compound_file, size=size))
    for path in compound_file.listdir(streams=True, storages=False):
        storage = root
        for name in path[:-1]:
            storage = storage.storages.setdefault(name.lower(), CompoundStorage(root.reader))
        storage.streams[path[-1].lower()] = path
    return root


def check_chains(table: Sequence[int] | None) -> None:
    """Raises `DamagedDocument` where sectors follow each other in a circle: the library reads on until it has as many
    bytes as a stream is said to have."""
    followers = table or ()
    seen = bytearray(len(followers))
    for start in range(len(followers)):
        walked, at = [], start
        while 0 <= at < len(followers) and not seen[at]:
            seen[at] = 1
            walked.append(at)
            at = followers[at]
        if 0 <= at < len(followers) and seen[at] == 1:
            raise DamagedDocument()
        for one in walked:
            seen[one] = 2
