"""The text of a document in pieces, as a page shows it: what is quoted, and headings without their Markdown signs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from knowledge.documents.text_blocks import unwrap_lines

_HEADING = re.compile(r"^(#{1,6} {1,8})\S.*$", re.MULTILINE)
# In Markdown a line that begins with a letter, a quotation mark or a bracket goes on with the paragraph above it.
_SOFT_BREAK = re.compile(r"(?<=\S)\n(?=[^\W\d_]|[(\"“])")


@dataclass(frozen=True, kw_only=True)
class QuotedSpan:
    """`text[start:end]` of a page, quoted by the finding of this number."""

    start: int
    end: int
    number: int


@dataclass(frozen=True, kw_only=True)
class TextPiece:
    """Some text of a page. `quoted_by` are the numbers of the findings that quote it; `ends` of those whose quotation
    ends with it, `anchors` of those that quote nothing before it."""

    text: str
    is_heading: bool = False
    quoted_by: tuple[int, ...] = ()
    anchors: tuple[int, ...] = ()
    ends: tuple[int, ...] = ()


def text_pieces(
    text: str, *, quoted: Sequence[QuotedSpan] = (), met: set[int] | None = None, is_markdown: bool = False
) -> Iterable[TextPiece]:
    """The text with wrapped lines joined, cut where a quotation or a heading begins or ends. `met` has the findings
    that were quoted on earlier pages, and grows."""
    met = set() if met is None else met
    headings = {found.start(): found for found in _HEADING.finditer(text)} if is_markdown else {}
    heading_ends = {found.end() for found in headings.values()}
    shown = _unwrap_markdown(text, heading_ends) if is_markdown else unwrap_lines(text)
    cuts = {0, len(text), *(place for one in quoted for place in (one.start, one.end))}
    cuts.update(place for found in headings.values() for place in (found.start(), found.end(1), found.end()))
    heading: re.Match[str] | None = None  # the last that has begun
    for start, end in pairwise(sorted(cuts)):
        heading = headings.get(start, heading)
        if heading and start < heading.end(1):
            continue
        numbers = sorted({one.number for one in quoted if one.start <= start and end <= one.end})
        new = tuple(number for number in numbers if number not in met)
        met.update(new)
        yield TextPiece(
            text=shown[start:end],
            is_heading=heading is not None and end <= heading.end(),
            quoted_by=tuple(numbers),
            anchors=new,
            ends=tuple(sorted({one.number for one in quoted if one.end == end})),
        )


def _unwrap_markdown(text: str, heading_ends: set[int]) -> str:
    """The paragraphs on one line each. The text keeps its length."""
    return _SOFT_BREAK.sub(lambda found: found[0] if found.start() in heading_ends else " ", text)
