"""The runs of a document part: what kind each is, what stands beside it, and how one is split."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

from contracts.docx.edits import Obstacle
from knowledge.readers.docx.names import W, attribute
from knowledge.readers.docx.symbols import symbol_text
from knowledge.readers.docx.visible_text import CHARACTER_ELEMENTS, SYMBOL

XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"

# Marks of no width, which may stand anywhere between runs.
_MARKS = frozenset(
    f"{W}{name}"
    for name in (
        "bookmarkStart",
        "bookmarkEnd",
        "commentRangeStart",
        "commentRangeEnd",
        "permStart",
        "permEnd",
        "proofErr",
        "lastRenderedPageBreak",
        "pPr",
        "smartTagPr",
        "customXmlPr",
    )
)
# Wrappers that mean nothing for the text in them.
_TRANSPARENT = frozenset({f"{W}smartTag", f"{W}customXml"})
_REVISIONS = frozenset(f"{W}{name}" for name in ("ins", "del", "moveFrom", "moveTo"))
_REVISION_MARKS = frozenset(
    f"{W}{name}{end}"
    for name in (
        "moveFromRange",
        "moveToRange",
        "customXmlInsRange",
        "customXmlDelRange",
        "customXmlMoveFromRange",
        "customXmlMoveToRange",
    )
    for end in ("Start", "End")
)
_LINKS = frozenset({f"{W}hyperlink"})
_FIELDS = frozenset(f"{W}{name}" for name in ("fldSimple", "sdt"))
_FIELD_PARTS = frozenset(f"{W}{name}" for name in ("fldChar", "instrText", "delInstrText"))
_ZERO_WIDTH = frozenset(f"{W}{name}" for name in ("softHyphen", "lastRenderedPageBreak"))
_PLAIN_CHILDREN = frozenset({f"{W}rPr", f"{W}t", *CHARACTER_ELEMENTS, *_ZERO_WIDTH})
REVISION_TAGS = frozenset({*_REVISIONS, f"{W}rPrChange"})
PARAGRAPH_REVISIONS = frozenset(f"{W}{name}" for name in ("pPrChange", "sectPrChange", "numberingChange"))


def text_length(element: Any) -> int:
    """How many characters of text a child of a run holds."""
    return len(_child_text(element))


def _child_text(element: Any) -> str:
    if element.tag == f"{W}t":
        return element.text or ""
    return symbol_text(element) if element.tag == SYMBOL else CHARACTER_ELEMENTS.get(element.tag, "")


def run_length(run: Any) -> int:
    return sum(map(text_length, run))


def run_text(run: Any) -> str:
    """The text of a run, hidden or not."""
    return "".join(map(_child_text, run))


def is_zero_width(element: Any) -> bool:
    """Whether an element is a mark that may stand anywhere between others."""
    return element.tag in _MARKS or not isinstance(element.tag, str)


def top_paragraph(element: Any) -> Any:
    """The outermost paragraph around an element, which for a text box is the one that it is anchored in."""
    return [*element.iterancestors(f"{W}p")][-1]


def top_element(element: Any) -> Any:
    """The child of the outermost paragraph that an element is, or is in."""
    paragraph = top_paragraph(element)
    return next(node for node in [element, *element.iterancestors()] if node.getparent() is paragraph)


def paragraph_atoms(paragraph: Any) -> list[Any]:
    """What a paragraph consists of, in order: runs, marks, and whatever wraps text with a meaning of its own."""
    atoms: list[Any] = []
    stack = [iter(paragraph)]
    while stack:
        node = next(stack[-1], None)
        if node is None:
            stack.pop()
        elif node.tag in _TRANSPARENT:
            stack.append(iter(node))
        else:
            atoms.append(node)
    return atoms


class RunLayout:
    """All runs of a part, by number, and which of them belong to a field."""

    def __init__(self, root: Any) -> None:
        self.runs = list(root.iter(f"{W}r"))
        self._in_field = set(_field_runs(self.runs))

    def is_mark(self, atom: Any) -> bool:
        """Whether an atom has no width: a mark, or the run that shows where a comment is."""
        if atom.tag == f"{W}r":
            children = {child.tag for child in atom} - {f"{W}rPr"}
            return atom not in self._in_field and children <= {f"{W}commentReference", f"{W}annotationRef"}
        return is_zero_width(atom)

    def obstacle(self, atom: Any) -> Obstacle:
        """Why an atom cannot be part of a tracked change of ours; `Obstacle.NONE` where it can."""
        if self.is_mark(atom):
            return Obstacle.NONE
        if atom.tag == f"{W}r":
            return self._run_obstacle(atom)
        return self.wrapper_obstacle(atom)

    def wrapper_obstacle(self, atom: Any) -> Obstacle:
        """Why an atom beside a change prevents tracking: only wrappers that give their text a meaning do."""
        if atom.tag in _REVISIONS or atom.tag in _REVISION_MARKS:
            return Obstacle.REVISION
        if atom.tag in _LINKS:
            return Obstacle.LINK
        if atom.tag in _FIELDS or atom in self._in_field:
            return Obstacle.FIELD
        return Obstacle.NONE if atom.tag == f"{W}r" else Obstacle.CONTENT

    def _run_obstacle(self, run: Any) -> Obstacle:
        if run in self._in_field:
            return Obstacle.FIELD
        properties = run.find(f"{W}rPr")
        if properties is not None and any(child.tag in REVISION_TAGS for child in properties):
            return Obstacle.REVISION
        return Obstacle.NONE if all(map(_is_plain, run)) else Obstacle.CONTENT

    def can_split(self, run: Any) -> bool:
        """Whether a run stands by itself in a paragraph of the text, so that it can be cut anywhere."""
        paragraph = run.getparent()
        return paragraph.tag == f"{W}p" and paragraph is top_paragraph(run) and self._run_obstacle(run) == Obstacle.NONE


def _field_runs(runs: Sequence[Any]) -> Iterator[Any]:
    depth = 0
    for run in runs:
        kinds = [attribute(mark, "fldCharType") for mark in run.iter(f"{W}fldChar")]
        if depth > 0 or any(child.tag in _FIELD_PARTS for child in run.iter()):
            yield run
        depth = max(0, depth + kinds.count("begin") - kinds.count("end"))


def _is_plain(child: Any) -> bool:
    """Whether a child of a run is text that can be cut and deleted without losing anything else."""
    if child.tag not in _PLAIN_CHILDREN or (child.tag == f"{W}br" and attribute(child, "type") in ("page", "column")):
        return False
    text = child.text or "" if child.tag == f"{W}t" else ""
    # Without the mark, Word does not show the white space at the ends; cut apart, it would have to.
    return text == text.strip() or child.get(XML_SPACE) == "preserve"


def split_run(run: Any, offsets: Sequence[int]) -> list[Any]:
    """Cut a run at these offsets of its text, ascending and inside of it: the pieces in order, the run itself first."""
    pieces = [run]
    children = [child for child in run if child.tag != f"{W}rPr"]
    at, pending = 0, list(offsets)
    for child in children:
        length = text_length(child)
        while pending and at == pending[0]:
            pending.pop(0)
            pieces.append(_new_piece(pieces[-1]))
        cuts = [offset - at for offset in pending if at < offset < at + length]
        if pieces[-1] is not run:
            pieces[-1].append(child)
        if cuts:
            texts = [(child.text or "")[left:right] for left, right in zip([0, *cuts], [*cuts, length], strict=True)]
            _set_text(child, texts[0])
            for text in texts[1:]:
                pieces.append(_new_piece(pieces[-1]))
                _set_text(_new_text(pieces[-1]), text)
            del pending[: len(cuts)]
        at += length
    return pieces


def _new_piece(after: Any) -> Any:
    """An empty run with the properties of this one, behind it."""
    piece = after.makeelement(after.tag, dict(after.attrib))
    properties = after.find(f"{W}rPr")
    if properties is not None:
        piece.append(deepcopy(properties))
    piece.tail, after.tail = after.tail, None
    after.addnext(piece)
    return piece


def _new_text(run: Any) -> Any:
    element = run.makeelement(f"{W}t")
    run.append(element)
    return element


def _set_text(element: Any, text: str) -> None:
    element.text = text
    element.set(XML_SPACE, "preserve")
