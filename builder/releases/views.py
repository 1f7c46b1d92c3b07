"""Releases: what agents ask, and the way to the next one."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404

from accounts.signed_in_request import SignedInRequest
from builder.history import errors_as_messages, log_plugin_change
from builder.panes import render_pane
from builder.readiness import reverse_pane
from builder.releases.diff import diff_texts
from builder.releases.forms import NotesForm, PublishForm
from builder.releases.publication import try_publish, withdraw_with_message
from knowledge.embedders.base import EmbedderError
from lexic.http.parameters import get_page
from marketplace.publishing.golden_gate import gate_result
from marketplace.publishing.release_diff import draft_changes, release_changes
from marketplace.publishing.rollback import roll_back
from plugins.models import Plugin, Release
from querying import releases
from querying.answering.tree_support import UnsupportedEnd, unsupported_ends
from querying.releases import DRAFT

PER_PAGE = 25
MAX_VERSIONS = 100


def show_releases(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    every = plugin.releases.select_related("created_by").defer("trees", "knowledge", "system_prompt")
    page = get_page(request, every, per_page=PER_PAGE)
    latest = plugin.releases.values_list("pk", flat=True).first()
    return render_pane(request, plugin, "releases", "builder/releases.html", {"page": page, "latest": latest})


def show_release(request: SignedInRequest, plugin: Plugin, release: UUID) -> HttpResponse:
    """A release: its scorecard, its notes, which may be edited, and what is different from another one."""
    found = get_object_or_404(plugin.releases.select_related("created_by"), pk=release)
    form = NotesForm(request.POST if request.method == "POST" else None, instance=found)
    if form.is_valid():
        form.save()
        log_plugin_change(request, plugin, f"Changed the notes of {found.version}.")
        messages.success(request, "The notes are saved. Answers do not change.")
        return HttpResponseRedirect(request.path)
    versions = list(plugin.releases.exclude(pk=found.pk).values_list("version", flat=True)[:MAX_VERSIONS])
    other = _get_compared_release(request, plugin, found)
    context = {
        "release": found,
        "form": form,
        "versions": [DRAFT, *versions],
        "other": other,
        "other_version": other and (other.version or DRAFT),
        "other_name": other and (other.version or "the draft"),
        "changes": release_changes(found, since=other) if other else [],
        "texts": diff_texts(found, then=other) if other else [],
        "is_latest": plugin.latest_release() == found,
    }
    return render_pane(request, plugin, "releases", "builder/release.html", context)


def roll_back_view(request: SignedInRequest, plugin: Plugin, release: UUID) -> HttpResponse:
    """Make agents get again what this release was."""
    found = get_object_or_404(plugin.releases.select_related("created_by"), pk=release)
    with errors_as_messages(request):
        made = roll_back(plugin, to=found, by=request.user)
        log_plugin_change(request, plugin, f"Went back to {found.version}, as {made.version}.")
        messages.success(request, f"Published: {made}, with the content of {found.version}. The draft is unchanged.")
    return HttpResponseRedirect(reverse_pane(plugin, "releases"))


def publish_release(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """What is missing, what is different, and the button."""
    form = PublishForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        said = {"version": form.cleaned_data["version"] or None, "notes": form.cleaned_data["notes"]}
        if try_publish(request, plugin, **said):
            return HttpResponseRedirect(reverse_pane(plugin, "releases"))
    latest = plugin.latest_release()
    context = {
        "form": form,
        "golden": gate_result(plugin),
        "latest": latest,
        "changes": draft_changes(plugin, since=latest) if latest else [],
        "unsupported": _unsupported_ends(plugin),
    }
    return render_pane(request, plugin, "releases", "builder/publish.html", context)


def _unsupported_ends(plugin: Plugin) -> list[UnsupportedEnd]:
    """None where the provider of the embedder does not answer: it is a warning, and the page is needed."""
    try:
        return unsupported_ends(plugin)
    except EmbedderError:
        return []


def withdraw_plugin(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    withdraw_with_message(request, plugin)
    return HttpResponseRedirect(reverse_pane(plugin, "releases"))


def _get_compared_release(request: SignedInRequest, plugin: Plugin, release: Release) -> Release | None:
    """What to compare with: the version that is asked for, else the release before, if there is one."""
    version = request.GET.get("with", "").replace("\x00", "")
    if version == DRAFT:
        return releases.snapshot(plugin)
    others = plugin.releases.exclude(pk=release.pk)
    asked = others.filter(version=version).first() if version else None
    return asked or others.filter(created_at__lt=release.created_at).first()
