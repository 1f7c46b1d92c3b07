"""Paragraphs that a replacement joins, by deleting the marks between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from contracts.docx.edits import Edit, Obstacle
from contracts.docx.markup import new_deletion
from contracts.docx.run_layout import PARAGRAPH_REVISIONS, REVISION_TAGS, is_zero_width
from knowledge.readers.docx.names import W


def joined_paragraphs(first: Any, last: Any) -> list[Any]:
    """The paragraphs from the first to the last, where nothing else stands between them; empty where something does."""
    paragraphs = [first]
    for sibling in first.itersiblings() if first is not last else ():
        if sibling.tag == f"{W}p":
            paragraphs.append(sibling)
        elif not is_zero_width(sibling):
            return []
        if sibling is last:
            return paragraphs
    return paragraphs if first is last else []


def mark_obstacle(paragraph: Any) -> Obstacle:
    """Why the mark of a paragraph cannot be deleted: somebody changed it, or a section ends there."""
    properties = paragraph.find(f"{W}pPr")
    if properties is None:
        return Obstacle.NONE
    if any(node.tag in REVISION_TAGS or node.tag in PARAGRAPH_REVISIONS for node in properties.iter()):
        return Obstacle.REVISION
    return Obstacle.NONE if properties.find(f"{W}sectPr") is None else Obstacle.PARAGRAPHS


def delete_marks(paragraphs: Sequence[Any], edit: Edit, ids: Iterator[str]) -> None:
    """Mark the paragraph marks of all but the last of these as deleted."""
    for paragraph in paragraphs[:-1]:
        properties = _child(paragraph, f"{W}pPr", 0)
        # The look of the mark comes last of what we do not refuse, and the deletion first in it.
        look = _child(properties, f"{W}rPr", len(properties))
        look.insert(0, new_deletion(look, edit, next(ids)))


def _child(parent: Any, tag: str, position: int) -> Any:
    found = parent.find(tag)
    if found is None:
        found = parent.makeelement(tag)
        parent.insert(position, found)
    return found
