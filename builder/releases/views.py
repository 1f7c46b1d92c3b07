"""Releases: what agents ask, and the way to the next one."""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404

from accounts.signed_in_request import SignedInRequest
from builder.history import errors_as_messages, log_plugin_change
from builder.panes import HtmxRequest, render_pane
from builder.readiness import reverse_pane
from builder.releases.forms import NotesForm, PublishForm
from builder.releases.publication import try_publish, withdraw_with_message
from builder.releases.publishing_run import kept_audience, run_context
from builder.sharing.audience import audience_context, report_availability, report_errors
from builder.sharing.forms import AudienceForm
from lexic.http.parameters import get_page
from marketplace.comparison.compare_releases import compare_releases
from marketplace.models import PublishingRun
from marketplace.publishing.audience_change import save_audience
from marketplace.publishing.audience_choices import Audience
from marketplace.publishing.publishing_gate import gate_result
from marketplace.publishing.rollback import roll_back
from plugins.models import Plugin, Release
from querying import releases
from querying.answering.tree_support import ends_to_warn_of
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
    with transaction.atomic():
        if is_valid := form.is_valid():
            found.save(update_fields=form.changed_data)
    if is_valid:
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
        "comparison": compare_releases(found, then=other, viewer=request.user) if other else None,
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
    """What is missing, what is different, and the button; while a worker publishes, how far it is."""
    if request.method != "POST":
        return _render_publish(request, plugin)
    form, audience = PublishForm(request.POST), _typed_audience(request, plugin)
    with transaction.atomic():
        is_valid = form.is_valid() and (audience is None or audience.is_valid())
    chosen = audience.change() if audience and is_valid else None
    plugin.refresh_from_db()  # who can see it changes with the release
    if is_valid:
        version, notes = form.cleaned_data["version"] or None, form.cleaned_data["notes"]
        plugin.keep_next_notes(notes)
        made = try_publish(request, plugin, version=version, notes=notes, audience=chosen)
        if isinstance(made, PublishingRun):
            return HttpResponseRedirect(request.path)
        if made:
            return HttpResponseRedirect(reverse_pane(plugin, "published"))
    return _render_publish(request, plugin, form=form, audience=audience)


def change_audience(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """Saves who can see what is published now, or will once something is. Private withdraws it. Invalid input changes
    nothing, and stays in the form of the page that publishes."""
    form = AudienceForm(request.POST, instance=plugin)
    with transaction.atomic():
        if is_valid := form.is_valid():
            audience = form.cleaned_data["audience"]
            if audience == Audience.PRIVATE:
                withdraw_with_message(request, plugin)
            else:
                save_audience(plugin, form.change(), by=request.user)
    plugin.refresh_from_db()
    if not is_valid:
        typed = {name: request.POST.get(name, "") for name in PublishForm.base_fields}
        return _render_publish(request, plugin, form=PublishForm(initial=typed), audience=form)
    if audience != Audience.PRIVATE:
        report_availability(request, plugin)
    return HttpResponseRedirect(reverse_pane(plugin, "publish" if request.POST.get("pane") == "publish" else "sharing"))


def _render_publish(
    request: SignedInRequest, plugin: Plugin, *, form: PublishForm | None = None, audience: AudienceForm | None = None
) -> HttpResponse:
    """`form` and `audience` hold input that was not saved."""
    draft, latest = releases.snapshot(plugin), plugin.latest_release()
    run = run_context(plugin, latest=latest)
    typed = run.get("typed", {}) | ({"notes": plugin.next_notes} if plugin.next_notes else {})
    if audience and not audience.is_valid():
        report_errors(request, audience)
    context = {
        **run,
        "form": form or PublishForm(initial=typed),
        "is_typed": form is not None,
        "is_publish_page": True,
        "golden": gate_result(plugin, has_worker=True),
        "latest": latest,
        "comparison": compare_releases(draft, then=latest, viewer=request.user) if latest else None,
        "unsupported": ends_to_warn_of(plugin),
        **audience_context(plugin, audience, of=draft, kept=kept_audience(plugin, run["run"])),
    }
    return render_pane(request, plugin, "releases", "builder/publish.html", context)


def keep_notes(request: HtmxRequest, plugin: Plugin) -> HttpResponse:
    """What was typed for the next release is kept: while it is typed, and where a button leads away from the form."""
    form = PublishForm(request.POST)
    form.is_valid()  # the version may be wrong; the notes are kept all the same
    plugin.keep_next_notes(form.cleaned_data.get("notes", ""))
    if request.htmx:
        return HttpResponse(status=204)
    messages.success(request, "The notes are kept with the draft.")
    then = request.POST.get("then")
    return HttpResponseRedirect(reverse_pane(plugin, then if then in ("knowledge", "sharing") else "publish"))


def _typed_audience(request: SignedInRequest, plugin: Plugin) -> AudienceForm | None:
    """Who is to see the release, which is asked in the same form."""
    if "audience" not in request.POST:
        return None
    return AudienceForm(request.POST, instance=plugin, publishing=releases.snapshot(plugin))


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
