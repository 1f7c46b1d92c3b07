"""The elements that are written into a Word file: tracked changes, comments and their marks."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from lxml import etree

from contracts.docx.edits import Edit
from contracts.docx.run_layout import XML_SPACE, top_paragraph
from knowledge.readers.docx.names import W

_NAMESPACE = W.strip("{}")
_ID = re.compile(rb"""[\w.-]{1,20}:id=["'](\d{1,10})["']""")


def unused_ids(parts: Iterator[bytes]) -> Iterator[str]:
    """Numbers that no mark in these parts has for an id, ascending."""
    used = {int(number) for part in parts for number in _ID.findall(part)}
    return (str(number) for number in itertools.count(1) if number not in used)


def delete_runs(runs: Sequence[Any], edit: Edit, ids: Iterator[str]) -> Any:
    """Mark these whole runs as deleted, neighbours together, and give the last mark of the first paragraph."""
    mark: Any = None
    last_of_first: Any = None
    for run in runs:
        if mark is None or run.getprevious() is not mark:
            mark = _revision("del", run, edit, next(ids))
            run.addprevious(mark)
        mark.tail, run.tail = run.tail or mark.tail, None
        mark.append(run)
        for text in run.iter(f"{W}t"):
            text.tag = f"{W}delText"
        if last_of_first is None or top_paragraph(mark) is top_paragraph(last_of_first):
            last_of_first = mark
    return last_of_first


def new_deletion(owner: Any, edit: Edit, number: str) -> Any:
    """A mark of deletion with nothing in it, as it stands in the properties of a paragraph mark."""
    return _revision("del", owner, edit, number)


def insert_text(after: Any, edit: Edit, properties: Any, ids: Iterator[str]) -> None:
    """The text of an edit as inserted, behind this element, in a run with these properties."""
    mark = _revision("ins", after, edit, next(ids))
    mark.append(_text_run(mark, edit.stated_text, properties))
    _place_after(after, mark)


def _text_run(owner: Any, text: str, properties: Any = None) -> Any:
    run = owner.makeelement(f"{W}r")
    if properties is not None:
        run.append(deepcopy(properties))
    for piece in re.split(r"(\n+|\t)", text):
        if piece.startswith("\n"):
            run.append(run.makeelement(f"{W}br"))
        elif piece == "\t":
            run.append(run.makeelement(f"{W}tab"))
        elif piece:
            element = run.makeelement(f"{W}t")
            element.text = piece
            element.set(XML_SPACE, "preserve")
            run.append(element)
    return run


def mark_comment(first: Any, last: Any, number: str) -> None:
    """The marks of a comment: before one element, and behind another of the same or a later paragraph."""
    first.addprevious(_numbered("commentRangeStart", first, number))
    end, run = _numbered("commentRangeEnd", last, number), last.makeelement(f"{W}r")
    run.append(_numbered("commentReference", run, number))
    _place_after(last, end)
    _place_after(end, run)


def new_comments() -> Any:
    """An empty part of comments."""
    return etree.Element(f"{W}comments", nsmap={"w": _NAMESPACE})


def add_comment(comments: Any, edit: Edit, number: str) -> None:
    comment = _revision("comment", comments, edit, number)
    comment.set(f"{W}initials", "".join(word[0] for word in edit.stated_author.split())[:4].upper())
    for position, line in enumerate(edit.stated_text.split("\n")):
        paragraph = comment.makeelement(f"{W}p")
        if position == 0:
            reference = paragraph.makeelement(f"{W}r")
            reference.append(reference.makeelement(f"{W}annotationRef"))
            paragraph.append(reference)
        paragraph.append(_text_run(paragraph, line))
        comment.append(paragraph)
    comments.append(comment)


def _revision(name: str, owner: Any, edit: Edit, number: str) -> Any:
    mark = _numbered(name, owner, number)
    mark.set(f"{W}author", edit.stated_author)
    mark.set(f"{W}date", edit.stated_date)
    return mark


def _numbered(name: str, owner: Any, number: str) -> Any:
    return owner.makeelement(f"{W}{name}", {f"{W}id": number})


def _place_after(element: Any, new: Any) -> None:
    """Put a new element behind another, and keep the white space between them and what follows at the end."""
    new.tail, element.tail = element.tail, None
    element.addnext(new)
