"""Footnotes, endnotes, headers and footers of a Word file: text that stands in parts of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from knowledge.readers.docx.hidden_text import HiddenText
from knowledge.readers.docx.names import W, attribute
from knowledge.readers.docx.visible_text import NOTE_REFERENCES, paragraph_text, text_pieces
from knowledge.readers.text_cleaning import one_line

# A separator line is stored like a note, and says what it is.
_SEPARATORS = frozenset({"separator", "continuationSeparator", "continuationNotice"})
_MARGINS = ("header", "footer")


class Notes:
    """The notes of a document, found by the references to them."""

    def __init__(self, document: Any, hidden: HiddenText) -> None:
        self._hidden = hidden
        self._notes = {
            (kind, attribute(note, "id")): note
            for kind in NOTE_REFERENCES.values()
            for part in _related_parts(document, f"{kind}s")
            for note in part.iterchildren(f"{W}{kind}")
            if attribute(note, "type") not in _SEPARATORS
        }

    def texts(self, paragraphs: Iterable[Any]) -> Iterator[str]:
        """What the notes say that these paragraphs refer to, each in one line."""
        pieces = (piece for paragraph in paragraphs for piece in text_pieces(paragraph, self._hidden))
        for element, _ in pieces:
            note = self._notes.get((NOTE_REFERENCES.get(element.tag, ""), attribute(element, "id")))
            if note is not None and (text := _note_text(note, self._hidden)):
                yield text


def margin_texts(document: Any, hidden: HiddenText) -> list[str]:
    """What headers and footers say, each once, in one line. A page number alone says nothing."""
    parts = [part for kind in _MARGINS for part in _related_parts(document, kind)]
    texts = dict.fromkeys(_note_text(part, hidden) for part in parts)
    return [text for text in texts if any(letter.isalpha() for letter in text)]


def _note_text(container: Any, hidden: HiddenText) -> str:
    own = (line for line in container.iter(f"{W}p") if next(line.iterancestors(f"{W}p"), None) is None)
    return one_line(" ".join(paragraph_text(line, hidden) for line in own))


def _related_parts(document: Any, kind: str) -> list[Any]:
    """The roots of the parts of this kind that the document's part refers to, in the order of their names."""
    from docx.oxml.parser import parse_xml

    relations = document.part.rels.values()
    parts = {
        str(one.target_part.partname): one.target_part
        for one in relations
        if not one.is_external and one.reltype.endswith(f"/{kind}")
    }
    return [parse_xml(part.blob) for _, part in sorted(parts.items())]
