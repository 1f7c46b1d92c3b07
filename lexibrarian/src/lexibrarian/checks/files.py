"""Checks of design files and indexes against the project."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from lexibrarian.artefacts.aindex import CHILD_MAP
from lexibrarian.artefacts.design import GENERATED_SECTIONS, read_design
from lexibrarian.artefacts.design_summary import has_conflict_markers
from lexibrarian.artefacts.markdown import split_footer, without_copies
from lexibrarian.checks.snapshot import Snapshot
from lexibrarian.index import is_storable
from lexibrarian.links import POST_ID
from lexibrarian.project import LIBRARY
from lexibrarian.store import read_text
from lexibrarian.tokens import count_tokens

_HASH = re.compile(r"[0-9a-f]{64}")


def check_missing_sources(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Design files without their source, tests that are not there, and references of posts into nothing."""
    for source, design in snapshot.designs.items():
        path = snapshot.design_path(source)
        named = design.source if design.has_source else source
        if not snapshot.exists(named):
            yield path, f"The source {named} does not exist."
        for test in design.tests:
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
    broken = [snapshot.design_path(source) for source, design in snapshot.designs.items() if design.in_conflict]
    broken += [path for path, text in snapshot.own_texts.items() if has_conflict_markers(text)]
    yield from ((path, "The file holds conflict markers.") for path in broken)


def check_stale_designs(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Design files that are older than their source; a hash that somebody made up says nothing."""
    for source in stale_sources(snapshot):
        yield snapshot.design_path(source), f"{source} changed after this was written."


def stale_sources(snapshot: Snapshot) -> list[str]:
    """The sources that changed after their design file was written."""
    found = []
    for source, design in snapshot.designs.items():
        if _HASH.fullmatch(design.source_hash):
            current = snapshot.file_cache.source_hash(design.source or source)
            if current and current != design.source_hash:
                found.append(source)
    return found


def token_budgets(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Files in which more is written than their budget allows; what the program copies out of sources does not count.

    Nobody can shorten a copy: of a source with too large an interface, the update that writes it says so.
    """
    budgets = snapshot.config.token_budgets
    sized = [
        (snapshot.design_path(source), _written_in_design(snapshot, source), budgets.design_file_tokens)
        for source, design in snapshot.designs.items()
        if design.tokens > budgets.design_file_tokens
    ]
    sized += [
        (snapshot.index_path(where), without_copies(index.footed.before, (CHILD_MAP,)), budgets.aindex_tokens)
        for where, index in snapshot.indexes.items()
        if 2 * len(index.footed.before) > budgets.aindex_tokens
    ]
    sized += [(snapshot.concept_path(concept), concept.text, budgets.concept_tokens) for concept in snapshot.concepts]
    start_here = split_footer(snapshot.start_here).before
    sized.append((f"{LIBRARY}/START_HERE.md", start_here, budgets.start_here_tokens))
    for path, text, limit in sized:
        # No letter has more than two tokens, so that most need no count.
        if 2 * len(text) > limit and (size := count_tokens(text)) > limit:
            yield path, _too_large(size, limit)


def _written_in_design(snapshot: Snapshot, source: str) -> str:
    design = read_design(read_text(snapshot.project.design_path(source)) or "")
    return without_copies(design.body, GENERATED_SECTIONS)


def _too_large(size: int, limit: int) -> str:
    return f"It has about {size} tokens; the budget is {limit}."


def dependencies(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Dependencies that do not exist."""
    for source, design in snapshot.designs.items():
        for item in design.dependencies:
            path = item.split()[0].strip("`") if item.split() else ""
            if "/" in path and not snapshot.exists(path):
                yield snapshot.design_path(source), f"The dependency {path} does not exist."


def check_undocumented(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Directories without an index."""
    for directory in snapshot.crawl.directories:
        if directory not in snapshot.indexes:
            yield directory or ".", f"There is no index: run `lexi index {directory or '.'}`."


def check_dependents(snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Dependencies that a design file lists and the index of imports does not know, so that no lookup shows them."""
    known = snapshot.file_cache.known
    for source, design in snapshot.designs.items() if known else ():
        if not is_storable(source):
            continue
        entry = known.get(source)
        listed = {path for path in design.dependencies if path in snapshot.designs}
        missing = sorted(listed - set(json.loads(entry.dependencies))) if entry else sorted(listed)
        if missing:
            yield snapshot.design_path(source), f"{', '.join(missing)} does not show {source} as a dependent."
