"""The sources that the plugin's own knowledge base is synced with: folders and lists on the server, and remote
sources."""

from __future__ import annotations

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse

from accounts.signed_in_request import SignedInRequest
from builder.history import log_plugin_change
from knowledge.models import Source, SourceItem
from knowledge.sync.runner import is_under_sync_root
from knowledge.task_queue import enqueue_sync
from lexic.http.parameters import MAX_ROW_ID
from plugins.models import Plugin

_MAX_PROBLEMS = 50


@dataclass(frozen=True, kw_only=True)
class SourceRow:
    """A source in the list. `name` of a folder is its last part: its path on the server is not shown."""

    source: Source
    name: str
    may_sync: bool


def get_source_rows(plugin: Plugin) -> list[SourceRow]:
    rows = Source.objects.filter(knowledge_base__plugin=plugin)
    return [
        SourceRow(source=row, name=row.shown_location, may_sync=row.is_remote or is_under_sync_root(row))
        for row in rows
    ]


def get_sync_problems(plugin: Plugin) -> list[str]:
    """What the last syncs found wrong with single notes, with file and line."""
    items = SourceItem.objects.filter(source__knowledge_base__plugin=plugin).exclude(problems=[])[:_MAX_PROBLEMS]
    problems = [problem for item in items for problem in item.problems][:_MAX_PROBLEMS]
    lines = ["" if problem["line"] is None else f":{problem['line']}" for problem in problems]
    return [f"{one['path']}{line}: {one['message']}" for one, line in zip(problems, lines, strict=True)]


def start_sync(request: SignedInRequest, plugin: Plugin, source: int) -> HttpResponse:
    """Only what the timetable syncs as well: everything else on the server's disk is for its operator alone. A remote
    source is shown afterwards."""
    found = get_object_or_404(Source, knowledge_base__plugin=plugin, pk=min(source, MAX_ROW_ID))
    name = found.shown_location
    if found.is_remote or is_under_sync_root(found):
        enqueue_sync(found.pk)
        log_plugin_change(request, plugin, f"Asked for a sync of “{name}”.")
        messages.success(request, f"“{name}” is being synced. Documents show up here as they come in.")
    else:
        messages.error(request, f"“{name}” is synced by the operator of this server, with manage.py sync.")
    if found.is_remote:
        return HttpResponseRedirect(reverse("admin:builder_source", args=[plugin.pk, found.pk]))
    return HttpResponseRedirect(f"{reverse('admin:builder_knowledge', args=[plugin.pk])}#sources")
