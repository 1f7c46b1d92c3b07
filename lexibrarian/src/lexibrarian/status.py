"""How a library is: what there is, what is stale, what is wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from lexibrarian.checks import SEVERITIES, Issue, validate
from lexibrarian.checks.files import stale_sources
from lexibrarian.checks.snapshot import Snapshot, take_snapshot
from lexibrarian.config import Config
from lexibrarian.project import Project


@dataclass(frozen=True)
class Status:
    """A library at one moment."""

    snapshot: Snapshot
    stale: list[str]
    issues: list[Issue]

    @property
    def counts(self) -> dict[str, int]:
        """The number of issues of each severity."""
        found = Counter(issue.severity for issue in self.issues)
        return {severity: found[severity] for severity in SEVERITIES}

    @property
    def updated(self) -> str:
        """When a design file was last written, in UTC."""
        return max((design.generated for design in self.snapshot.designs.values()), default="") or "never"

    def as_text(self) -> str:
        """The whole report."""
        concepts = Counter(concept.status for concept in self.snapshot.concepts)
        posts = Counter(post.status for post in self.snapshot.posts)
        counts = self.counts
        lines = [
            "Lexibrarian Status",
            f"Files: {len(self.snapshot.designs)} tracked, {len(self.stale)} stale",
            f"Concepts: {_listed(concepts) or '0'}",
            f"Stack: {len(self.snapshot.posts)} posts{f' ({_listed(posts)})' if posts else ''}",
            f"Issues: {counts['error']} errors, {counts['warning']} warnings, {counts['info']} info",
            f"Updated: {self.updated}",
        ]
        if counts["error"] or counts["warning"]:
            lines.append("Run `lexictl validate` for details.")
        return "\n".join(lines)

    def as_line(self) -> str:
        """One line for the start of a session."""
        counts = self.counts
        named = [
            f"{counts[kind]} {kind}{'' if counts[kind] == 1 else 's'}" for kind in ("error", "warning") if counts[kind]
        ]
        return (
            f"lexictl: {', '.join(named)}. Run `lexictl validate` for details." if named else "lexictl: library healthy"
        )

    def as_data(self) -> dict[str, object]:
        """The same for programs."""
        return {
            "files": {"tracked": len(self.snapshot.designs), "stale": len(self.stale)},
            "concepts": dict(Counter(concept.status for concept in self.snapshot.concepts)),
            "stack": dict(Counter(post.status for post in self.snapshot.posts)),
            "issues": self.counts,
            "updated": self.updated,
        }


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))


def read_status(project: Project, config: Config) -> Status:
    """Look at the whole library."""
    snapshot = take_snapshot(project, config)
    return Status(snapshot, stale_sources(snapshot), validate(project, config, snapshot=snapshot))
