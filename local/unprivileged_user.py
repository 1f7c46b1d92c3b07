"""PostgreSQL refuses to run as the superuser. What it takes to run it as somebody else, files included."""

from __future__ import annotations

import contextlib
import hashlib
import os
import pwd
import shutil
import tempfile
from pathlib import Path
from typing import Any

from lexic.errors import LexicError

# Where the superuser keeps what an unprivileged server must be able to reach.
_SYSTEM_FOLDER = Path("/var/lib")


class UnknownUser(LexicError):
    """The user that the built-in PostgreSQL runs as does not exist."""

    code = "unknown_user"
    hint = "Set LEXIC_PG_USER to one that does."


def unprivileged_popen_arguments() -> dict[str, Any]:
    """Popen arguments that give up the superuser's rights; empty when there are none to give up."""
    if os.geteuid() != 0:
        return {}
    name = os.environ.get("LEXIC_PG_USER") or "nobody"
    try:
        person = pwd.getpwnam(name)
    except KeyError:
        raise UnknownUser(f"There is no user “{name}” on this machine.") from None
    return {"user": person.pw_uid, "group": person.pw_gid, "extra_groups": []}


def make_private_folder(folder: Path) -> None:
    """Make the folder for the server's user alone.

    It may lie in the shared /tmp: a folder that somebody else made there first raises PermissionError.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    owner = unprivileged_popen_arguments().get("user", os.geteuid())
    if folder.lstat().st_uid not in {os.geteuid(), owner}:
        raise PermissionError(f"{folder} belongs to another user.")
    change_owner(folder)


def change_owner(folder: Path) -> None:
    if owner := unprivileged_popen_arguments():
        os.chown(folder, owner["user"], owner["group"], follow_symlinks=False)


def allow_traversal(folder: Path) -> None:
    """Whatever the umask: the server's user must get from here to its own folders (those stay private)."""
    if unprivileged_popen_arguments():
        folder.chmod(folder.stat().st_mode | 0o011)


def reachable_root(root: Path) -> Path:
    """`root`, or for the superuser a folder under /var/lib when the server's user could not get at `root`."""
    if not (owner := unprivileged_popen_arguments()) or can_reach(root, owner["user"]):
        return root
    return _SYSTEM_FOLDER / f"lexic-{path_fingerprint(root)}"


def reachable_install(installed: Path, *, program: str) -> Path:
    """The package's folder, or a copy that the server's user can run (a venv under /root is closed to it)."""
    owner = unprivileged_popen_arguments()
    if not owner or can_reach(installed / program, owner["user"]):
        return installed
    return _copy_install(installed)


def can_reach(path: Path, uid: int) -> bool:
    """Whether another user may walk down to this path (the parents that exist must let others through)."""
    parents = [parent for parent in path.resolve().parents if parent.exists()]
    return all(parent.stat().st_mode & 0o001 or parent.stat().st_uid == uid for parent in parents)


def path_fingerprint(path: Path) -> str:
    return hashlib.sha256(f"{os.geteuid()}:{path.resolve()}".encode()).hexdigest()[:12]


def _copy_install(installed: Path) -> Path:
    """The tree is relocatable as long as the folder of shared libraries lies beside it."""
    version = installed.stat().st_mtime_ns
    name = f"lexic-postgres-{hashlib.sha256(f'{installed}{version}'.encode()).hexdigest()[:12]}"
    home = _SYSTEM_FOLDER / name
    if not home.exists():
        unfinished = Path(tempfile.mkdtemp(prefix="lexic-postgres-", dir=_SYSTEM_FOLDER))
        for part in (installed, installed.parent / f"{installed.name}.libs"):
            if part.exists():
                shutil.copytree(part, unfinished / part.name, symlinks=True)
        unfinished.chmod(0o755)
        with contextlib.suppress(OSError):  # another process was quicker
            unfinished.rename(home)
        shutil.rmtree(unfinished, ignore_errors=True)
    return home / installed.name
