"""Reads the commit of a checkout from its files: git itself would obey the settings of the checkout, which may be
hostile."""

from __future__ import annotations

import re
from pathlib import Path

_COMMIT_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SYMBOLIC_REF = re.compile(r"ref: (refs/[\w./-]{1,200})")
_MAX_FILE_BYTES = 4 * 1024 * 1024


def checked_out_commit(folder: Path) -> str:
    """The commit that is checked out here; empty when this is no checkout, or its head cannot be told."""
    git = _git_folder(folder / ".git")
    head = _read_git_file(git / "HEAD") if git else ""
    if not (git and (ref := _SYMBOLIC_REF.fullmatch(head))) or ".." in head:
        return head if _COMMIT_HASH.fullmatch(head) else ""
    shared = git / (_read_git_file(git / "commondir") or ".")
    found = _read_git_file(git / ref[1]) or _read_git_file(shared / ref[1]) or _packed_ref(shared, ref[1])
    return found if _COMMIT_HASH.fullmatch(found) else ""


def is_checkout(folder: Path) -> bool:
    return _git_folder(folder / ".git") is not None


def _git_folder(path: Path) -> Path | None:
    if path.is_dir():
        return path
    # A worktree, or a submodule: a file says where the rest is.
    target = _read_git_file(path).removeprefix("gitdir: ")
    return path.parent / target if target else None


def _packed_ref(git: Path, ref: str) -> str:
    lines = _read_git_file(git / "packed-refs").splitlines()
    return next((line.partition(" ")[0] for line in lines if line.partition(" ")[2] == ref), "")


def _read_git_file(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return stream.read(_MAX_FILE_BYTES).decode(errors="replace").strip()
    except OSError:
        return ""
