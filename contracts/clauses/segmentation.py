"""The clauses of a document: its pages, cut where a numbered or headed block begins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from contracts.clauses.numbering import ClauseOpening, read_opening
from contracts.clauses.parsed_contract import Clause, ContractPage, TextSpan, page_order
from language.sentences import sentences_by_block

# With fewer openings than these a document has no outline, and each paragraph is a clause.
_MIN_OPENINGS = 3
_MAX_HEADING_LENGTH = 200


@dataclass(frozen=True, slots=True)
class _Cut:
    """A clause begins at `offset` of the page at this index; None for `opening` where it has no name."""

    page: int
    offset: int
    opening: ClauseOpening | None


def split_clauses(pages: Sequence[ContractPage]) -> tuple[Clause, ...]:
    """The clauses in reading order. Their spans together are all pages, without gap or overlap; an empty page is in
    none. The time is linear in the text."""
    ordered = page_order(pages)
    blocks = [cut for at, page in enumerate(ordered) for cut in _page_openings(at, page)]
    named = [cut for cut in blocks if cut.opening is not None]
    return tuple(_clauses_between(ordered, _join_bare_headings(named) if len(named) >= _MIN_OPENINGS else blocks))


def _blocks(page: ContractPage) -> Iterator[tuple[int, int]]:
    for sentences in sentences_by_block(page.text):
        if sentences:
            yield sentences[0][0], sentences[-1][1]


def _page_openings(at: int, page: ContractPage) -> Iterator[_Cut]:
    """Every block of the page, and what it opens."""
    levels = {start: level for start, level, _ in page.headings}
    for start, end in _blocks(page):
        yield _Cut(at, start, read_opening(page.text[start:end], level=levels.get(start, 0)))


def _join_bare_headings(cuts: Sequence[_Cut]) -> list[_Cut]:
    """A heading without a text of its own ("5. Confidentiality") names the first clause below it ("5.1 …")."""
    joined: list[_Cut] = []
    for cut in cuts:
        before = joined[-1] if joined else None
        upper, lower = before and before.opening, cut.opening
        if before and upper and lower and upper.is_bare and lower.depth > upper.depth and lower.number:
            joined[-1] = _Cut(before.page, before.offset, _named_by(upper, lower))
        else:
            joined.append(cut)
    return joined


def _named_by(upper: ClauseOpening, lower: ClauseOpening) -> ClauseOpening:
    heading = ": ".join(filter(None, (upper.heading, lower.heading)))
    return ClauseOpening(number=lower.number, heading=heading, depth=lower.depth, is_bare=lower.is_bare)


def _clauses_between(pages: Sequence[ContractPage], cuts: Sequence[_Cut]) -> Iterator[Clause]:
    """What stands before the first cut is a clause as well, or belongs to the first one where it is white space."""
    start = (0, 0)
    opening: ClauseOpening | None = None
    position = 0
    for cut in [*cuts, None]:
        end = (cut.page, cut.offset) if cut else (len(pages), 0)
        spans = tuple(_spans_between(pages, start, end))
        if any(span.text.strip() for span in spans) or (cut is None and spans):
            yield Clause(
                position=position,
                number=opening.number if opening else "",
                heading=opening.heading[:_MAX_HEADING_LENGTH] if opening else "",
                spans=spans,
            )
            position += 1
            start = end
        opening = cut.opening if cut else None


def _spans_between(pages: Sequence[ContractPage], start: tuple[int, int], end: tuple[int, int]) -> Iterator[TextSpan]:
    for at in range(start[0], min(end[0] + 1, len(pages))):
        page = pages[at]
        first = start[1] if at == start[0] else 0
        last = end[1] if at == end[0] else len(page.text)
        if first < last:
            yield TextSpan.on_page(page, first, last)
