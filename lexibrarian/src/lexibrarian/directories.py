"""Indexes of directories: made, renewed row by row, and removed with their directory."""

from __future__ import annotations

import os
import re
import time
from datetime import datetime, timezone
from functools import lru_cache
from pathlib import Path

from lexibrarian.artefacts.aindex import CHILD_MAP, Row, new_index, read_index, with_billboard, with_rows
from lexibrarian.artefacts.conflicts import resolve_generated_conflicts
from lexibrarian.artefacts.design import short_hash
from lexibrarian.artefacts.markdown import split_front_matter
from lexibrarian.config import Config
from lexibrarian.crawl import Crawl, Directory
from lexibrarian.errors import LibraryError
from lexibrarian.file_cache import FileCache
from lexibrarian.languages import outline_of, title_of
from lexibrarian.languages.outline import first_sentence
from lexibrarian.project import Project
from lexibrarian.safe_text import on_one_line
from lexibrarian.sources import read_source
from lexibrarian.store import directory_lock, read_text, write_text
from lexibrarian.version import GENERATOR

_MOST_KINDS = 3
_MOST_NAMES = 5


def now() -> str:
    """The time in UTC to the second, as footers hold it."""
    return _written(int(time.time()))


@lru_cache(maxsize=1)
def _written(second: int) -> str:
    return datetime.fromtimestamp(second, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def index_directory(
    file_cache: FileCache,
    config: Config,
    directory: Directory,
    *,
    billboards: dict[str, str] | None = None,
) -> tuple[bool, bool]:
    """Write the index of one directory; returns whether it is new, and whether it changed.

    What is known of `billboards` is not read again, and this directory's is added to them.
    """
    billboards = {} if billboards is None else billboards
    project = file_cache.project
    path = project.aindex_path(directory.path)
    with directory_lock(project, directory.path):
        old = read_text(path)
        rows = _rows(file_cache, config, directory, billboards)
        text = (
            resolve_generated_conflicts(old, (CHILD_MAP,))
            if old is not None
            else new_index(directory.path, _first_billboard(project, config, directory))
        )
        listing = short_hash("\n".join(f"{row.kind} {row.name}" for row in rows))
        meta = {"source": directory.path or ".", "source_hash": listing}
        index = read_index(text)
        billboards[directory.path] = index.billboard
        before = index.footed.meta or {}
        kept = {**meta, "generated": before.get("generated", ""), "generator": before.get("generator", "")}
        # The time and the generator move only when something else does.
        if old is not None and with_rows(text, rows, kept) == old:
            return False, False
        write_text(path, with_rows(text, rows, {**meta, "generated": now(), "generator": GENERATOR}))
    return old is None, True


def index_all(file_cache: FileCache, config: Config, found: Crawl) -> list[str]:
    """Write the indexes of all directories of a crawl, the innermost first; returns those that changed."""
    billboards: dict[str, str] = {}
    return [
        path
        for path in sorted(found.directories, key=lambda each: (-each.count("/") - bool(each), each))
        if index_directory(file_cache, config, found.directories[path], billboards=billboards)[1]
    ]


def set_billboard(project: Project, directory: str, billboard: str) -> None:
    """Say what a directory is for."""
    path = project.aindex_path(directory)
    with directory_lock(project, directory):
        text = read_text(path)
        if text is None:
            raise LibraryError(
                f"No .aindex for {directory or '.'}.",
                code="no_index",
                hint=f"Run `lexi index {directory or '.'}` first.",
            )
        write_text(path, with_billboard(text, directory, " ".join(billboard.split())))


def _rows(file_cache: FileCache, config: Config, directory: Directory, billboards: dict[str, str]) -> list[Row]:
    designs = _names_in(file_cache.project.directory_path(directory.path))

    def about(name: str) -> str:
        if name in directory.links:
            return "Link."
        return file_cache.about(config, directory.join(name), designed=f"{name}.md" in designs)

    files = [Row(name, "file", about(name)) for name in directory.files]
    directories = [
        Row(name, "dir", _about_directory(file_cache.project, directory, name, billboards))
        for name in directory.directories
    ]
    return files + directories


def _names_in(directory: Path) -> set[str]:
    try:
        return set(os.listdir(directory))  # noqa: PTH208
    except OSError:
        return set()


def _about_directory(project: Project, directory: Directory, name: str, billboards: dict[str, str]) -> str:
    if name in directory.own_repositories:
        return "A repository of its own."
    path = directory.join(name)
    if path not in billboards:
        billboards[path] = read_index(read_text(project.aindex_path(path)) or "").billboard
    return " ".join(billboards[path].split())


def _first_billboard(project: Project, config: Config, directory: Directory) -> str:
    """What a file of the directory says about it, else the kinds of its files."""
    for name in (
        "__init__.py",
        "README.md",
        "doc.go",
        "mod.rs",
        "lib.rs",
        "package-info.java",
        "README.rst",
        "README.txt",
    ):
        if name not in directory.files or name in directory.links:
            continue
        source = read_source(project, config, directory.join(name))
        if isinstance(source, str) or not source.text.strip():
            continue
        outline = outline_of(name, source.text)
        said = first_sentence(outline.docstring if outline else _first_prose(source.text))
        if said:
            return said
    return on_one_line(_what_it_holds(directory))


def _what_it_holds(directory: Directory) -> str:
    kinds = list(dict.fromkeys(title_of(name) for name in directory.files))
    if not kinds:
        return f"Directories: {', '.join(directory.directories[:_MOST_KINDS])}." if directory.directories else "Empty."
    stems = list(dict.fromkeys(name.lstrip(".").partition(".")[0] for name in directory.files if name != "__init__.py"))
    more = " and others" if len(stems) > _MOST_NAMES else ""
    return f"{', '.join(kinds[:_MOST_KINDS])}: {', '.join(stems[:_MOST_NAMES]) or '__init__'}{more}."


def _first_prose(text: str) -> str:
    """The first paragraph of a text that is no heading, picture, badge, list or code."""
    for paragraph in split_front_matter(text)[1].split("\n\n"):
        lines = [line.strip() for line in paragraph.strip().splitlines()]
        if (
            lines
            and lines[0]
            and not re.match(r"[#<!\[|>=`*+.:-]|\d+\.|[=~^-]{3}", lines[0])
            and lines[-1].strip("=-~")
        ):
            return " ".join(lines)
    return ""
