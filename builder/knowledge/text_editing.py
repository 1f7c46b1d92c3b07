"""The text of a document, edited in its page."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from accounts.signed_in_request import SignedInRequest
from builder.history import log_plugin_change
from builder.knowledge.lookup import get_editable_document_or_404
from builder.panes import render_pane
from knowledge.documents.edited_text import MAX_TEXT_BYTES, save_text, stored_text
from lexic.errors import LexicError
from plugins.models import Plugin


def edit_text(request: SignedInRequest, plugin: Plugin, document: UUID) -> HttpResponse:
    """GET: the text in a form. POST: save it. What is refused stays in the form."""
    found = get_editable_document_or_404(request, plugin, document)
    context: dict[str, Any] = {"document": found, "seen": found.sha256, "max_length": MAX_TEXT_BYTES}
    try:
        if request.method != "POST":
            context["text"] = stored_text(found)
            return render_pane(request, plugin, "knowledge", "builder/knowledge/edit_text.html", context)
        context |= {"text": request.POST.get("text", ""), "seen": request.POST.get("seen", "")}
        is_new = save_text(found, text=context["text"], seen=context["seen"])
    except LexicError as error:
        if "text" in context:
            context["error"] = error.message_with_hint
            return render_pane(request, plugin, "knowledge", "builder/knowledge/edit_text.html", context)
        messages.error(request, error.message_with_hint)
    else:
        if is_new:
            log_plugin_change(request, plugin, f"Edited the text of “{found}”.")
            messages.success(request, "Saved. The new text is read now; the earlier one answers until then.")
        else:
            messages.info(request, "Nothing was changed.")
    return redirect("admin:builder_knowledge_document", plugin.pk, found.pk)
