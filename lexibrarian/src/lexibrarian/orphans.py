"""Design files whose source is gone: they follow a source that moved, or go with it, unless somebody wrote in them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lexibrarian.artefacts.aindex import read_index
from lexibrarian.artefacts.design import Design, read_design, with_updated_footer
from lexibrarian.crawl import Crawl
from lexibrarian.project import Project, within
from lexibrarian.store import TEMPORARY_SUFFIX, read_text, remove_abandoned, write_text


@dataclass(frozen=True)
class Orphan:
    """A design file, and the path of the source that is not there any more."""

    source: str
    design: Design


def design_sources(project: Project, below: str = "") -> Iterator[str]:
    """The sources that files of the library have the names of, sorted by directory; whether they exist is left open."""
    start = project.directory_path(below)
    for directory, inner, names in os.walk(start):
        inner.sort()
        where = os.path.relpath(directory, project.library).replace(os.sep, "/")
        prefix = "" if where == "." else f"{where}/"
        for name in sorted(names):
            if name.endswith(".md") and not name.startswith("."):
                yield f"{prefix}{name[: -len('.md')]}"


def find(project: Project, present: set[str], below: str = "", only: set[str] | None = None) -> list[Orphan]:
    """The design files below a directory, or those of some sources, whose source is not present."""
    found = []
    for source in sorted(only) if only is not None else design_sources(project, below):
        if source in present:
            continue
        text = read_text(project.design_file(source))
        if text is None:
            continue
        design = read_design(text)
        # Concepts, posts and files that somebody put there have no footer that names this source.
        if design.meta.get("source") == source:
            found.append(Orphan(source, design))
    return found


def settle(project: Project, orphan: Orphan, target: str | None, *, prune: bool = False) -> None:
    """Move the design file to its source's new place, or remove it where nobody wrote in it, or with `prune`."""
    if target:
        before = orphan.design.footed.before
        for old, new in (
            (f"# {orphan.source}\n", f"# {target}\n"),
            (f"lexi lookup {orphan.source}`", f"lexi lookup {target}`"),
        ):
            before = before.replace(old, new, 1)
        meta = {**orphan.design.meta, "source": target}
        text = with_updated_footer(before, meta, orphan.design.footed.after)
        if orphan.design.edited:
            # An edit stays an edit: the old hash goes along.
            text = text.replace(read_design(text).meta["design_hash"], meta.get("design_hash", ""), 1)
        write_text(project.design_path(target), text)
    elif orphan.design.edited and not prune:
        return
    project.design_path(orphan.source).unlink(missing_ok=True)


def remove_empty_indexes(project: Project, found: Crawl, below: str) -> None:
    """Remove the indexes of directories that are gone, and their mirrors, where nobody wrote conventions.

    What a process left behind that was killed while it wrote goes too.
    """
    for directory, _, names in os.walk(project.directory_path(below), topdown=False):
        where = os.path.relpath(directory, project.library).replace(os.sep, "/")
        where = "" if where == "." else where
        for name in names:
            if name.endswith(TEMPORARY_SUFFIX):
                remove_abandoned(Path(directory, name))
        if (
            where in found.directories
            or not within(where, below)
            or where.split("/")[0] in (".locks", "concepts", "stack")
        ):
            continue
        path = project.aindex_path(where)
        if ".aindex" in names and not read_index(read_text(path) or "").conventions:
            path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            Path(directory).rmdir()
