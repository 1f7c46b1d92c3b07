"""The actions on one document: read it again, cancel the reading, replace its file, remove it."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from accounts.signed_in_request import SignedInRequest
from builder.history import errors_as_messages, log_and_report, log_plugin_change
from builder.knowledge.lookup import get_editable_document_or_404
from builder.knowledge.views import render_list
from builder.panes import HtmxRequest, render_pane
from knowledge.documents.cancellation import cancel_ingestion
from knowledge.documents.lifecycle import delete_document, reingest_document, replace_file
from knowledge.models import Document, DocumentStatus
from plugins.models import Plugin, Release


def read_document_again(request: HtmxRequest, plugin: Plugin, document: UUID) -> HttpResponse:
    """A running document is left running: reading it twice would give the same."""
    found = get_editable_document_or_404(request, plugin, document)
    was_running = found.status not in (DocumentStatus.READY, DocumentStatus.FAILED)
    with errors_as_messages(request):
        reingest_document(found)
        log_plugin_change(request, plugin, f"Asked for “{found}” to be read again.")
        messages.info(request, f"“{found}” {'is being read already.' if was_running else 'waits to be read again.'}")
    return _list_response(request, plugin, document)


def stop_document(request: HtmxRequest, plugin: Plugin, document: UUID) -> HttpResponse:
    """Stops reading it. The version that answered before goes on answering."""
    found = get_editable_document_or_404(request, plugin, document)
    with errors_as_messages(request):
        had_version = cancel_ingestion(found)
        log_plugin_change(request, plugin, f"Stopped the reading of “{found}”.")
        result = "is as it was: the earlier version keeps answering." if had_version else "was not added."
        messages.info(request, f"“{found}” {result}")
    return _list_response(request, plugin, document)


def replace_document(request: SignedInRequest, plugin: Plugin, document: UUID) -> HttpResponse:
    """Takes a newer version of its file."""
    found = get_editable_document_or_404(request, plugin, document)
    file = request.FILES.get("file")
    if file is None:
        messages.error(request, "No file was chosen.")
    else:
        with errors_as_messages(request, "Nothing was changed."):
            keeps_type = "any_type" not in request.POST
            replace_file(found, file_name=file.name or "", stream=file, keeps_type=keeps_type)
            log_plugin_change(request, plugin, f"Replaced the file of “{found}”.")
            until = "; the earlier version answers until then" if found.added_in is not None else ""
            messages.success(request, f"The new version waits to be read{until}.")
    return redirect("admin:builder_knowledge_document", plugin.pk, found.pk)


def remove_document(request: SignedInRequest, plugin: Plugin, document: UUID) -> HttpResponse:
    """Says what will happen; then, when that is confirmed, does it."""
    found = get_editable_document_or_404(request, plugin, document)
    if request.method == "POST":
        with errors_as_messages(request, "Nothing was changed."):
            delete_document(found)
            log_and_report(request, plugin, f"Removed “{found}”. The draft no longer answers from it.")
        return redirect("admin:builder_knowledge", plugin.pk)
    # What a release reads is kept for it.
    pin = [{"knowledge_base": found.knowledge_base_id}]
    context = {
        "document": found,
        "answers": found.added_in is not None,
        "is_pinned": found.added_in is not None and Release.objects.filter(knowledge__contains=pin).exists(),
    }
    return render_pane(request, plugin, "knowledge", "builder/knowledge/remove.html", context)


def _list_response(request: HtmxRequest, plugin: Plugin, document: UUID) -> HttpResponse:
    """The list alone where htmx asks for it; else back to the page from which the button was pressed."""
    if request.htmx:
        return render_list(request, plugin)
    if request.POST.get("from") == "document" and Document.objects.present().filter(pk=document).exists():
        return redirect("admin:builder_knowledge_document", plugin.pk, document)
    return redirect("admin:builder_knowledge", plugin.pk)
