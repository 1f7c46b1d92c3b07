"""How far a source has moved away from its design file."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from lexibrarian.artefacts.design import Design
from lexibrarian.sources import Source


class Level(str, Enum):
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
WRITTEN = frozenset({Level.NEW, Level.CONTENT_CHANGED, Level.CONTENT_ONLY, Level.INTERFACE_CHANGED})


def level_of(source: Source, design: Design | None, interface_hash: Callable[[], str]) -> Level:
    """The first that holds, in this order; the interface is only read when the others leave it open.

    `interface_hash` returns `""` for files that are not code.
    """
    if source.in_conflict:
        return Level.CONFLICT
    if design is None:
        return Level.NEW
    if not design.has_footer:
        return Level.ADOPTED
    if design.meta.get("source_hash") == source.hash:
        return Level.UNCHANGED
    if design.edited:
        return Level.AGENT_UPDATED
    current = interface_hash()
    if not current:
        return Level.CONTENT_CHANGED
    return Level.CONTENT_ONLY if design.meta.get("interface_hash") == current else Level.INTERFACE_CHANGED
