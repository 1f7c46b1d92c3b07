"""How citations look in an answer's text: inline as they are, as footnotes, or not at all."""

from __future__ import annotations

import re
from collections.abc import Sequence

from querying.plain import plain
from querying.types import Citation, CitationStyle

_MARK = re.compile(r"\[Source (\d{1,6})\]")
_MARK_AND_SPACE = re.compile(r" ?\[Source \d{1,6}\]")


def render_sentence(text: str, *, style: CitationStyle) -> str:
    if style == CitationStyle.FOOTNOTE:
        return _MARK.sub(r"[\1]", text)
    if style == CitationStyle.OFF:
        return _MARK_AND_SPACE.sub("", text)
    return text


def render_footnotes(citations: Sequence[Citation], *, style: CitationStyle) -> str:
    """The numbered list under the text; empty unless footnotes were asked for."""
    if style != CitationStyle.FOOTNOTE or not citations:
        return ""
    return "\n\n" + "\n".join(f"[{citation.number}] {describe(citation)}" for citation in citations)


def describe(citation: Citation) -> str:
    """`IS 456 handbook, p. 4, 3.2 Nominal cover`"""
    passage = citation.passage
    page = f"p. {passage.page_number}" if passage.page_number else ""
    section = passage.section_path[-1] if passage.section_path else ""
    return plain(", ".join(part for part in (passage.document_title, page, section) if part))
