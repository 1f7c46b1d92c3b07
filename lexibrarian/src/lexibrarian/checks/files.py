"""Checks of design files and indexes against the project."""

from __future__ import annotations

import re
from collections.abc import Iterator

from lexibrarian.artefacts.design import DEPENDENCIES, TESTS
from lexibrarian.checks.snapshot import Snapshot
from lexibrarian.index import read_index
from lexibrarian.links import POST_ID
from lexibrarian.project import LIBRARY
from lexibrarian.sources import hash_of
from lexibrarian.store import read_text
from lexibrarian.tokens import count_tokens

_HASH = re.compile(r"[0-9a-f]{64}")
_CONFLICT = re.compile(r"^(?:<{7}|>{7}) ", re.MULTILINE)


def existence(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Design files without their source, tests that are not there, and references of posts into nothing."""
    for source, design in snapshot.designs.items():
        path = snapshot.design_path(source)
        named = design.meta.get("source", source)
        if not snapshot.exists(named):
            yield path, f"The source {named} does not exist."
        for test in design.items(TESTS):
            name = re.split(r"\s|::", test)[0].strip("`")
            if "/" in name and not snapshot.exists(name):
                yield path, f"The test {name} does not exist."
    for post in snapshot.posts:
        path = snapshot.post_path(post)
        missing = [each for each in post.refs("files") if not snapshot.exists(each)]
        missing += [
            each
            for each in post.refs("designs")
            if not snapshot.exists(f"{LIBRARY}/{each.removeprefix(f'{LIBRARY}/')}")
        ]
        yield from ((path, f"The file {each} does not exist.") for each in missing)
        original = str(post.fields.get("duplicate_of") or "")
        if original and POST_ID.fullmatch(original) and not snapshot.resolver.resolve(original).found:
            yield path, f"The post {original} does not exist."


def conflict_markers(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Files of the library in which a merge was left unfinished."""
    for path, text in snapshot.texts.items():
        if _CONFLICT.search(text):
            yield path, "The file holds conflict markers."


def freshness(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Design files that are older than their source; a hash that somebody made up says nothing."""
    for source in stale_sources(snapshot):
        yield snapshot.design_path(source), f"{source} changed after this was written."


def stale_sources(snapshot: Snapshot) -> list[str]:
    """The sources that changed after their design file was written."""
    found = []
    for source, design in snapshot.designs.items():
        stored = design.meta.get("source_hash", "")
        if not _HASH.fullmatch(stored):
            continue
        try:
            content = (snapshot.project.root / design.meta.get("source", source)).read_bytes()
        except OSError:
            continue
        if hash_of(content) != stored:
            found.append(source)
    return found


def token_budgets(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Files that are larger than their budget."""
    budgets = snapshot.config.token_budgets
    sized = [
        (snapshot.design_path(source), design.body, budgets.design_file_tokens)
        for source, design in snapshot.designs.items()
    ]
    sized += [
        (snapshot.index_path(where), index.footed.before, budgets.aindex_tokens)
        for where, index in snapshot.indexes.items()
    ]
    sized += [(snapshot.concept_path(concept), concept.text, budgets.concept_tokens) for concept in snapshot.concepts]
    start = read_text(snapshot.project.library / "START_HERE.md")
    sized += [(f"{LIBRARY}/START_HERE.md", start, budgets.start_here_tokens)] if start else []
    for path, text, limit in sized:
        # No text has more tokens than bytes, so that most need no count.
        if len(text) > limit and (size := count_tokens(text)) > limit:
            yield path, f"It has about {size} tokens; the budget is {limit}."


def dependencies(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Dependencies that do not exist."""
    for source, design in snapshot.designs.items():
        for item in design.items(DEPENDENCIES):
            path = item.split()[0].strip("`") if item.split() else ""
            if "/" in path and not snapshot.exists(path):
                yield snapshot.design_path(source), f"The dependency {path} does not exist."


def coverage(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Directories without an index."""
    for directory in snapshot.crawl.directories:
        if directory not in snapshot.indexes:
            yield directory or ".", f"There is no index: run `lexi index {directory or '.'}`."


def bidirectional(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Dependencies that a design file lists and the index of imports does not know, so that no lookup shows them."""
    known = read_index(snapshot.project)
    for source, design in snapshot.designs.items() if known else ():
        entry = known.get(source)
        listed = set(design.items(DEPENDENCIES)) & set(snapshot.designs)
        missing = sorted(listed - set(entry.dependencies if entry else ()))
        if missing:
            yield snapshot.design_path(source), f"{', '.join(missing)} does not show {source} as a dependent."
