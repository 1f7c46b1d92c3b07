"""A cited source beside the text that cites it: the words, what stands around them, and where to open the page."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from django.db.models import F
from django.utils import timezone

from accounts.models import Principal
from knowledge.citation_url import source_path
from knowledge.models import Page
from querying.presentation.page_excerpts import word_end, word_start
from querying.presentation.page_viewer import document_status, title_and_section
from querying.presentation.source_citations import SourceType, source_type_of

# Characters of a page that are shown at once, and of what stands before and behind a span.
MAX_SPAN = 20_000
CONTEXT_LENGTH = 1000


@dataclass(frozen=True, kw_only=True)
class SourceSpan:
    """Which words of a document. `page_id` is the very page that a citation was made from, whatever the document says
    by now; without it, page `number` as it is now. Offsets in its text; what lies behind its end is its end."""

    page_id: int | None = None
    number: int = 1
    start: int = 0
    end: int = 0


@dataclass(frozen=True, kw_only=True)
class SourcePreview:
    """`page` is None where the source has no pages of its own; `validity` empty where there is nothing to say of it."""

    id: UUID
    type: SourceType
    title: str
    section: str
    page: int | None
    page_id: int
    start: int
    end: int
    before: str
    excerpt: str
    after: str
    url: str
    validity: str


def find_source_preview(document_id: UUID, span: SourceSpan, *, principal: Principal) -> SourcePreview | None:
    """The preview, where this person or key may read the page; else None."""
    pages = Page.objects.visible_to(principal).filter(document=document_id, added_in__isnull=False)
    pages = pages.filter(number=span.number) if span.page_id is None else pages.filter(pk=span.page_id)
    newest = pages.order_by(F("removed_in").desc(nulls_first=True), "-added_in")
    page = newest.select_related("document").first()
    return _make_preview(page, span) if page else None


def _make_preview(page: Page, span: SourceSpan) -> SourcePreview:
    text, document = page.text, page.document
    start = min(span.start, len(text))
    end = min(max(span.end, start), len(text), start + MAX_SPAN)
    names = title_and_section(page, start)
    return SourcePreview(
        id=document.pk,
        type=source_type_of(document.doc_type),
        title=names["title"],
        section=names["section"],
        page=page.number if document.page_count is not None else None,
        page_id=page.pk,
        start=start,
        end=end,
        before=text[word_start(text, max(0, start - CONTEXT_LENGTH), limit=start) : start],
        excerpt=text[start:end],
        after=text[end : word_end(text, end + CONTEXT_LENGTH, limit=end)],
        url=source_path(page.pk, start=start, end=end),
        validity=document_status(document, today=timezone.localdate())[1],
    )
