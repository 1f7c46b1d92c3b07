"""The text of a scanned page: corrected by hand, or read once more."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from accounts.signed_in_request import SignedInRequest
from builder.history import log_plugin_change
from builder.knowledge.lookup import get_editable_document_or_404
from builder.panes import render_pane
from knowledge import task_queue
from knowledge.documents.page_corrections import (
    MAX_TEXT_LENGTH,
    PageHasChanged,
    correct_page,
    page_in_place_of,
    page_to_reread,
)
from knowledge.models import Document, Page
from lexic.errors import LexicError
from plugins.models import Plugin


def correct_text(request: SignedInRequest, plugin: Plugin, document: UUID, page: int) -> HttpResponse:
    """Takes what the page says, as the author has written it. What is refused stays in its form."""
    found = get_editable_document_or_404(request, plugin, document)
    text, shown = request.POST.get("text", ""), page_to_reread(page, found.pk)
    try:
        if shown is None:
            raise PageHasChanged
        correct_page(shown, text=text, by=request.user)
    except LexicError as error:
        return _show_text_again(request, plugin, found, page, text=text, error=error)
    log_plugin_change(request, plugin, f"Corrected the text of page {shown.number} of “{found}”.")
    messages.success(request, "Saved. Answers use it in a moment; releases keep what they had.")
    return _to_page(plugin, found, shown)


def _show_text_again(
    request: SignedInRequest, plugin: Plugin, document: Document, page_id: int, *, text: str, error: LexicError
) -> HttpResponse:
    """The text in a form that saves it on the page which stands in this place now, beside what that page says."""
    current = page_in_place_of(page_id, document.pk)
    context = {
        "document": document,
        "page": current if current and current.was_recognised else None,
        "text": text,
        "error": error.message_with_hint,
        "max_text_length": MAX_TEXT_LENGTH,
    }
    return render_pane(request, plugin, "knowledge", "builder/knowledge/correct_page.html", context)


def read_again(request: SignedInRequest, plugin: Plugin, document: UUID, page: int) -> HttpResponse:
    """Has the page read anew. What was corrected by hand is replaced by what OCR reads."""
    found, shown = _editable_page(request, plugin, document, page)
    task_queue.enqueue_reread(shown.pk, found.pk)
    log_plugin_change(request, plugin, f"Asked for page {shown.number} of “{found}” to be read again.")
    messages.info(request, f"Page {shown.number} is read again; look here in half a minute.")
    return _to_page(plugin, found, shown)


def _editable_page(request: SignedInRequest, plugin: Plugin, document: UUID, page_id: int) -> tuple[Document, Page]:
    found = get_editable_document_or_404(request, plugin, document)
    page = page_to_reread(page_id, found.pk)
    if page is None or not page.was_recognised:
        raise Http404("There is no such page, or it has been replaced.")
    return found, page


def _to_page(plugin: Plugin, document: Document, page: Page) -> HttpResponseRedirect:
    address = reverse("admin:builder_knowledge_document", args=[plugin.pk, document.pk])
    return HttpResponseRedirect(f"{address}?page={page.number}#pages")
