"""Checks of a library: each looks at one thing, none writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from lexibrarian.checks import concepts, files, links, posts
from lexibrarian.checks.snapshot import Snapshot, take_snapshot
from lexibrarian.config import Config
from lexibrarian.errors import LibraryError
from lexibrarian.project import Project

SEVERITIES = ("error", "warning", "info")
Check = Callable[[Snapshot], Iterator[tuple[str, str]]]

CHECKS: dict[str, tuple[str, Check]] = {
    "wikilink_resolution": ("error", links.check_links),
    "file_existence": ("error", files.check_missing_sources),
    "concept_frontmatter": ("error", concepts.front_matter),
    "duplicate_ids": ("error", posts.duplicate_ids),
    "alias_conflicts": ("error", concepts.alias_conflicts),
    "conflict_markers": ("error", files.conflict_markers),
    "hash_freshness": ("warning", files.check_stale_designs),
    "token_budgets": ("warning", files.token_budgets),
    "orphan_concepts": ("warning", links.orphans),
    "deprecated_concept_usage": ("warning", links.deprecated),
    "stack_evidence": ("warning", posts.evidence),
    "concept_aliases": ("warning", concepts.missing_aliases),
    "forward_dependencies": ("info", files.dependencies),
    "stack_staleness": ("info", posts.staleness),
    "aindex_coverage": ("info", files.check_undocumented),
    "bidirectional": ("info", files.check_dependents),
}


@dataclass(frozen=True)
class Issue:
    """One thing that is wrong; `path` is that of the file of the library, or of the source."""

    severity: str
    check: str
    path: str
    message: str


def validate(
    project: Project, config: Config, names: Iterable[str] = (), *, snapshot: Snapshot | None = None
) -> list[Issue]:
    """What some checks, or all of them, find: errors first, then by check and path."""
    chosen = list(names) or list(CHECKS)
    unknown = [name for name in chosen if name not in CHECKS]
    if unknown:
        available = ", ".join(CHECKS)
        raise LibraryError(
            f"There is no check {unknown[0]}.", code="unknown_check", hint=f"Available checks: {available}."
        )
    snapshot = snapshot or take_snapshot(project, config)
    found = [
        Issue(severity, name, path, message)
        for name, (severity, check) in CHECKS.items()
        if name in chosen
        for path, message in check(snapshot)
    ]
    return sorted(
        found, key=lambda issue: (SEVERITIES.index(issue.severity), list(CHECKS).index(issue.check), issue.path)
    )
