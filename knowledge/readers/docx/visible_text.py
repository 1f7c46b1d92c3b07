"""The text of paragraphs as a person sees it: inserted text and links included, hidden and deleted text left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from knowledge.readers.docx.equations import EQUATION, equation_text
from knowledge.readers.docx.hidden_text import HiddenText
from knowledge.readers.docx.names import MC, W, attribute
from knowledge.readers.docx.symbols import symbol_text
from knowledge.readers.superscripts import REACH, raised_text
from knowledge.readers.text_cleaning import clean_text

# Elements of a run that stand for one character each.
CHARACTER_ELEMENTS = {f"{W}tab": " ", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-"}
SYMBOL = f"{W}sym"
# The references to notes, and the kind of each.
NOTE_REFERENCES = {f"{W}footnoteReference": "footnote", f"{W}endnoteReference": "endnote"}
# Run properties are not text, a fallback repeats its choice, and deleted text is no longer there.
_SKIPPED_TAGS = frozenset(
    {f"{W}pPr", f"{W}rPr", f"{W}del", f"{W}moveFrom", f"{W}instrText", f"{MC}Fallback"},
)
# Stands for each character that is left out, so that the others keep their places; `clean_text` drops it.
_LEFT_OUT = "\ufeff"


class TextElement(NamedTuple):
    """An element that holds text, and that text before it is cleaned. A reference to a note has none; a paragraph
    inside the one that is read, as text boxes hold them, stands for the space on both sides of it."""

    element: Any
    text: str


def text_pieces(container: Any, hidden: HiddenText) -> Iterator[TextElement]:
    """The visible text of a paragraph or a run, piece by piece in the order of the document."""
    stack = [iter(container)]
    before = ""
    while stack:
        node = next(stack[-1], None)
        if node is None:
            stack.pop()
        elif node.tag == f"{W}t":
            text = _text_of(node, before)
            before = (before + text.replace(_LEFT_OUT, ""))[-REACH:]
            yield TextElement(node, text)
        elif node.tag in NOTE_REFERENCES:
            yield TextElement(node, "")
        elif node.tag in CHARACTER_ELEMENTS:
            before += CHARACTER_ELEMENTS[node.tag]
            yield TextElement(node, CHARACTER_ELEMENTS[node.tag])
        elif node.tag == SYMBOL:
            before += symbol_text(node)
            yield TextElement(node, symbol_text(node))
        elif node.tag == EQUATION:
            before += equation_text(node)
            yield TextElement(node, equation_text(node))
        elif node.tag == f"{W}p":
            yield from (TextElement(node, " "), *text_pieces(node, hidden), TextElement(node, " "))
        elif isinstance(node.tag, str) and not _is_skipped(node, hidden):
            stack.append(iter(node))


def _text_of(node: Any, before: str) -> str:
    """As long as the text in the file, with raised digits as what they are behind the text before them."""
    text = node.text or ""
    raised = raised_text(text, before)
    if raised == text or attribute(node.getparent().find(f"{W}rPr/{W}vertAlign"), "val") != "superscript":
        return text
    return raised or _LEFT_OUT * len(text)


def _is_skipped(node: Any, hidden: HiddenText) -> bool:
    return node.tag in _SKIPPED_TAGS or (node.tag == f"{W}r" and hidden.covers(node))


def paragraph_text(paragraph: Any, hidden: HiddenText) -> str:
    """The visible text of a paragraph, cleaned of what cannot be stored."""
    return clean_text("".join(piece.text for piece in text_pieces(paragraph, hidden)))
