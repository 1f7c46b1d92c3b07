"""The page viewer, which a citation opens: the frozen text of its page with the cited words marked, and the page's
image."""

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
from django.utils.formats import date_format
from django.utils.http import content_disposition_header
from django.utils.translation import gettext
from django.views.decorators.http import require_GET

from accounts.models import User
from accounts.signed_in_request import user_or_none
from knowledge.code_location import place_on_page
from knowledge.documents import file_store, page_images
from knowledge.documents.highlights import Rectangle, bounding_rectangle, highlight_rectangles
from knowledge.documents.page_images import NoPageImage, PageImage
from knowledge.models import Document, KnowledgeBase, Page
from knowledge.page_names import shown_page_name
from lexic.http.error_handlers import retry_headers
from lexic.http.parameters import parse_natural
from lexic.storage import StorageUnavailable
from querying.presentation.cited_pages import readable_page
from querying.presentation.flowing_text import flowing_parts

# How much of the page a close-up shows around the cited words, in points.
_MARGIN = 36.0
_MIN_HEIGHT = 150.0
# No browser may run what somebody uploaded, however it is opened.
_FILE_CSP = "sandbox; default-src 'none'"

_PICTURE_STARTS = {b"\x89PNG": "png", b"\xff\xd8": "jpeg", b"II*\0": "tiff", b"MM\0*": "tiff", b"RIFF": "webp"}

View = Callable[..., HttpResponseBase]


@dataclass(frozen=True, kw_only=True)
class MarkedPageImage:
    """The image of a page, and the rectangles to highlight on it. `close_up` is a viewBox, empty without any."""

    url: str
    image: PageImage
    highlights: list[Rectangle]
    close_up: str


def require_page_access(view: View) -> View:
    """Gives the view the page instead of its id, if the visitor may read it; otherwise answers 404. Visitors who have
    not signed in are asked to sign in, whether the page exists or not, so that they do not learn which pages exist."""

    @wraps(view)
    def guarded(request: HttpRequest, page_id: int) -> HttpResponseBase:
        page = readable_page(page_id, principal=user_or_none(request))
        if page is not None:
            return view(request, page)
        if user_or_none(request) is None:
            return redirect_to_login(request.get_full_path())
        raise Http404("There is no such page, or you may not read it.")

    return guarded


@require_GET
@require_page_access
def page_view(request: HttpRequest, page: Page) -> HttpResponse:
    """The frozen page, for whoever may read it. `start` and `end` are the span in its text."""
    start, end = _offset_parameter(request, "start"), _offset_parameter(request, "end")
    visitor = user_or_none(request)
    bases = KnowledgeBase.objects.for_plugins()
    mine = bases.visible_to(visitor) if visitor and visitor.is_staff else bases.none()
    image, why_no_image = _marked_page_image(page, start, end, visitor=visitor)
    line_numbers = _line_numbers(page)
    before, cited, after = (
        (page.text[:start], page.text[start:end], page.text[max(start, end) :])
        if line_numbers
        else flowing_parts(page.text, start, end)
    )
    context = {
        "page": page,
        "document": page.document,
        "before": before,
        "cited": cited,
        "after": after,
        "page_name": shown_page_name(page.number, page.label),
        "start": start,
        "end": min(end, len(page.text)),
        "image": image,
        "why_no_image": why_no_image,
        "validity": document_status(page.document, today=timezone.localdate()),
        "file": place_on_page(page, start=start, end=end),
        "line_numbers": line_numbers,
        "address": request.build_absolute_uri(),
        **title_and_section(page, start),
        **_adjacent_pages(page, visitor=visitor),
        "is_in_builder": mine.filter(pk=page.document.knowledge_base_id).exists(),
    }
    return render(request, "querying/page_viewer.html", context)


def _line_numbers(page: Page) -> str:
    """The number of each line of a file of a repository, one below the other; empty for any other page."""
    count = page.text.count("\n") + (not page.text.endswith("\n"))
    return "\n".join(map(str, range(1, count + 1))) if page.repository_path else ""


@require_GET
@require_page_access
def page_image_view(request: HttpRequest, page: Page) -> HttpResponse:
    """The page of a PDF as an image (WebP)."""
    try:
        content = page_images.read_page_image(
            page_images.get_page_image(page, is_for_visitor=user_or_none(request) is None)
        )
    except (NoPageImage, StorageUnavailable) as error:
        plain_text = "text/plain; charset=utf-8"
        return HttpResponse(error.message, plain_text, error.status, headers=retry_headers(error))
    response = HttpResponse(content, content_type="image/webp")
    # A short time, because who may read the page can change.
    response["Cache-Control"] = "private, max-age=300"
    return response


@require_GET
@require_page_access
def original_file_view(request: HttpRequest, page: Page) -> HttpResponse:
    """The PDF or the picture that the page was read from, as a download."""
    if not page_images.can_have_image(page):
        raise Http404("There is no file of this page here.")
    try:
        with file_store.open_stored(page.source_sha256) as file:
            content = file.read()
    except file_store.SourceFileMissing as error:
        raise Http404("There is no file of this page here.") from error
    extension, media_type = _file_kind(content)
    response = HttpResponse(content, content_type=media_type)
    name = f"{page.document.title}.{extension}"
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["Content-Security-Policy"] = _FILE_CSP
    response["Cache-Control"] = "private, no-store"
    return response


def _file_kind(content: bytes) -> tuple[str, str]:
    """Ending and media type, by the first bytes: the document may have another file by now."""
    for start, extension in _PICTURE_STARTS.items():
        if content.startswith(start):
            return extension, f"image/{extension}"
    return "pdf", "application/pdf"


def document_status(document: Document, *, today: date) -> tuple[str, str]:
    """A warning about the document: its text was not compared with its file, or it is not in force on that day. The
    style of the label, and its words; both empty if there is no warning."""
    if document.is_unverified:
        return "warn", gettext("not verified against its file")
    if document.superseded_on and document.superseded_on <= today:
        return "warn", gettext("superseded on %(day)s") % {"day": _format_day(document.superseded_on)}
    if document.effective_from and document.effective_from > today:
        return "warn", gettext("not in force before %(day)s") % {"day": _format_day(document.effective_from)}
    if document.effective_from or document.superseded_on:
        return "ok", gettext("in force")
    return "", ""


def _format_day(day: date) -> str:
    return date_format(day, "DATE_FORMAT")


def _marked_page_image(page: Page, start: int, end: int, *, visitor: User | None) -> tuple[MarkedPageImage | None, str]:
    """The image with its highlights, or why there is none; an empty reason where the page never has one."""
    if not page_images.can_have_image(page):
        return None, ""
    try:
        image = page_images.get_page_image(page, is_for_visitor=visitor is None)
    except (NoPageImage, StorageUnavailable) as error:
        return None, error.message_with_hint
    highlights = highlight_rectangles(page.word_boxes, start=start, end=end)
    close_up = _close_up_viewbox(highlights, image) if highlights else ""
    url = reverse("source-picture", args=[page.pk])
    return MarkedPageImage(url=url, image=image, highlights=highlights, close_up=close_up), ""


def _close_up_viewbox(highlights: list[Rectangle], image: PageImage) -> str:
    """The cited words in their whole width, with a margin around them, as a viewBox."""
    words = bounding_rectangle(highlights)
    left, right = max(0.0, words.x - _MARGIN), min(image.width, words.right + _MARGIN)
    # A short line in large type is hard to place without the lines above and below it.
    if right - left < image.width / 2:
        left = max(0.0, min(left, image.width / 2))
        right = min(image.width, left + image.width / 2)
    height = min(image.height, max(_MIN_HEIGHT, words.height + 2 * _MARGIN))
    top = max(0.0, min(words.y - _MARGIN, image.height - height))
    return f"{left:.1f} {top:.1f} {right - left:.1f} {height:.1f}"


def title_and_section(page: Page, start: int) -> dict[str, Any]:
    """Title and section as they were when the page was read, where its chunks still know them."""
    chunks = page.chunks.filter(added_in__isnull=False).order_by("-added_in", "index")
    chunk = chunks.filter(start__lte=start, end__gt=start).first() or chunks.first()
    if chunk is None:
        return {"title": page.document.title, "section": ""}
    return {"title": chunk.document_title or page.document.title, "section": " › ".join(chunk.section_path)}


def _adjacent_pages(page: Page, *, visitor: User | None) -> dict[str, Any]:
    """The pages before and after in the version that this page belongs to, and how many it has, as far as the visitor
    may read them."""
    pages: Any = page.document.pages.visible_to(visitor)
    if page.removed_in is None:
        pages = pages.filter(added_in__isnull=False, removed_in=None)
    else:
        pages = pages.alive_at(page.removed_in - 1)
    total = pages.aggregate(total=Max("number"))["total"] or page.number
    before = pages.filter(number__lt=page.number).order_by("-number").values("pk", "number").first()
    after = pages.filter(number__gt=page.number).order_by("number").values("pk", "number").first()
    is_paged = page.document.page_count is not None or page_images.can_have_image(page) or total > 1
    return {"previous": before, "next": after, "page_total": total, "is_paged": is_paged}


def _offset_parameter(request: HttpRequest, name: str) -> int:
    return parse_natural(request.GET.get(name, ""), max_digits=9) or 0
