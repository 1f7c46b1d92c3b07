"""What an update did, in the words of its output."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, fields

from lexibrarian.changes import ChangeLevel


@dataclass
class Report:
    """What an update did, or with `dry_run` would do; paths are those of the sources."""

    dry_run: bool = False
    levels: dict[str, ChangeLevel] = field(default_factory=dict)
    listed_only: dict[str, str] = field(default_factory=dict)
    relinked: list[str] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    indexes: list[str] = field(default_factory=list)
    over_budget: dict[str, int] = field(default_factory=dict)
    without_model: list[str] = field(default_factory=list)
    discarded: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def counts(self) -> Counter[str]:
        """How many sources there are on each level."""
        return Counter(level.value for level in self.levels.values())

    def add(self, other: Report) -> None:
        """Take in what another part of the same update did."""
        for each in fields(self):
            mine, theirs = getattr(self, each.name), getattr(other, each.name)
            if isinstance(mine, dict):
                mine.update(theirs)
            elif isinstance(mine, list):
                mine += theirs
