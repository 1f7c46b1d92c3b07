"""Reads the files below one folder of a Git repository, at the head of one branch.

Nothing is checked out and no program of Git's runs: the trees of one commit are fetched, then the files that differ
from the manifest. Hooks, settings and attributes of the repository do nothing; links and submodules are left out.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

from knowledge.models import Source, SourceItem
from knowledge.readers.formats import TYPES_BY_EXTENSION
from knowledge.readers.isolation.confined_call import confined_call
from knowledge.readers.types import UnreadableDocument
from knowledge.sync.remote.git_client import GitClient
from knowledge.sync.remote.remote_listing import RemoteFile, RemoteListing, Spool, SpoolFull
from knowledge.sync.remote.source_errors import SourceUnavailable

MAX_FILES = 2_000
_LIST = "knowledge.readers.web.git_pack:list_commit"
_READ = "knowledge.readers.web.git_pack:read_files"
_LFS_POINTER = b"version https://git-lfs"
_REASONS = {"link": "a symbolic link", "submodule": "a submodule"}


def list_repository(source: Source, *, known: Mapping[str, SourceItem], spool: Spool) -> RemoteListing:
    """The files of the folder. Raises `SourceUnavailable`."""
    options = source.options
    client = GitClient(source.location, source.credentials())
    commit = client.head(options.get("branch", ""))
    listing = RemoteListing(commit=commit)
    if commit == source.commit and not _has_open_items(known):
        listing.same = set(known)
        return listing
    try:
        pack, _ = spool.keep(client.fetch([commit], only_trees=True))
        found = _list_files(pack, commit, options.get("folder", ""), listing)
        listing.same = {
            path for path, blob in found.items() if path in known and known[path].version.get("blob") == blob
        }
        changed = {path: blob for path, blob in found.items() if path not in listing.same}
        _read_changed(client, pack, changed, spool=spool, listing=listing)
    except SpoolFull:
        listing.end_early("One sync fetches at most 500 MB; the next one continues.")
    return listing


def _has_open_items(known: Mapping[str, SourceItem]) -> bool:
    """Whether something is left to do although the commit is the same."""
    return any(item.problems or (item.document and item.document.removed_in is not None) for item in known.values())


def _list_files(pack: Any, commit: str, folder: str, listing: RemoteListing) -> dict[str, str]:
    try:
        values = list(confined_call(_LIST, pack, arguments={"commit": commit, "folder": folder}))
    except UnreadableDocument as error:
        raise SourceUnavailable(f"The repository cannot be read: {error.message}") from error
    found: dict[str, str] = {}
    for value in sorted(values):
        path, blob, kind = map(str, value)
        if kind in _REASONS:
            listing.left_out.append((path, _REASONS[kind]))
        elif _is_wanted(path):
            found[path] = blob
    if len(found) > MAX_FILES:
        listing.end_early(f"The folder has more than {MAX_FILES:,} files; the rest was not read.")
    return dict(list(found.items())[:MAX_FILES])


def _is_wanted(path: str) -> bool:
    """Documents by their names, but no pictures and nothing hidden."""
    kind = TYPES_BY_EXTENSION.get(path.rpartition(".")[2].lower()) if "." in path else None
    is_hidden = any(part.startswith(".") for part in path.split("/"))
    return bool(kind) and kind != "image" and not is_hidden and path.isprintable() and len(path) <= 1_000


def _read_changed(
    client: GitClient, pack: Any, changed: Mapping[str, str], *, spool: Spool, listing: RemoteListing
) -> None:
    """From the pack where the server sent the files with it, else from one that has these alone."""
    contents = _read_blobs(pack, set(changed.values()))
    if missing := sorted(set(changed.values()) - set(contents)):
        second, _ = spool.keep(client.fetch(missing))
        contents |= _read_blobs(second, set(missing))
    for path, blob in changed.items():
        content = contents.get(blob, b"")
        if not content:
            listing.left_out.append((path, "it is empty, or larger than 40 MB"))
        elif content.startswith(_LFS_POINTER):
            listing.left_out.append((path, "it is kept in Git LFS"))
        else:
            kept, sha256 = spool.keep(content)
            listing.files.append(
                RemoteFile(path=path, file_name=path[-300:], content=kept, sha256=sha256, version={"blob": blob})
            )


def _read_blobs(pack: Any, wanted: set[str]) -> dict[str, bytes]:
    if not wanted:
        return {}
    try:
        values = list(confined_call(_READ, pack, arguments={"wanted": sorted(wanted)}))
        return {str(blob): base64.b64decode(content, validate=True) for blob, content in values}
    except UnreadableDocument as error:
        raise SourceUnavailable(f"The repository cannot be read: {error.message}") from error
    except (ValueError, TypeError, binascii.Error) as error:
        raise SourceUnavailable("The repository cannot be read.") from error
