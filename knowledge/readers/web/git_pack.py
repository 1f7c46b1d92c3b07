"""A pack of a Git repository: the files of one commit, and what they hold."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dulwich.object_format import SHA1
from dulwich.objects import Blob, Commit, ObjectID, ShaFile, Tag, Tree
from dulwich.pack import PackData, PackInflater

from knowledge.readers.types import DamagedDocument, TooLarge

MAX_FILES = 50_000
MAX_FILE_BYTES = 40 * 1024 * 1024
_MAX_DEPTH = 50
_LINK_MODE, _SUBMODULE_MODE = 0o120000, 0o160000


def list_commit(path: Path, commit: str, folder: str) -> Iterator[list[str]]:
    """`[path, id, kind]` of each entry below a folder of the commit: a `file`, a `link` or a `submodule`. Raises
    `DamagedDocument` where the pack does not have the commit or one of its trees, `TooLarge`."""
    objects = {one.id: one for one in _objects(path) if not isinstance(one, Blob)}
    found: Any = objects.get(ObjectID(commit.encode()))
    while isinstance(found, Tag):
        found = objects.get(found.object[1])
    if not isinstance(found, Commit):
        raise DamagedDocument
    root = objects.get(found.tree)
    for name in filter(None, folder.split("/")):
        entry = root[name.encode()] if isinstance(root, Tree) and name.encode() in root else None
        root = objects.get(entry[1]) if entry else None
    if isinstance(root, Tree):
        yield from _entries(objects, root, folder)


def read_files(path: Path, wanted: Sequence[str]) -> Iterator[list[str]]:
    """`[id, content in base 64]` of the wanted files that are in the pack; no content where it is too large."""
    names = set(wanted)
    for one in _objects(path):
        name = one.id.decode()
        if isinstance(one, Blob) and name in names:
            content = one.as_raw_string()
            yield [name, base64.b64encode(content).decode() if len(content) <= MAX_FILE_BYTES else ""]


def _objects(path: Path) -> Iterator[ShaFile]:
    try:
        with path.open("rb") as file:
            data = PackData.from_file(file, object_format=SHA1, size=path.stat().st_size)
            yield from PackInflater.for_pack_data(data)
    except MemoryError:
        raise
    except Exception as error:
        # The library reports a damaged pack by any of a dozen errors.
        raise DamagedDocument from error


def _entries(objects: dict[Any, ShaFile], root: Tree, folder: str) -> Iterator[list[str]]:
    stack: list[tuple[Tree, str, int]] = [(root, folder.strip("/"), 0)]
    count = 0
    while stack:
        tree, place, depth = stack.pop()
        for entry in tree.iteritems():
            count += 1
            if count > MAX_FILES or depth > _MAX_DEPTH:
                raise TooLarge("The folder of the repository has more than 50,000 files, or is nested too deeply.")
            path = f"{place}/{entry.path.decode('utf-8', 'replace')}".strip("/")
            inner = objects.get(entry.sha)
            if isinstance(inner, Tree):
                stack.append((inner, path, depth + 1))
            elif entry.mode & 0o170000 == 0o040000:
                raise DamagedDocument  # a tree that the pack lacks
            else:
                kind = {_LINK_MODE: "link", _SUBMODULE_MODE: "submodule"}.get(entry.mode & 0o170000, "file")
                yield [path, entry.sha.decode(), kind]
