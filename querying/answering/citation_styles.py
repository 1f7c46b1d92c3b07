"""The styles of citations in an answer's text: inline, as footnotes, or none."""

from __future__ import annotations

import re
from collections.abc import Sequence

from knowledge.page_names import page_name
from querying.question import document_validity
from querying.sanitize import sanitize
from querying.types.answer import Citation
from querying.types.question import CitationStyle

# A citation in the text of a finished answer.
CITATION_MARK = re.compile(r"\[Source (\d{1,6})\]")
_SPACED_CITATION_MARK = re.compile(rf" ?{CITATION_MARK.pattern}")


def render_sentence(text: str, *, style: CitationStyle) -> str:
    if style == CitationStyle.FOOTNOTE:
        return CITATION_MARK.sub(r"[\1]", text)
    if style == CitationStyle.OFF:
        return _SPACED_CITATION_MARK.sub("", text)
    return text


def render_footnotes(citations: Sequence[Citation], *, style: CitationStyle) -> str:
    """What stands under the text: a note where a source is out of force, whatever the style, and the numbered list
    where footnotes were asked for."""
    noted = render_sentence(document_validity.validity_note(citations), style=style)
    listed = [f"[{citation.number}] {describe_citation(citation)}" for citation in citations]
    paragraphs = [noted, "\n".join(listed if style == CitationStyle.FOOTNOTE else [])]
    return "".join(f"\n\n{paragraph}" for paragraph in paragraphs if paragraph)


def describe_citation(citation: Citation) -> str:
    """`IS 456 handbook, p. 4, 3.2 Nominal cover`; of a document that is out of force also since when."""
    passage = citation.passage
    page = page_name(passage.page_number, passage.page_label, is_short=True)
    section = passage.section_path[-1] if passage.section_path else ""
    section = "" if section == passage.document_title else section
    return sanitize(", ".join(part for part in (passage.document_title, page, section, passage.state) if part))
