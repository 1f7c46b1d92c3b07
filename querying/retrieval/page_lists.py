"""The lists of a section, also those that go on on the next page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from knowledge.search.passages import Passage
from language.letters_and_digits import letters_and_digits
from language.lists import Mark, TextList, find_lists
from language.sentences import WIDE_STOPS, sentence_spans

Span = tuple[int, int]

STOPS = tuple(f".!?:;…{WIDE_STOPS}")
# A running head or foot may stand between the last item of a page and the first one of the next.
_MAX_FURNITURE_CHARACTERS = 160
_MAX_FURNITURE_SENTENCES = 3


@dataclass(frozen=True, kw_only=True)
class PageList:
    """What one page has of a list: spans of the content of `page`, which is the section as far as it stands there."""

    page: Passage
    items: tuple[Span, ...]
    before: tuple[Span, ...] = ()

    @property
    def span(self) -> Span:
        return (*self.before, *self.items)[0][0], (*self.before, *self.items)[-1][1]

    def text(self, span: Span) -> str:
        return self.page.content[slice(*span)]


@dataclass(frozen=True, kw_only=True)
class _Found:
    """A list on a page, and its place there."""

    page: Passage
    lines: TextList
    is_first: bool
    is_last: bool

    @property
    def runs_over(self) -> bool:
        """Whether it may go on on the next page."""
        return self.is_last and len(self.page.content[self.lines.items[-1].end :].strip()) <= _MAX_FURNITURE_CHARACTERS

    @property
    def mark(self) -> Mark:
        return self.lines.items[0].mark

    @property
    def is_unfinished(self) -> bool:
        """Whether its last item stops in the middle of a sentence."""
        item = self.lines.items[-1]
        return self.runs_over and not self.page.content[item.start : item.end].endswith(STOPS)


def section_lists(section: Sequence[Passage]) -> Iterator[list[PageList]]:
    """Each list of two items or more that the section has from its first item on, page by page. `section` has one
    passage for each page."""
    groups: list[list[_Found]] = []
    for number, page in enumerate(section):
        found = find_lists(page.content)
        for place, lines in enumerate(found):
            one = _Found(page=page, lines=lines, is_first=place == 0, is_last=place == len(found) - 1)
            before = groups[-1][-1] if groups else None
            if before and number and before.page is section[number - 1] and _goes_on(before, one):
                groups[-1].append(one)
            else:
                groups.append([one])
    for group in groups:
        if group[0].lines.begins_here and sum(len(one.lines.items) for one in group) > 1:
            yield _pages_of(group, section)


def _goes_on(before: _Found, one: _Found) -> bool:
    """Whether a list goes on here from the page before."""
    if not one.is_first or not before.runs_over or one.mark != before.lines.last_mark.next:
        return False
    return one.mark.number > 0 or not _has_prose(one)


def _has_prose(one: _Found) -> bool:
    """Whether more than a running head stands above it."""
    return any(one.page.content[start:end].endswith(STOPS) for start, end in one.lines.before)


def _pages_of(group: Sequence[_Found], section: Sequence[Passage]) -> list[PageList]:
    first = group[0]
    pages = [*_lead_in_of_page_before(first, section)]
    before = () if pages else below_headings(first.page, first.lines.before)
    for one in group:
        items = [(item.start, item.end) for item in one.lines.items]
        if one is not first and group[group.index(one) - 1].is_unfinished:
            items[:0] = _continuation(one.page, one.lines.before)
        pages.append(PageList(page=one.page, items=tuple(items), before=before if one is first else ()))
    return [*pages, *_last_words(group[-1], section)]


def _lead_in_of_page_before(first: _Found, section: Sequence[Passage]) -> Iterator[PageList]:
    """What leads in to a list at the top of a page."""
    number = section.index(first.page)
    if number == 0 or not first.is_first or _has_prose(first):
        return
    above = section[number - 1]
    lists = find_lists(above.content)
    spans = [span for span in sentence_spans(above.content) if not lists or span[0] >= lists[-1].items[-1].end]
    if spans and (kept := below_headings(above, spans)):
        yield PageList(page=above, items=(), before=kept)


def below_headings(page: Passage, spans: Sequence[Span]) -> tuple[Span, ...]:
    """The spans below the last one that is a heading of the section."""
    headings = {letters_and_digits(heading) for heading in page.section_path}
    kept: list[Span] = []
    for span in spans:
        text = page.content[slice(*span)]
        if text.startswith("#") or letters_and_digits(text) in headings:
            kept = []
            continue
        first, _, rest = text.partition("\n")
        is_headed = bool(rest.strip()) and letters_and_digits(first) in headings
        kept = [(span[1] - len(rest.lstrip()), span[1])] if is_headed else [*kept, span]
    return tuple(kept)


def _continuation(page: Passage, spans: Sequence[Span]) -> list[Span]:
    """The rest of an item that the page before has begun: it begins with a small letter."""
    rest = [span for span in spans[:_MAX_FURNITURE_SENTENCES] if page.content[span[0]].islower()]
    return [(rest[0][0], spans[-1][1])] if rest else []


def _last_words(last: _Found, section: Sequence[Passage]) -> Iterator[PageList]:
    """The end of the last item, where the page was turned in the middle of it."""
    number = section.index(last.page) + 1
    if last.is_unfinished and number < len(section):
        page = section[number]
        if rest := _continuation(page, sentence_spans(page.content)[:_MAX_FURNITURE_SENTENCES]):
            start = rest[0][0]
            end = next(end for begin, end in sentence_spans(page.content) if begin == start)
            yield PageList(page=page, items=((start, end),))
