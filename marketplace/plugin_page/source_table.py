"""The documents that a release reads, by title, date and number of pages; none of their text."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from django.core.paginator import Page as PageOfList
from django.core.paginator import Paginator
from django.db.models import Count, F, IntegerField, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext, pgettext

from knowledge.models import Document, Page
from language.language_identification import LANGUAGE_NAMES
from marketplace.listings.release_documents import rows_condition, titled_documents
from plugins.models import Release
from querying.presentation.page_viewer import document_status

PER_PAGE = 12


@dataclass(frozen=True, kw_only=True)
class PublicSourceRow:
    """`pages` is None where the source has no pages; `url` opens it, and is empty for those who may not."""

    title: str
    kind: str
    dates: str
    pages: int | None
    style: str
    state: str
    url: str
    language: str


def source_rows(release: Release, *, number: Any, is_open: bool) -> tuple[PageOfList, list[PublicSourceRow]]:
    """One page of the documents that the release reads, as its pinned revisions hold them; those in force come first.
    `is_open` says that anybody may open them. Five statements."""
    ordered = titled_documents(release).order_by(F("superseded_on").desc(nulls_first=True), "title_then", "pk")
    page = Paginator(ordered, PER_PAGE).get_page(number)
    today = timezone.localdate()
    documents = _with_page_counts(ordered, release, is_open=is_open).filter(pk__in=[one.pk for one in page])
    counted = {document.pk: document for document in documents}
    return page, [_source_row(counted[one.pk], today=today) for one in page if one.pk in counted]


def source_titles(release: Release) -> set[str]:
    return set(titled_documents(release).values_list("title_then", flat=True))


def _with_page_counts(documents: QuerySet[Document], release: Release, *, is_open: bool) -> QuerySet[Document]:
    pages = Page.objects.filter(
        rows_condition(release, base_field="document__knowledge_base"), document=OuterRef("pk")
    ).order_by()
    counted = pages.values("document").annotate(count=Count("pk")).values("count")
    # Knowledge that belongs to somebody else stays closed, whatever the plugin's author shares.
    readable = pages.visible_to(None) if is_open else pages.none()
    first = readable.order_by("number").values("pk")[:1]
    return documents.select_related("knowledge_base").annotate(
        pages_then=Coalesce(Subquery(counted, output_field=IntegerField()), 0), first_page=Subquery(first)
    )


def _source_row(document: Any, *, today: date) -> PublicSourceRow:
    style, state = document_status(document, today=today)
    # The months in which it is in force, else that of its own date; empty where no date is given.
    begins = document.effective_from or document.doc_date
    until = gettext("to %(month)s") % {"month": _format_month(document.superseded_on)} if document.superseded_on else ""
    return PublicSourceRow(
        title=document.title_then,
        kind=gettext(document.get_source_type_display()),
        dates=" ".join(part for part in (_format_month(begins), until) if part),
        pages=document.pages_then if document.page_count is not None else None,
        style=style or "ok",
        state=state or gettext("current"),
        url=reverse("source", args=[document.first_page]) if document.first_page else "",
        language=_language_name(document.language),
    )


def _format_month(day: date | None) -> str:
    # Translators: a short month and its year, as Django's date format has it.
    return date_format(day, pgettext("date format", "M Y")) if day else ""


def _language_name(code: str) -> str:
    """As Django names it in the language of the page; empty where the language is not known."""
    return gettext(LANGUAGE_NAMES.get(code, "")) if code in LANGUAGE_NAMES else ""
