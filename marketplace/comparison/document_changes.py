"""The documents that were added, removed, renamed or replaced, and what the pages of the replaced ones say now."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.db.models.functions import MD5

from accounts.models import User
from knowledge.models import Chunk, Document, Page
from marketplace.comparison.side_by_side import Row, compare_texts
from marketplace.listings.release_documents import rows_condition
from plugins.models import Release

# What is looked at and shown; the rest is counted.
MAX_PAGE_ROWS = 5_000
MAX_DOCUMENTS = 20
MAX_PAGES_READ = 60
MAX_PAGES_SHOWN = 10


@dataclass(frozen=True, kw_only=True)
class PageChange:
    """`number` is that of the page now, or of the page that is gone."""

    number: int
    kind: str  # "changed", "new" or "gone"
    rows: list[Row]


@dataclass(frozen=True, kw_only=True)
class ReplacedDocument:
    """`hidden` pages differ besides those that are shown."""

    title: str
    pages: list[PageChange] = field(default_factory=list)
    hidden: int = 0


@dataclass(frozen=True, kw_only=True)
class DocumentsComparison:
    """Titles, in order. `renamed` has the title then and now. `is_cut`: there is more than was looked at."""

    added: list[str]
    removed: list[str]
    renamed: list[tuple[str, str]]
    replaced: list[ReplacedDocument]
    is_cut: bool = False

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.renamed or self.replaced)


@dataclass(frozen=True, kw_only=True)
class _Side:
    """What one of the two releases reads and the other does not: page ids by document, in order, and the titles of
    these documents. `present` are those documents that it reads at all."""

    pages: dict[UUID, list[tuple[int, int]]]
    titles: dict[UUID, str]
    present: set[UUID]
    is_cut: bool


def compare_documents(now: Release, then: Release, *, viewer: User | None = None) -> DocumentsComparison:
    """A document that was removed and added again under the same title counts as replaced, and where its pages say the
    same, as in a copy of a plugin, as no difference. The text of pages is shown to a `viewer` who may read it, and to
    nobody without one. A fixed number of statements, and two for each replaced document that is shown."""
    read_now, read_then = (_conditions(release) for release in (now, then))
    documents = {*_changed_chunks(read_now, read_then), *_changed_chunks(read_then, read_now)}
    new = _side(read_now, read_then, documents)
    old = _side(read_then, read_now, documents)
    added, removed = new.present - old.present, old.present - new.present
    pairs = [(pk, pk) for pk in new.present & old.present if pk in new.pages or pk in old.pages]
    by_title = {old.titles[pk]: pk for pk in removed}
    pairs += [(by_title[new.titles[pk]], pk) for pk in added if new.titles[pk] in by_title]
    added, removed = added - {pk for _, pk in pairs}, removed - {pk for pk, _ in pairs}
    pairs = _without_equal_texts(pairs, old, new)
    pairs.sort(key=lambda pair: new.titles[pair[1]].casefold())
    kept = new.present & old.present
    return DocumentsComparison(
        added=_sorted_titles(new, added),
        removed=_sorted_titles(old, removed),
        renamed=sorted((old.titles[pk], new.titles[pk]) for pk in kept if old.titles[pk] != new.titles[pk]),
        replaced=[
            _compare_pages(new.titles[after], old.pages.get(before, []), new.pages.get(after, []), viewer=viewer)
            if place < MAX_DOCUMENTS
            else ReplacedDocument(title=new.titles[after])
            for place, (before, after) in enumerate(pairs)
        ],
        is_cut=new.is_cut or old.is_cut,
    )


def _conditions(release: Release) -> tuple[Q, Q]:
    """Which chunks, and which pages, the release reads."""
    return rows_condition(release), rows_condition(release, base_field="document__knowledge_base")


def _changed_chunks(read: tuple[Q, Q], other: tuple[Q, Q]) -> Iterable[UUID]:
    """The documents of which one release reads a chunk that the other does not."""
    only_here = Chunk.objects.filter(read[0]).exclude(pk__in=Chunk.objects.filter(other[0]).values("pk"))
    return only_here.order_by().values_list("document_id", flat=True).distinct()[:MAX_PAGE_ROWS]


def _side(read: tuple[Q, Q], other: tuple[Q, Q], documents: set[UUID]) -> _Side:
    alive = Page.objects.filter(read[1], document__in=documents).order_by()
    only_here = alive.exclude(pk__in=Page.objects.filter(other[1]).values("pk"))
    rows = list(only_here.order_by("document_id", "number").values_list("document_id", "number", "pk")[:MAX_PAGE_ROWS])
    pages: dict[UUID, list[tuple[int, int]]] = defaultdict(list)
    for document, number, pk in rows:
        pages[document].append((number, pk))
    chunks = Chunk.objects.filter(read[0], document__in=documents).order_by()
    titles = dict(Document.objects.filter(pk__in=documents).values_list("pk", "title"))
    titles |= {pk: title for pk, title in chunks.values_list("document_id", "document_title").distinct() if title}
    present = set(alive.values_list("document_id", flat=True).distinct())
    return _Side(pages=dict(pages), titles=titles, present=present, is_cut=len(rows) == MAX_PAGE_ROWS)


def _without_equal_texts(pairs: list[tuple[UUID, UUID]], old: _Side, new: _Side) -> list[tuple[UUID, UUID]]:
    """Leaves out pairs of two documents whose pages say the same. One statement at most; the texts stay where they
    are."""
    both = [pair for pair in pairs if pair[0] != pair[1]]
    pages = [pk for before, after in both for _, pk in (*old.pages.get(before, []), *new.pages.get(after, []))]
    digests = dict(Page.objects.filter(pk__in=pages).values_list("pk", MD5("text"))) if pages else {}

    def said(side: _Side, document: UUID) -> list[tuple[int, str]]:
        return [(number, digests[pk]) for number, pk in side.pages.get(document, [])]

    equal = {(before, after) for before, after in both if said(old, before) == said(new, after)}
    return [pair for pair in pairs if pair not in equal]


def _sorted_titles(side: _Side, documents: set[UUID]) -> list[str]:
    return sorted((side.titles[pk] for pk in documents), key=str.casefold)


def _compare_pages(
    title: str, old: Sequence[tuple[int, int]], new: Sequence[tuple[int, int]], *, viewer: User | None
) -> ReplacedDocument:
    before, after = _read_pages(old, viewer), _read_pages(new, viewer)
    # A page that only moved is no difference.
    moved = set(before.values()) & set(after.values())
    before = {number: text for number, text in before.items() if text not in moved}
    after = {number: text for number, text in after.items() if text not in moved}
    changes = [change for pair in _paired(before, after) if (change := _page_change(*pair, before, after))]
    unread = max(len(old), len(new)) - MAX_PAGES_READ if viewer else 0
    hidden = max(0, len(changes) - MAX_PAGES_SHOWN) + max(0, unread)
    return ReplacedDocument(title=title, pages=changes[:MAX_PAGES_SHOWN], hidden=hidden)


def _read_pages(rows: Sequence[tuple[int, int]], viewer: User | None) -> dict[int, str]:
    """The text of these pages by number, as far as the viewer may read it."""
    if viewer is None or not rows:
        return {}
    visible: Any = Page.objects.visible_to(viewer).filter(pk__in=[pk for _, pk in rows[:MAX_PAGES_READ]])
    return dict(visible.order_by("number").values_list("number", "text"))


def _paired(before: dict[int, str], after: dict[int, str]) -> list[tuple[int | None, int | None]]:
    """Pages that belong together: in order where there are as many of both, else by their number."""
    if len(before) == len(after):
        return list(zip(before, after, strict=True))
    numbers = sorted({*before, *after})
    return [(one if one in before else None, one if one in after else None) for one in numbers]


def _page_change(then: int | None, now: int | None, before: dict[int, str], after: dict[int, str]) -> PageChange | None:
    old = "" if then is None else before[then]
    new = "" if now is None else after[now]
    rows = compare_texts(old, new)
    if not rows:
        return None
    kind = "new" if then is None else "gone" if now is None else "changed"
    return PageChange(number=now or then or 1, kind=kind, rows=rows)
