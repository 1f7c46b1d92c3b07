"""Outlook messages made for tests: a writer of compound files (version 3, sectors of 512 bytes), and of what Outlook
keeps in one."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

END, FREE, FAT_SECTOR, NOBODY = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD, 0xFFFFFFFF
SECTOR, MINI_SECTOR, SMALL = 512, 64, 4096
STORAGE, STREAM, ROOT = 1, 2, 5
PROPERTIES = "__properties_version1.0"

Tree = dict[str, "bytes | Tree"]


@dataclass
class Entry:
    name: str
    kind: int
    content: bytes = b""
    left: int = NOBODY
    right: int = NOBODY
    child: int = NOBODY
    start: int = END

    def packed(self) -> bytes:
        name = self.name.encode("utf-16-le") + b"\0\0"
        head = struct.pack("<64sHBB3I", name, len(name), self.kind, 1, self.left, self.right, self.child)
        return head + bytes(36) + struct.pack("<IQ", self.start, len(self.content))


@dataclass
class Chains:
    """Sectors of one size, and which follows which."""

    size: int
    data: bytearray = field(default_factory=bytearray)
    table: list[int] = field(default_factory=list)

    def add(self, content: bytes) -> int:
        start, count = len(self.table), -(-len(content) // self.size)
        if not count:
            return END
        self.data += content.ljust(count * self.size, b"\0")
        self.table += [*range(start + 1, start + count), END]
        return start


def compound_file(tree: Tree) -> bytes:
    entries = [Entry("Root Entry", ROOT)]
    entries[0].child = _add_entries(entries, tree)
    sectors, small = Chains(SECTOR), Chains(MINI_SECTOR)
    for one in entries:
        if one.kind == STREAM:
            one.start = (small if len(one.content) < SMALL else sectors).add(one.content)
    entries[0].content, entries[0].start = bytes(small.data), sectors.add(bytes(small.data))
    mini_table = struct.pack(f"<{len(small.table)}I", *small.table)
    mini_start = sectors.add(mini_table.ljust(-(-len(mini_table) // SECTOR) * SECTOR, b"\xff"))
    mini_count = -(-len(mini_table) // SECTOR)
    directory = sectors.add(b"".join(one.packed() for one in entries))
    fat_count = next(n for n in range(1, 110) if n * (SECTOR // 4) >= len(sectors.table) + n)
    fat = list(range(len(sectors.table), len(sectors.table) + fat_count))
    table = [*sectors.table, *[FAT_SECTOR] * fat_count]
    table += [FREE] * (fat_count * (SECTOR // 4) - len(table))
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<5H6x", 0x3E, 3, 0xFFFE, 9, 6)
    head += struct.pack("<9I", 0, fat_count, directory, 0, SMALL, mini_start, mini_count, END, 0)
    head += struct.pack("<109I", *fat, *[FREE] * (109 - fat_count))
    return head + bytes(sectors.data) + struct.pack(f"<{len(table)}I", *table)


def _add_entries(entries: list[Entry], tree: Tree) -> int:
    """Adds them as a balanced tree, and gives its top."""
    numbers = []
    for name, content in sorted(tree.items(), key=lambda item: (len(item[0]), item[0].upper())):
        is_stream = isinstance(content, bytes)
        numbers.append(len(entries))
        entries.append(Entry(name, STREAM if is_stream else STORAGE, content if is_stream else b""))
        if not is_stream:
            entries[numbers[-1]].child = _add_entries(entries, content)
    return _balanced(entries, numbers)


def _balanced(entries: list[Entry], numbers: list[int]) -> int:
    if not numbers:
        return NOBODY
    middle = len(numbers) // 2
    top = numbers[middle]
    entries[top].left = _balanced(entries, numbers[:middle])
    entries[top].right = _balanced(entries, numbers[middle + 1 :])
    return top


def properties(values: dict[int, Any], *, header: int) -> Tree:
    """Text as Unicode, bytes as binary, numbers and times in the table."""
    tree: Tree = {}
    table = bytes(header)
    for tag, value in values.items():
        if isinstance(value, str):
            tree[f"__substg1.0_{tag:04X}001F"] = value.encode("utf-16-le")
        elif isinstance(value, bytes):
            tree[f"__substg1.0_{tag:04X}0102"] = value
        else:
            is_time = isinstance(value, datetime)
            number = int((value - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10**7 if is_time else value
            table += struct.pack("<HHIQ", 0x40 if is_time else 3, tag, 6, number)
    return {**tree, PROPERTIES: table}


def outlook_message(
    values: dict[int, Any], *, recipients: Any = (), attachments: Any = (), header: int = 32, **streams: bytes
) -> Tree:
    """The tree of a message. A recipient is its values; an attachment its values, or the tree of a message."""
    tree: Tree = {**properties(values, header=header), **{f"__substg1.0_{name}": one for name, one in streams.items()}}
    for number, one in enumerate(recipients):
        tree[f"__recip_version1.0_#{number:08X}"] = properties(one, header=8)
    for number, one in enumerate(attachments):
        is_message = PROPERTIES in one
        inner = {"__substg1.0_3701000D": one} if is_message else {}
        about = properties({0x3705: 5, 0x3001: "Old"} if is_message else {0x3705: 1, **one}, header=8)
        tree[f"__attach_version1.0_#{number:08X}"] = {**about, **inner}
    return tree
