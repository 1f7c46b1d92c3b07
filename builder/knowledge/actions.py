"""What is done to one document: read it again, stop reading it, give it other bytes, take it out."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from builder.knowledge.document_rows import document_row
from builder.knowledge.lookup import get_own_document_or_404
from builder.knowledge.views import render_list
from builder.panes import render_pane
from builder.readiness import reverse_pane
from knowledge.documents.cancellation import cancel_ingestion
from knowledge.documents.lifecycle import delete_document, reingest_document, replace_file
from knowledge.models import Document, DocumentStatus
from lexic.errors import LexicError
from plugins.models import Plugin, Release


def read_document_again(request: HttpRequest, plugin: Plugin, document: UUID) -> HttpResponse:
    """A running document is left running: reading it twice would give the same."""
    found = get_own_document_or_404(plugin, document)
    was_running = found.status not in (DocumentStatus.READY, DocumentStatus.FAILED)
    try:
        reingest_document(found)
    except LexicError as error:
        messages.error(request, f"{error.message} {error.hint}".strip())
    else:
        said = "is being read already." if was_running else "waits to be read again."
        messages.info(request, f"“{found}” {said}")
    return _list_response(request, plugin)


def stop_document(request: HttpRequest, plugin: Plugin, document: UUID) -> HttpResponse:
    found = get_own_document_or_404(plugin, document)
    try:
        kept = cancel_ingestion(found)
    except LexicError as error:
        messages.error(request, f"{error.message} {error.hint}".strip())
    else:
        said = "is as it was: the earlier version goes on answering." if kept else "was not added."
        messages.info(request, f"“{found}” {said}")
    return _list_response(request, plugin)


def replace_document(request: HttpRequest, plugin: Plugin, document: UUID) -> HttpResponse:
    found = get_own_document_or_404(plugin, document)
    file = request.FILES.get("file")
    if file is None:
        messages.error(request, "No file was chosen.")
        return _redirect_to_document(plugin, found)
    try:
        replace_file(found, file_name=file.name or "", stream=file)
    except LexicError as error:
        messages.error(request, f"Nothing was changed. {error.message} {error.hint}".strip())
    else:
        until = "; the earlier version answers until then" if found.added_in is not None else ""
        messages.success(request, f"The new version waits to be read{until}.")
    return _redirect_to_document(plugin, found)


def remove_document(request: HttpRequest, plugin: Plugin, document: UUID) -> HttpResponse:
    """Says what will happen; then, when that is confirmed, does it."""
    found = get_own_document_or_404(plugin, document)
    if request.method == "POST":
        delete_document(found)
        messages.success(request, f"“{found}” is out. The draft no longer answers from it.")
        return HttpResponseRedirect(reverse_pane(plugin, "knowledge"))
    context = {
        "document": found,
        "row": document_row(found, own_base=found.knowledge_base_id, readable={found.knowledge_base_id}),
        "is_pinned": found.added_in is not None and _is_pinned(found),
    }
    return render_pane(request, plugin, "knowledge", "builder/knowledge/remove.html", context)


def _is_pinned(document: Document) -> bool:
    """Whether some release reads the base it is in: what a release reads is kept for it."""
    pin = [{"knowledge_base": document.knowledge_base_id}]
    return Release.objects.filter(knowledge__contains=pin).exists()


def _list_response(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """To the list, or the list itself where only that is wanted."""
    if request.htmx:
        return render_list(request, plugin)
    if request.POST.get("from") == "document" and request.resolver_match:
        pk = request.resolver_match.kwargs["document"]
        if Document.objects.present().filter(pk=pk).exists():
            return HttpResponseRedirect(reverse("admin:builder_knowledge_document", args=[plugin.pk, pk]))
    return HttpResponseRedirect(reverse_pane(plugin, "knowledge"))


def _redirect_to_document(plugin: Plugin, document: Document) -> HttpResponseRedirect:
    return HttpResponseRedirect(reverse("admin:builder_knowledge_document", args=[plugin.pk, document.pk]))
