"""Finds gold answers in the text that was read: turns offsets in a source file into spans of pages, ignoring white
space."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from uuid import UUID

from evaluation.eval_types import GoldPlace, PageSpan
from knowledge.models import Page
from language.terms import terms

# Readers of a PDF differ in hyphens and order. If the gold words are not on the page letter by letter, two texts are
# the same place when they share this part of the words of the shorter one.
_MIN_SHARED_SHARE = 0.6


class CompactText:
    """A text without its white space, with the offset of each character in the original."""

    def __init__(self, text: str) -> None:
        self._positions = [at for at, character in enumerate(text) if not character.isspace()]
        self.text = "".join(text[at] for at in self._positions)

    def count_before(self, start: int) -> int:
        """The number of characters before this offset that are not white space."""
        return bisect_left(self._positions, start)

    def find(self, wanted: str, *, near: int | None = None) -> list[tuple[int, int]]:
        """`(start, end)` in the original text of every occurrence, or of the occurrence nearest to `near`."""
        compact_text = CompactText(wanted).text
        found = _find_occurrences(self.text, compact_text) if compact_text else []
        if near is not None and found:
            found = [min(found, key=lambda at: abs(at - near))]
        return [(self._positions[at], self._positions[at + len(compact_text) - 1] + 1) for at in found]


def _find_occurrences(text: str, wanted: str) -> list[int]:
    found = []
    at = text.find(wanted)
    while at >= 0:
        found.append(at)
        at = text.find(wanted, at + 1)
    return found


@dataclass(frozen=True, kw_only=True)
class GoldTarget:
    """A gold answer as places in what was read: spans if its words were found, else its words, else pages, else the
    document."""

    document: UUID
    pages: frozenset[int] = frozenset()
    spans: tuple[tuple[int, int, int], ...] = ()  # page row, start, end
    words: Mapping[str, int] | None = None

    @property
    def is_exact(self) -> bool:
        """Whether sentences can be compared with the target, and not only pages."""
        return bool(self.spans or self.words)

    def matches_span(self, span: PageSpan) -> bool:
        """Whether this span of a page is the target or overlaps it."""
        if span.document != self.document:
            return False
        if self.spans:
            return any(page == span.page_id and a < span.end and span.start < b for page, a, b in self.spans)
        if not self.pages and self.words is None:
            return True
        return self.covers_page_of(span) and (self.words is None or _share_enough_words(self.words, span.text))

    def covers_page_of(self, span: PageSpan) -> bool:
        return span.document == self.document and (not self.pages or span.page_number in self.pages)


def _share_enough_words(words: Mapping[str, int], text: str) -> bool:
    others = Counter(terms(text))
    shared = sum((Counter(words) & others).values())
    return shared >= _MIN_SHARED_SHARE * max(1, min(sum(words.values()), others.total()))


@dataclass(frozen=True)
class _PageText:
    id: int
    number: int
    text: str

    @cached_property
    def compact_text(self) -> CompactText:
        return CompactText(self.text)


class GoldLocator:
    """Finds gold answers in the pages of documents. It caches pages, so use one instance for many questions."""

    def __init__(self, documents: Mapping[str, UUID], *, files: Sequence[Path] = ()) -> None:
        self._documents = documents
        self._files = {path.name: path for path in files}
        self._pages: dict[UUID, list[_PageText]] = {}
        self._sources: dict[str, CompactText] = {}

    def locate(self, gold: GoldPlace) -> GoldTarget | None:
        """The target of a gold answer; None if its document is not among those that were read."""
        document = self._documents.get(gold.document)
        if document is None:
            return None
        if not gold.text.strip():
            return GoldTarget(document=document, pages=gold.pages)
        if spans := self._spans(gold, document):
            return GoldTarget(document=document, pages=gold.pages, spans=spans)
        return GoldTarget(document=document, pages=gold.pages, words=Counter(terms(gold.text)) or None)

    def _spans(self, gold: GoldPlace, document: UUID) -> tuple[tuple[int, int, int], ...]:
        near = None if gold.start is None else self._source(gold.document).count_before(gold.start)
        return tuple(
            (page.id, start, end)
            for page in self._pages_of(document)
            if not gold.pages or page.number in gold.pages
            for start, end in page.compact_text.find(gold.text, near=near)
        )

    def _source(self, name: str) -> CompactText:
        """The text that gold offsets refer to: UTF-8, with line ends unchanged."""
        if name not in self._sources:
            path = self._files.get(name)
            text = path.read_bytes().decode("utf-8", "replace") if path else ""
            self._sources[name] = CompactText(text)
        return self._sources[name]

    def _pages_of(self, document: UUID) -> list[_PageText]:
        if document not in self._pages:
            rows = Page.objects.filter(document=document, added_in__isnull=False, removed_in=None).order_by("number")
            self._pages[document] = [_PageText(*row) for row in rows.values_list("pk", "number", "text")]
        return self._pages[document]
