"""The list of documents: searched, filtered, in pages, and alive while something is being read."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.db.models import Count, Q
from django.http import HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse

from accounts.signed_in_request import SignedInRequest
from builder.knowledge.attachments import attachable_bases
from builder.knowledge.bulk_actions import BulkForm
from builder.knowledge.grants import grants_context
from builder.knowledge.lookup import base_access
from builder.knowledge.sync_sources import get_source_rows, get_sync_problems
from builder.panes import may_edit_plugin, plugin_page_context, render_pane
from knowledge.documents.document_rows import document_rows
from knowledge.documents.forms import SUPPORTED_TYPES_TEXT, AddressesForm, TextForm
from knowledge.models import Document, DocumentStatus, KnowledgeBase
from lexic.http.parameters import MAX_SEARCH_LENGTH, get_page, single_line
from plugins.models import Plugin

PER_PAGE = 25
_FINAL_STATUSES = (DocumentStatus.READY, DocumentStatus.FAILED)
STATUS_FILTERS: dict[str, tuple[str, Q]] = {
    "working": ("Still working", ~Q(status__in=_FINAL_STATUSES)),
    "failed": ("Failed", Q(status=DocumentStatus.FAILED)),
    "ready": ("Ready", Q(status=DocumentStatus.READY)),
}


def render_list(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """The list alone, for a page that is open already."""
    response = TemplateResponse(request, "builder/knowledge/_list.html", _list_context(request, plugin))
    if "poll" not in request.GET:
        state = {name: request.GET[name] for name in ("q", "state", "page") if request.GET.get(name)}
        response["HX-Replace-Url"] = reverse("admin:builder_knowledge", args=[plugin.pk], query=state)
    return response


def render_documents(request: SignedInRequest, plugin: Plugin, **forms: Any) -> HttpResponse:
    """The whole pane; `forms` stand in for the empty ones when something in them was wrong."""
    context = {
        "text_form": TextForm(auto_id="text_%s"),
        "addresses_form": AddressesForm(auto_id="url_%s"),
        "bulk_form": BulkForm(auto_id="bulk_%s"),
        "most_bytes": settings.LEXIC_MAX_DOCUMENT_BYTES,
        "most_megabytes": settings.LEXIC_MAX_DOCUMENT_BYTES // (1024 * 1024),
        "types": SUPPORTED_TYPES_TEXT,
        "offered": attachable_bases(request, plugin),
        "sources": (sources := get_source_rows(plugin)),
        "source_problems": get_sync_problems(plugin) if sources else [],
        **documents_context(request, plugin),
        **forms,
    }
    return render_pane(request, plugin, "knowledge", "builder/knowledge/pane.html", context)


def documents_context(request: SignedInRequest, plugin: Plugin) -> dict[str, Any]:
    """What the list shows. The number of statements does not depend on the number of documents."""
    bases = list(KnowledgeBase.objects.of_plugin(plugin))
    own = next((base.pk for base in bases if base.plugin_id == plugin.pk), None)
    access = base_access(request, plugin)
    everything = Document.objects.present().filter(knowledge_base__in=[base.pk for base in bases])
    words = single_line(request.GET.get("q", ""), max_length=MAX_SEARCH_LENGTH)
    state = request.GET.get("state", "") if request.GET.get("state") in STATUS_FILTERS else ""
    chosen = everything.name_contains(words) if words else everything
    of_state = {name: Count("pk", filter=condition) for name, (_, condition) in STATUS_FILTERS.items()}
    counts = chosen.aggregate(total=Count("pk"), **of_state)
    chosen = chosen.filter(STATUS_FILTERS[state][1]) if state else chosen
    page = get_page(request, chosen.select_related("knowledge_base").unfinished_first(), per_page=PER_PAGE)
    return {
        "rows": document_rows(list(page), access),
        "page": page,
        "own_base": own,
        "q": words,
        "state": state,
        "states": [(name, title, counts[name]) for name, (title, _) in STATUS_FILTERS.items()],
        "total": counts["total"],
        "working": counts["working"],
        "status_key": "-".join(str(count) for count in counts.values()),
        "is_filtered": bool(words or state),
        "attached": [
            (grant, grant.stands and grant.knowledge_base_id in access.readable)
            for grant in grants_context(plugin.knowledge_grants.filter(is_attached=True))["grants"]
        ],
        "query": urlencode({"q": words, "state": state}),
    }


def _list_context(request: SignedInRequest, plugin: Plugin) -> dict[str, Any]:
    context = {
        "plugin": plugin,
        "may_change": may_edit_plugin(request, plugin),
        **documents_context(request, plugin),
    }
    if request.GET.get("was") != context["status_key"]:
        # Something came in or is done: the strip above the list is brought up to date as well.
        context = {**plugin_page_context(request, plugin, "knowledge"), **context}
    return {**context, "is_partial_update": True}
