"""A cited span as it stands on its page: with the words around it for those who may open the page, else by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from querying.presentation import answer_text

# Characters of the page that are shown on either side of a cited span.
_MARGIN_CHARACTERS = 90


@dataclass(frozen=True, kw_only=True)
class QuotedCitation:
    """A cited span in its page. `address` is empty where the person may not open the page, and so are `before` and
    `after`: of such a page nothing is shown but what the answer cites."""

    number: int
    before: str
    excerpt: str
    after: str
    where: str
    address: str


def quote_citation(number: int, citation: Mapping[str, Any], *, text: str) -> QuotedCitation:
    """`text` is that of the page, empty where the person may not open it."""
    source = answer_text.source_links([citation])[0]
    start, end = int(citation.get("start", 0)), int(citation.get("end", 0))
    before, after = text[max(0, start - _MARGIN_CHARACTERS) : start], text[end : end + _MARGIN_CHARACTERS]
    return QuotedCitation(
        number=number,
        before=_trim_first_word(before) if start > _MARGIN_CHARACTERS and before else before,
        excerpt=source.excerpt,
        after=_trim_last_word(after) if len(text) > end + _MARGIN_CHARACTERS else after,
        where=", ".join(part for part in (source.document, source.place) if part),
        address=source.address if text else "",
    )


def is_on_page(citation: Mapping[str, Any], pages: Mapping[int, str]) -> bool:
    """Whether the excerpt is on its page word for word. A page that is not among these is not looked at."""
    text = pages.get(cited_page_id(citation))
    start, end = int(citation.get("start", 0)), int(citation.get("end", 0))
    return text is not None and text[start:end] == citation.get("excerpt")


def cited_page_id(citation: Mapping[str, Any]) -> int:
    """The id of the page that the citation's address opens; 0 where it has none."""
    path = str(citation.get("url", "")).partition("?")[0]
    last = path.rpartition("/")[2]
    return int(last) if last.isascii() and last.isdigit() else 0


def _trim_first_word(text: str) -> str:
    return f"… {text.partition(' ')[2]}"


def _trim_last_word(text: str) -> str:
    return f"{text.rpartition(' ')[0]} …"
