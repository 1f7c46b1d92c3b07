"""Which files are ignored: git's rules, then the project's `.lexignore`, then the patterns of the configuration.

Patterns are matched against one entry at a time, as git does, because the crawl does not enter an ignored directory.
Libraries that match whole paths take `!keep` for everything inside `keep/`, which git does not.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from lexibrarian.project import parent_of
from lexibrarian.store import read_bytes

_CLASSES = {
    "alpha": "a-zA-Z",
    "digit": "0-9",
    "alnum": "a-zA-Z0-9",
    "upper": "A-Z",
    "lower": "a-z",
    "space": r"\s",
    "punct": r"!-/:-@\[-`{-~",
    "xdigit": "0-9a-fA-F",
}


@dataclass(frozen=True)
class Pattern:
    """One line of an ignore file."""

    regex: re.Pattern[str]
    negated: bool
    directories_only: bool

    def matches(self, path: str, *, directory: bool) -> bool:
        """Whether the line speaks of this entry; the path is relative to the ignore file."""
        return (directory or not self.directories_only) and self.regex.match(path) is not None


def read_pattern(line: str) -> Pattern | None:
    """The pattern of one line in the format of `.gitignore`; `None` for blank lines, comments and broken classes."""
    line = _as_bytes(_without_trailing_spaces(line.rstrip("\r\n")))
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    line = line[1:] if negated else line
    directories_only = line.endswith("/")
    line = line[:-1] if directories_only else line
    if not line:
        return None
    anchored = "/" in line
    try:
        body = _regex(line.removeprefix("/"))
        regex = re.compile(rf"{'' if anchored else '(?:.*/)?'}{body}\Z", re.DOTALL)
    except re.error:
        return None
    return Pattern(regex, negated, directories_only)


def _as_bytes(text: str) -> str:
    """One character for each byte: for git, `?` is a byte."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("latin-1")


def _without_trailing_spaces(line: str) -> str:
    bare = line.rstrip(" ")
    if len(bare) < len(line) and (len(bare) - len(bare.rstrip("\\"))) % 2:
        return f"{bare} "
    return bare


def _regex(glob: str) -> str:
    """The regular expression of a glob in which `*` stays inside one name and `**/` spans directories."""
    parts: list[str] = []
    at = 0
    while at < len(glob):
        char = glob[at]
        stars = len(glob) - at - len(glob[at:].lstrip("*"))
        if stars:
            text, width = _stars(glob, at, stars)
        elif char == "[":
            text, width = _character_class(glob, at)
        elif char == "\\":
            if at + 1 == len(glob):
                raise re.error("a backslash at the end matches nothing")
            text, width = re.escape(glob[at + 1]), 2
        else:
            text, width = ("[^/]", 1) if char == "?" else (re.escape(char), 1)
        parts.append(text)
        at += width
    return "".join(parts)


def _stars(glob: str, at: int, count: int) -> tuple[str, int]:
    starts = at == 0 or glob[at - 1] == "/"
    rest = glob[at + count :]
    if count >= 2 and starts and rest.startswith("/"):
        return "(?:.*/)?", count + 1
    if count >= 2 and starts and not rest:
        return ".+", count
    return "[^/]*", count


def _character_class(glob: str, at: int) -> tuple[str, int]:
    """The class that opens at `at`, and its width; an open one raises `re.error`, for git it matches nothing."""
    end = at + 1
    negated = glob[end : end + 1] in ("!", "^")
    end += negated
    parts: list[str] = []
    while True:
        if end >= len(glob):
            raise re.error("the class is not closed")
        char = glob[end]
        if char == "]" and parts:
            break
        named = re.match(r"\[:(\w+):\]", glob[end:])
        if named:
            parts.append(_CLASSES.get(named[1]) or _no_such_class(named[1]))
            end += named.end()
            continue
        if char == "\\":
            end += 1
            if end >= len(glob):
                raise re.error("the class is not closed")
            char = glob[end]
        is_range = char == "-" and parts and glob[end + 1 : end + 2] not in ("]", "") and glob[end - 1] != "\\"
        parts.append("-" if is_range else re.escape(char))
        end += 1
    # A slash is never matched by a class.
    return f"(?!/)[{'^' if negated else ''}{''.join(parts)}]", end + 1 - at


def _no_such_class(name: str) -> str:
    raise re.error(f"there is no class {name}")


def read_patterns(text: str) -> tuple[Pattern, ...]:
    """The patterns of an ignore file."""
    return tuple(pattern for line in text.split("\n") if (pattern := read_pattern(line)))


@dataclass(frozen=True)
class IgnoreLevel:
    base: str
    patterns: tuple[Pattern, ...]

    def verdict(self, path: str, *, directory: bool) -> bool | None:
        if not self.patterns:
            return None
        inside = _as_bytes(path[len(self.base) :])
        for pattern in reversed(self.patterns):
            if pattern.matches(inside, directory=directory):
                return not pattern.negated
        return None


Levels = tuple[IgnoreLevel, ...]


@dataclass
class Ignoring:
    """The three layers for one project; `enter` gives the levels that hold inside a directory."""

    root: Path
    additional: Iterable[str] = ()
    _own: IgnoreLevel = field(init=False)
    _outer: Levels = field(init=False)
    tracked: frozenset[str] = field(init=False)
    _forced: set[str] = field(init=False, default_factory=set)

    def __post_init__(self) -> None:
        lexignore = _text(self.root / ".lexignore")
        self._own = IgnoreLevel("", read_patterns("\n".join([lexignore, *self.additional])))
        git = _git_directory(self.root)
        self.tracked = _tracked_though_ignored(self.root) if git else frozenset()
        files = [_global_excludes(self.root), git / "info" / "exclude"] if git else []
        outer = (IgnoreLevel("", read_patterns(_text(path))) for path in files if path)
        self._outer = tuple(level for level in outer if level.patterns)

    def enter(self, directory: str, levels: Levels | None) -> Levels:
        """The levels that hold for the entries of `directory`, given those that held for itself."""
        levels = self._outer if levels is None else levels
        text = _text(f"{self.root}/{directory}/.gitignore" if directory else self.root / ".gitignore")
        patterns = read_patterns(text) if text else ()
        base = f"{directory}/" if directory else ""
        return (*levels, IgnoreLevel(base, patterns)) if patterns else levels

    def ignores(self, path: str, levels: Levels, *, directory: bool) -> bool:
        """Whether an entry is ignored; the innermost file that speaks of it decides, and `.lexignore` may only add."""
        if self._own.verdict(path, directory=directory):
            return True
        ignored = parent_of(path) in self._forced or self._verdict(path, levels, directory=directory)
        if ignored and path in self.tracked:
            if directory:
                # Only what is tracked counts in there.
                self._forced.add(path)
            return False
        return ignored

    def _verdict(self, path: str, levels: Levels, *, directory: bool) -> bool:
        for level in reversed(levels):
            verdict = level.verdict(path, directory=directory)
            if verdict is not None:
                return verdict
        return False


def _text(path: str | Path) -> str:
    try:
        return read_bytes(path).decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    except OSError:
        return ""


def _git_directory(root: Path) -> Path | None:
    """The `.git` of the work tree that has its top at `root`, also where `.git` is a file that points elsewhere."""
    path = root / ".git"
    if path.is_file():
        target = _text(path).partition("gitdir:")[2].strip()
        common = _text(root / target / "commondir").strip()
        return Path(os.path.normpath(root / target / common)) if target else None
    return path if path.is_dir() else None


def _global_excludes(root: Path) -> Path | None:
    configured = _git(root, "config", "--type=path", "core.excludesFile").strip()
    if configured:
        return Path(configured)
    home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(home) / "git" / "ignore"


def _tracked_though_ignored(root: Path) -> frozenset[str]:
    """The tracked files, and their directories, that the patterns would ignore; git goes on to list them."""
    files = [name for name in _git(root, "ls-files", "-z", "-c", "-i", "--exclude-standard").split("\0") if name]
    parents = {"/".join(name.split("/")[:depth]) for name in files for depth in range(1, name.count("/") + 1)}
    return frozenset(files) | parents


def _git(root: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=False)  # noqa: S603, S607
    except OSError:
        return ""
    return done.stdout.decode("utf-8", "surrogateescape")
