"""The report of what a sync did, or would do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from knowledge.sync.notes.note_problems import NoteProblem
from knowledge.sync.plan import SyncPlan

MAX_REMEMBERED = 200
_PAIRS = ("renamed", "kept", "left_out")


@dataclass(frozen=True, kw_only=True)
class SyncReport:
    """Paths within the folder (or addresses), sorted. `described`: only what is said about the note changed.

    `left_out` has a reason for each, and so has `skipped` (links, hidden files). `embedded` counts texts; None where
    that is not known. `revision` is that of the knowledge base afterwards. Of a source from elsewhere: `kept` are
    documents that could not be read now, or seem to be gone, each with the reason; `held` says why none of these was
    retired, and `partly` why not all of the source was seen.
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    described: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    removed: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    skipped: tuple[tuple[str, str], ...] = ()
    kept: tuple[tuple[str, str], ...] = ()
    problems: tuple[NoteProblem, ...] = ()
    unchanged: int = 0
    others: int = 0
    embedded: int | None = None
    revision: int = 0
    commit: str = ""
    held: str = ""
    partly: str = ""

    @property
    def counts(self) -> dict[str, int]:
        """What the manifest's source remembers of it."""
        names = ("added", "changed", "described", "renamed", "removed", "left_out", "problems")
        return {_camel_case(name): len(getattr(self, name)) for name in names} | {"unchanged": self.unchanged}

    @property
    def remembered(self) -> dict[str, Any]:
        """The counts and, of a source from elsewhere, what changed, at most so many paths of each sort."""
        most = MAX_REMEMBERED
        paths = {name: list(getattr(self, name)[:most]) for name in ("added", "changed", "removed")}
        pairs = {_camel_case(name): [list(one) for one in getattr(self, name)[:most]] for name in _PAIRS}
        problems = [problem.as_dict() for problem in self.problems[:most]]
        changes = {**paths, **pairs, "problems": problems}
        return {**self.counts, "kept": len(self.kept), "held": self.held, "partly": self.partly, "changes": changes}

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON."""
        values = {
            _camel_case(name): list(value) if isinstance(value, tuple) else value for name, value in vars(self).items()
        }
        return values | {
            "renamed": [{"from": old, "to": new} for old, new in self.renamed],
            "leftOut": [{"path": path, "reason": reason} for path, reason in self.left_out],
            "skipped": [{"path": path, "reason": reason} for path, reason in self.skipped],
            "kept": [{"path": path, "reason": reason} for path, reason in self.kept],
            "problems": [problem.as_dict() for problem in self.problems],
            "commit": self.commit or None,
        }


def build_report(found: SyncPlan, *, embedded: int | None, revision: int, commit: str) -> SyncReport:
    """What this plan does, or would do."""
    moved = {new for _, new in found.renamed}
    stayed = [(change.kind, change.note.path) for change in found.changes if change.note.path not in moved]
    return SyncReport(
        added=tuple(sorted(path for kind, path in stayed if kind == "added")),
        changed=tuple(sorted(path for kind, path in stayed if kind == "changed")),
        described=tuple(sorted(path for kind, path in stayed if kind == "described")),
        renamed=tuple(sorted(found.renamed)),
        removed=tuple(sorted(item.path for item in found.removed if item.document)),
        closed=tuple(sorted(document.file_name for document in found.to_unpublish)),
        left_out=tuple(sorted((note.path, reason) for note, reason in found.left_out)),
        skipped=tuple(found.skipped),
        problems=tuple(found.problems),
        unchanged=found.unchanged,
        others=found.others,
        embedded=embedded,
        revision=revision,
        commit=commit,
    )


def _camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.title, rest))
