"""Sources that are fetched from elsewhere: added, changed, paused and removed, with the report of the last sync."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db.models import Max
from django.http import Http404, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse

from accounts.signed_in_request import SignedInRequest
from builder.history import log_and_report, log_plugin_change
from builder.knowledge.source_forms import KIND_NAMES, SourceForm
from builder.panes import render_pane
from knowledge.models import Document, Page, Source
from knowledge.plugin_knowledge_base import own_knowledge_base
from knowledge.sync.remote import source_settings
from knowledge.task_queue import enqueue_sync
from lexic.errors import LexicError
from lexic.http.parameters import MAX_ROW_ID
from marketplace.comparison.side_by_side import Row, compare_texts
from plugins.models import Plugin

_MAX_COMPARED = 20
_MAX_COMPARED_CHARACTERS = 100_000


@dataclass(frozen=True, kw_only=True)
class ChangedPath:
    """A path of the report with its document, where that is still there, and how its text changed."""

    path: str
    document: Document | None
    rows: list[Row]


def add_source(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    kind = request.POST.get("kind") or request.GET.get("kind") or "website"
    if kind not in KIND_NAMES:
        raise Http404
    form = SourceForm(request.POST if request.method == "POST" else None, kind=kind)
    if form.is_valid():
        try:
            source = source_settings.create_source(
                own_knowledge_base(plugin), kind=kind, location=form.cleaned_data["location"], **form.settings()
            )
        except LexicError as error:
            form.add_error("location", error.message_with_hint)
        else:
            enqueue_sync(source.pk)
            log_and_report(request, plugin, f"Added the source {source.shown_location}.")
            return _redirect_to_source(plugin, source)
    context = {"form": form, "kind": kind, "kinds": KIND_NAMES.items()}
    return render_pane(request, plugin, "knowledge", "builder/knowledge/source_new.html", context)


def show_source(request: SignedInRequest, plugin: Plugin, source: int) -> HttpResponse:
    found = get_source(plugin, source)
    form = SourceForm(request.POST if request.method == "POST" else None, kind=found.kind, source=found)
    if request.method == "POST":
        if form.save_by(lambda: source_settings.change_source(found, **form.settings())):
            log_and_report(request, plugin, f"Changed the source {found.shown_location}.")
            return _redirect_to_source(plugin, found)
        found = Source.objects.filter(pk=found.pk).first() or found  # deleted meanwhile: the form says so
    changes = found.report.get("changes", {})
    context = {
        "source": found,
        "form": form,
        "changes": changes,
        "changed": _changed_paths(found, changes.get("changed", [])),
    }
    return render_pane(request, plugin, "knowledge", "builder/knowledge/source.html", context)


def switch_source(request: SignedInRequest, plugin: Plugin, source: int) -> HttpResponse:
    """To what the button says, so that pressing it twice does not turn it back."""
    found = source_settings.change_source(get_source(plugin, source), is_paused=request.POST.get("to") == "pause")
    state = "paused" if found.is_paused else "synced by its timetable again"
    log_and_report(request, plugin, f"The source {found.shown_location} is {state}.")
    return _redirect_to_source(plugin, found)


def confirm_removals(request: SignedInRequest, plugin: Plugin, source: int) -> HttpResponse:
    """What is not there any more is gone: a sync retires it, however much that is."""
    found = get_source(plugin, source)
    enqueue_sync(found.pk, allows_removals=True)
    log_plugin_change(request, plugin, f"Confirmed that what {found.shown_location} no longer has is gone.")
    messages.success(request, "It is being synced. What is not there any more is retired.")
    return _redirect_to_source(plugin, found)


def delete_source(request: SignedInRequest, plugin: Plugin, source: int) -> HttpResponse:
    found = get_source(plugin, source)
    source_settings.delete_source(found)
    log_and_report(request, plugin, f"Removed the source {found.shown_location}. Its documents stay.")
    return HttpResponseRedirect(f"{reverse('admin:builder_knowledge', args=[plugin.pk])}#sources")


def get_source(plugin: Plugin, pk: int) -> Source:
    """Raises Http404."""
    return get_object_or_404(Source.objects.remote(), knowledge_base__plugin=plugin, pk=min(pk, MAX_ROW_ID))


def _redirect_to_source(plugin: Plugin, source: Source) -> HttpResponse:
    return HttpResponseRedirect(reverse("admin:builder_source", args=[plugin.pk, source.pk]))


def _changed_paths(source: Source, paths: list[str]) -> list[ChangedPath]:
    items = source.items.filter(path__in=paths).select_related("document")
    documents = {item.path: item.live_document for item in items}
    return [_changed_path(path, documents.get(path)) for path in paths[:_MAX_COMPARED]] + [
        ChangedPath(path=path, document=documents.get(path), rows=[]) for path in paths[_MAX_COMPARED:]
    ]


def _changed_path(path: str, document: Document | None) -> ChangedPath:
    """With the text of the pages that the document's last version replaced, beside those that replaced them."""
    rows: list[Row] = []
    pages = Page.objects.filter(document=document) if document else Page.objects.none()
    revision: Any = pages.aggregate(last=Max("added_in"))["last"]
    if revision and document and revision != document.added_in:
        rows = compare_texts(
            _pages_text(pages.filter(removed_in=revision)), _pages_text(pages.filter(added_in=revision))
        )
    return ChangedPath(path=path, document=document, rows=rows)


def _pages_text(pages: Any) -> str:
    texts = pages.order_by("number").values_list("text", flat=True)[:50]
    return "\n".join(texts)[:_MAX_COMPARED_CHARACTERS]
