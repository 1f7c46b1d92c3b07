"""The two events of a source that has no pages of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from knowledge.readers.types import DocumentHeader, EmptyDocument, Heading, Limits, PageText, ReaderEvent, TooLarge


def single_page_events(
    *,
    text: str,
    limits: Limits,
    title: str | None = None,
    headings: Iterable[Heading] = (),
    metadata: dict[str, str] | None = None,
) -> Iterator[ReaderEvent]:
    """A header and page 1. Raises `EmptyDocument` where no letter or digit is, `TooLarge` over the limit."""
    if len(text) > limits.max_unpaged_characters:
        raise TooLarge()
    if not any(map(str.isalnum, text)):
        raise EmptyDocument()
    yield DocumentHeader(title=title, page_total=1, paged=False, metadata=metadata or {})
    yield PageText(number=1, text=text, headings=tuple(headings))
