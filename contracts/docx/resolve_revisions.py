"""Accept or reject the tracked changes of one author in a document, as Word does."""

from __future__ import annotations

from collections.abc import Collection
from copy import deepcopy
from typing import Any, NamedTuple

from knowledge.readers.docx.names import W, attribute

OWN_REVISIONS = frozenset({f"{W}ins", f"{W}del"})
REVISIONS = tuple(
    f"{W}{name}"
    for name in (
        "ins",
        "del",
        "moveFrom",
        "moveTo",
        "rPrChange",
        "pPrChange",
        "sectPrChange",
        "tblPrChange",
        "tblGridChange",
        "trPrChange",
        "tcPrChange",
        "tblPrExChange",
        "numberingChange",
        "cellIns",
        "cellDel",
        "cellMerge",
        "moveFromRangeStart",
        "moveFromRangeEnd",
        "moveToRangeStart",
        "moveToRangeEnd",
    )
)
COMMENT_MARKS = [f"{W}commentRangeStart", f"{W}commentRangeEnd", f"{W}commentReference"]


class MarkKey(NamedTuple):
    """What tells marks of one document apart: their kind and their number."""

    tag: str
    number: str


def mark_key(mark: Any) -> MarkKey:
    return MarkKey(str(mark.tag), attribute(mark, "id"))


def resolve_revisions(root: Any, marks: Collection[MarkKey], *, accept: bool) -> Any:
    """A copy of the document in which these changes are accepted or rejected, without these marks of comments."""
    root = deepcopy(root)
    for mark in [mark for mark in root.iter(*OWN_REVISIONS) if mark_key(mark) in marks]:
        if mark.getparent().tag == f"{W}rPr":
            _settle_paragraph_mark(mark, accept=accept)
        elif (mark.tag == f"{W}ins") == accept:
            _unwrap(mark)
        else:
            _remove(mark)
    for mark in [mark for mark in root.iter(*COMMENT_MARKS) if mark_key(mark) in marks]:
        run = mark.getparent()
        is_reference = mark.tag == f"{W}commentReference" and all(child is mark for child in run)
        _remove(run if is_reference else mark)
    return root


def _settle_paragraph_mark(mark: Any, *, accept: bool) -> None:
    """Removes the deletion of a paragraph mark. If that is accepted, the paragraph's content opens the next one."""
    paragraph = next(mark.iterancestors(f"{W}p"))
    following = next(paragraph.itersiblings(f"{W}p"), None)
    _remove(mark)
    if not accept or following is None:
        return
    content = [child for child in paragraph if child.tag != f"{W}pPr"]
    position = 0 if following.find(f"{W}pPr") is None else 1
    for child in reversed(content):
        following.insert(position, child)
    _remove(paragraph)


def _unwrap(mark: Any) -> None:
    for text in mark.iter(f"{W}delText"):
        text.tag = f"{W}t"
    for child in list(mark):
        mark.addprevious(child)
    _remove(mark)


def _remove(element: Any) -> None:
    """Take an element out, and leave what follows it in place."""
    parent, before = element.getparent(), element.getprevious()
    if element.tail and before is not None:
        before.tail = (before.tail or "") + element.tail
    elif element.tail:
        parent.text = (parent.text or "") + element.tail
    element.tail = None
    parent.remove(element)
