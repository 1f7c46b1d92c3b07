"""The hooks that bring the library up to each commit and merge, in the background."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

from lexibrarian.errors import LibraryError
from lexibrarian.project import Project
from lexibrarian.store import rehearsing, write_text

_BEGIN = "# >>> lexibrarian >>>"
_END = "# <<< lexibrarian <<<"
_SHELLS = ("sh", "bash", "dash", "zsh", "ksh")
# A merge without conflicts runs no post-commit hook.
_HOOKS = {
    "post-commit": """if git rev-parse -q --verify HEAD^1 >/dev/null; then
            git diff --name-only --no-renames --relative -z HEAD^1 HEAD
        else
            git diff-tree --root --no-commit-id --name-only --no-renames --relative -r -z HEAD
        fi""",
    "post-merge": "git diff --name-only --no-renames --relative -z ORIG_HEAD HEAD",
}
# Git's own variables would send the commands inside to another index. Names are passed with NUL between them.
_BLOCK = """{begin}
# Brings the library up to date in the background; git neither waits for it nor fails with it.
(
    top=$(git rev-parse --show-toplevel) || exit 0
    unset $(git rev-parse --local-env-vars)
    cd "$top"/{prefix} && [ -d .lexibrary ] && command -v lexictl || exit 0
    {{
        {changed}
    }} | xargs -0 lexictl update --changed-only -- >>.lexibrarian.log 2>&1
) >/dev/null 2>&1 </dev/null &
{end}
"""


def install_hooks(project: Project) -> list[tuple[Path, bool]]:
    """Write the hooks where git looks for them; returns each one's path, and False where it was there already.

    A hook that is there goes on to run: ours stands before a shell script's own lines, and calls any other program.
    """
    prefix = shlex.quote(f"./{_git(project, 'rev-parse', '--show-prefix')}")
    directory = _hooks_directory(project)
    return [
        (
            directory / name,
            _install(directory / name, _BLOCK.format(begin=_BEGIN, end=_END, prefix=prefix, changed=changed)),
        )
        for name, changed in _HOOKS.items()
    ]


def _install(path: Path, block: str) -> bool:
    aside = path.with_name(f"{path.name}.before-lexibrarian")
    old = path.read_bytes().decode("utf-8", "surrogateescape") if path.is_file() else None
    text = _with_block(old, block, aside)
    if text == old:
        return False
    if rehearsing():
        return write_text(path, text)
    if old is not None and aside.name in text and _BEGIN not in old:
        path.rename(aside)
    write_text(path, text)
    path.chmod(path.stat().st_mode | 0o111)
    return True


def _with_block(old: str | None, block: str, aside: Path) -> str:
    if old is None:
        return f"#!/bin/sh\n{block}"
    if _BEGIN in old and _END in old:
        before, rest = old.split(_BEGIN, 1)
        return before + block.rstrip("\n") + rest.split(_END, 1)[1]
    first, _, rest = old.partition("\n")
    program = first[2:].split() if first.startswith("#!") else []
    if program and any(Path(word).name in _SHELLS for word in program[:2]):
        return f"{first}\n{block}{rest}"
    return f'#!/bin/sh\n{block}exec {shlex.quote(str(aside))} "$@"\n'


def _hooks_directory(project: Project) -> Path:
    """Where git looks for hooks, `core.hooksPath` and work trees counted in."""
    return project.root / _git(project, "rev-parse", "--git-path", "hooks")


def _git(project: Project, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", *arguments], cwd=project.root, capture_output=True, text=True, check=False)  # noqa: S603, S607
    except OSError as problem:
        raise LibraryError("Git is not installed.", code="no_git", hint="Run `lexictl update` by hand.") from problem
    if done.returncode:
        raise LibraryError(
            "No .git in this directory or above it.", code="no_git", hint="Run `git init` first, or update by hand."
        )
    return done.stdout.rstrip("\n")
