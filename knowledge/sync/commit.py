"""Which commit a checkout is at. Read from its files: git itself would obey whatever the checkout's settings say."""

from __future__ import annotations

import re
from pathlib import Path

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REF = re.compile(r"ref: (refs/[\w./-]{1,200})")
_LARGEST = 4 * 1024 * 1024


def commit_of(folder: Path) -> str:
    """The commit that is checked out here; empty when this is no checkout, or its head cannot be told."""
    git = _git_folder(folder / ".git")
    head = _text(git / "HEAD") if git else ""
    if not (git and (ref := _REF.fullmatch(head))) or ".." in head:
        return head if _COMMIT.fullmatch(head) else ""
    shared = git / (_text(git / "commondir") or ".")
    found = _text(git / ref[1]) or _text(shared / ref[1]) or _packed(shared, ref[1])
    return found if _COMMIT.fullmatch(found) else ""


def is_checkout(folder: Path) -> bool:
    return _git_folder(folder / ".git") is not None


def _git_folder(path: Path) -> Path | None:
    if path.is_dir():
        return path
    # A worktree, or a submodule: a file says where the rest is.
    said = _text(path).removeprefix("gitdir: ")
    return path.parent / said if said else None


def _packed(git: Path, ref: str) -> str:
    lines = _text(git / "packed-refs").splitlines()
    return next((line.partition(" ")[0] for line in lines if line.partition(" ")[2] == ref), "")


def _text(path: Path) -> str:
    try:
        with path.open("rb") as stream:
            return stream.read(_LARGEST).decode(errors="replace").strip()
    except OSError:
        return ""
