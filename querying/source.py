"""The page that a citation opens: the frozen text with the cited words marked, and for PDFs the picture of the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import wraps
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.db.models import Max
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET

from accounts.models import Principal, User
from knowledge import files, pictures
from knowledge.highlight import Rectangle, around, rectangles
from knowledge.models import Document, KnowledgeBase, Page
from knowledge.pictures import NoPicture, Picture, PicturesAreBusy

# How much of the page a close-up shows around the cited words, in points.
_MARGIN = 36.0
_LEAST_HEIGHT = 150.0
# What people send to this site is not to be run by it, however it is opened.
_AS_A_FILE = "sandbox; default-src 'none'"

View = Callable[..., HttpResponseBase]


@dataclass(frozen=True, kw_only=True)
class Shown:
    """The picture of a page: where it is, and what is marked on it. `close_up` is a viewBox."""

    address: str
    picture: Picture
    strokes: list[Rectangle]
    close_up: str


def for_readers(view: View) -> View:
    """Called with the page instead of its id, where the visitor may read it. Others get a 404; those who have not
    signed in are asked to, whether there is such a page or not."""

    @wraps(view)
    def guarded(request: HttpRequest, page_id: int) -> HttpResponseBase:
        page = readable_page(page_id, principal=_visitor(request))
        if page is not None:
            return view(request, page)
        if _visitor(request) is None:
            return redirect_to_login(request.get_full_path())
        raise Http404("There is no such page, or you may not read it.")

    return guarded


@require_GET
@for_readers
def source(request: HttpRequest, page: Page) -> HttpResponse:
    """The frozen page, for whoever may read it. `start` and `end` are the span in its text."""
    start, end = _offset(request, "start"), _offset(request, "end")
    shown, why_not = _shown(page, start, end, visitor=_visitor(request))
    context = {
        "page": page,
        "document": page.document,
        "before": page.text[:start],
        "cited": page.text[start:end],
        "after": page.text[max(start, end) :],
        "start": start,
        "end": min(end, len(page.text)),
        "shown": shown,
        "why_no_picture": why_not,
        "standing": standing(page.document, today=timezone.localdate()),
        "address": request.build_absolute_uri(),
        **called(page, start),
        **_neighbours(page, visitor=_visitor(request)),
        "works_on_it": _works_on(page, _visitor(request)),
    }
    return render(request, "querying/source.html", context)


@require_GET
@for_readers
def picture(request: HttpRequest, page: Page) -> HttpResponse:
    """The page of a PDF as it was uploaded, as WebP."""
    try:
        found = pictures.picture_of(page, is_for_visitor=_visitor(request) is None)
    except NoPicture as error:
        return _without_picture(error)
    response = HttpResponse(found.path.read_bytes(), content_type="image/webp")
    # Not for long: who may look can change.
    response["Cache-Control"] = "private, max-age=300"
    return response


@require_GET
@for_readers
def original(request: HttpRequest, page: Page) -> HttpResponse:
    """The PDF that the page was read from, to be kept, not to be opened here."""
    path = files.path_of(page.source_sha256)
    if not pictures.has_picture(page) or not path.exists():
        raise Http404("There is no file of this page here.")
    name = f"{page.document.title}.pdf"
    response = HttpResponse(path.read_bytes(), content_type="application/pdf")
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["Content-Security-Policy"] = _AS_A_FILE
    response["Cache-Control"] = "private, no-store"
    return response


def _without_picture(error: NoPicture) -> HttpResponse:
    response = HttpResponse(error.message, status=error.status, content_type="text/plain; charset=utf-8")
    if isinstance(error, PicturesAreBusy):
        response["Retry-After"] = str(error.retry_after)
    return response


def standing(document: Document, *, today: date) -> tuple[str, str]:
    """Whether the document is in force on that day: the style of the state, and its words."""
    if document.superseded_on and document.superseded_on <= today:
        return "warn", f"superseded on {_day(document.superseded_on)}"
    if document.effective_from and document.effective_from > today:
        return "warn", f"not in force before {_day(document.effective_from)}"
    if document.effective_from or document.superseded_on:
        return "ok", "in force"
    return "", ""


def _day(day: date) -> str:
    return f"{day.day} {day:%B %Y}"


def readable_page(page_id: int, *, principal: Principal | None) -> Page | None:
    """The page, for whoever may read its text (`PageQuerySet.visible_to`); None as the principal is anybody at all."""
    pages = Page.objects.visible_to(principal).select_related("document__knowledge_base")
    return pages.filter(pk=page_id).first()


def _visitor(request: HttpRequest) -> User | None:
    return request.user if isinstance(request.user, User) else None


def _works_on(page: Page, visitor: User | None) -> bool:
    """Whether the builder opens the document for them."""
    if visitor is None or not visitor.is_staff:
        return False
    return KnowledgeBase.objects.visible_to(visitor).filter(pk=page.document.knowledge_base_id).exists()


def _shown(page: Page, start: int, end: int, *, visitor: User | None) -> tuple[Shown | None, str]:
    """The picture with its marks, or why there is none."""
    if not pictures.has_picture(page):
        return None, ""
    try:
        drawn = pictures.picture_of(page, is_for_visitor=visitor is None)
    except NoPicture as error:
        return None, f"{error.message} {error.hint}"
    strokes = rectangles(page.words, start=start, end=end)
    close_up = _close_up(strokes, drawn) if strokes else ""
    address = reverse("source-picture", args=[page.pk])
    return Shown(address=address, picture=drawn, strokes=strokes, close_up=close_up), ""


def _close_up(strokes: list[Rectangle], drawn: Picture) -> str:
    """The whole width of the cited words and some of what stands around them, as a viewBox."""
    words = around(strokes)
    left, right = max(0.0, words.x - _MARGIN), min(drawn.width, words.right + _MARGIN)
    # A short line in large type says less than the line above and below it.
    if right - left < drawn.width / 2:
        left = max(0.0, min(left, drawn.width / 2))
        right = min(drawn.width, left + drawn.width / 2)
    height = min(drawn.height, max(_LEAST_HEIGHT, words.height + 2 * _MARGIN))
    top = max(0.0, min(words.y - _MARGIN, drawn.height - height))
    return f"{left:.1f} {top:.1f} {right - left:.1f} {height:.1f}"


def called(page: Page, start: int) -> dict[str, Any]:
    """Title and section as they were when the page was read, where its chunks still know them."""
    chunks = page.chunks.filter(added_in__isnull=False).order_by("-added_in", "index")
    chunk = chunks.filter(start__lte=start, end__gt=start).first() or chunks.first()
    if chunk is None:
        return {"title": page.document.title, "section": ""}
    return {"title": chunk.document_title or page.document.title, "section": " › ".join(chunk.section_path)}


def _neighbours(page: Page, *, visitor: User | None) -> dict[str, Any]:
    """The pages before and after in the version that this page belongs to, and how many it has, as far as the visitor
    may read them."""
    pages = _version(page).visible_to(visitor)
    total = pages.aggregate(total=Max("number"))["total"] or page.number
    before = pages.filter(number__lt=page.number).order_by("-number").values("pk", "number").first()
    after = pages.filter(number__gt=page.number).order_by("number").values("pk", "number").first()
    is_paged = page.document.page_count is not None or pictures.has_picture(page) or total > 1
    return {"previous": before, "next": after, "page_total": total, "is_paged": is_paged}


def _version(page: Page) -> Any:
    if page.removed_in is not None:
        return page.document.pages.alive_at(page.removed_in - 1)
    return page.document.pages.filter(added_in__isnull=False, removed_in=None)


def _offset(request: HttpRequest, name: str) -> int:
    value = request.GET.get(name, "0")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0
