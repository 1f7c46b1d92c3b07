"""How far a source has moved away from its design file."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from lexibrarian.artefacts.design import Design
from lexibrarian.sources import Source


class ChangeLevel(str, Enum):
    """What an update does with a source; the names are part of its output."""

    CONFLICT = "conflict"
    NEW = "new"
    ADOPTED = "adopted"
    UNCHANGED = "unchanged"
    AGENT_UPDATED = "agent_updated"
    CONTENT_CHANGED = "content_changed"
    CONTENT_ONLY = "content_only"
    INTERFACE_CHANGED = "interface_changed"


# The levels at which the design file is written anew, and a model would be asked.
WRITTEN = frozenset(
    {ChangeLevel.NEW, ChangeLevel.CONTENT_CHANGED, ChangeLevel.CONTENT_ONLY, ChangeLevel.INTERFACE_CHANGED}
)


def level_of(source: Source, design: Design | None, interface_hash: Callable[[], str]) -> ChangeLevel:
    """The first that holds, in this order; the interface is only read when the others leave it open.

    `interface_hash` returns `""` for files that are not code.
    """
    if source.in_conflict:
        return ChangeLevel.CONFLICT
    if design is None:
        return ChangeLevel.NEW
    if not design.has_footer:
        return ChangeLevel.ADOPTED
    if design.meta.get("source_hash") == source.hash:
        return ChangeLevel.UNCHANGED
    if design.edited:
        return ChangeLevel.AGENT_UPDATED
    current = interface_hash()
    if not current:
        return ChangeLevel.CONTENT_CHANGED
    return ChangeLevel.CONTENT_ONLY if design.meta.get("interface_hash") == current else ChangeLevel.INTERFACE_CHANGED
