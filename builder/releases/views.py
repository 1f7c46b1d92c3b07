"""Releases: what agents ask, and the way to the next one."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern
from django.views.decorators.http import require_POST

from accounts.models import User
from builder.panes import pane_route, render_pane
from builder.readiness import reverse_pane
from builder.releases.diff import diff_texts
from builder.releases.publication import log_plugin_change, try_publish, withdraw_with_message
from lexic.errors import LexicError
from marketplace.publishing.golden_gate import gate_result
from marketplace.publishing.release_diff import draft_changes, release_changes
from marketplace.publishing.rollback import roll_back
from plugins.models import SEMVER, Plugin, Release
from querying import releases
from querying.releases import DRAFT

PER_PAGE = 25
MAX_VERSIONS = 100


class PublishForm(forms.Form):
    notes = forms.CharField(
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "class": "input"}),
        help_text="What is different, for those who ask it. May be empty.",
    )
    version = forms.CharField(
        required=False,
        max_length=32,
        validators=[SEMVER],
        widget=forms.TextInput(attrs={"class": "input"}),
        help_text="A greater first number says that agents must look again.",
    )


class NotesForm(forms.ModelForm):
    """The one thing of a release that may change: it decides no answer."""

    class Meta:
        model = Release
        fields = ("notes",)
        widgets = {"notes": forms.Textarea(attrs={"rows": 3, "class": "input"})}


def urls() -> list[URLPattern]:
    return [
        pane_route("releases/", show_releases, name="releases"),
        pane_route("releases/<uuid:release>/", show_release, name="release"),
        pane_route("releases/<uuid:release>/back/", require_POST(roll_back_view), name="go_back", for_editing=True),
        pane_route("publish/", publish_release, name="publish", for_editing=True),
        pane_route("withdraw/", require_POST(withdraw_plugin), name="withdraw", for_editing=True),
    ]


def show_releases(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    every = plugin.releases.select_related("created_by").defer("trees", "knowledge", "system_prompt")
    page = Paginator(every, PER_PAGE).get_page(request.GET.get("page"))
    latest = plugin.releases.values_list("pk", flat=True).first()
    return render_pane(request, plugin, "releases", "builder/releases.html", {"page": page, "latest": latest})


def show_release(request: HttpRequest, plugin: Plugin, release: UUID) -> HttpResponse:
    """A release: its scorecard, its notes, which may be edited, and what is different from another one."""
    found = _release_or_404(plugin, release)
    form = NotesForm(request.POST if request.method == "POST" else None, instance=found)
    if form.is_valid():
        form.save()
        messages.success(request, "The notes are saved. Nothing that decides an answer has changed.")
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


def roll_back_view(request: HttpRequest, plugin: Plugin, release: UUID) -> HttpResponse:
    """Make agents get again what this release was."""
    found = _release_or_404(plugin, release)
    assert isinstance(request.user, User)
    try:
        made = roll_back(plugin, to=found, by=request.user)
    except LexicError as error:
        messages.error(request, f"{error.message} {error.hint}".strip())
    else:
        log_plugin_change(request, plugin, f"Went back to {found.version}, as {made.version}.")
        messages.success(
            request, f"On the air: {made}, which answers as {found.version} did. The draft is untouched."
        )
    return HttpResponseRedirect(reverse_pane(plugin, "releases"))


def publish_release(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """What stands in the way, what is different, and the button."""
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
    }
    return render_pane(request, plugin, "releases", "builder/publish.html", context)


def withdraw_plugin(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    withdraw_with_message(request, plugin)
    return HttpResponseRedirect(reverse_pane(plugin, "releases"))


def _release_or_404(plugin: Plugin, pk: UUID) -> Release:
    found = plugin.releases.filter(pk=pk).select_related("created_by").first()
    if found is None:
        raise Http404("This plugin has no such release.")
    return found


def _get_compared_release(request: HttpRequest, plugin: Plugin, release: Release) -> Release | None:
    """What to compare with: the version that is asked for, else the release before, if there is one."""
    version = request.GET.get("with", "").replace("\x00", "")
    if version == DRAFT:
        return releases.snapshot(plugin)
    others = plugin.releases.exclude(pk=release.pk)
    asked = others.filter(version=version).first() if version else None
    return asked or others.filter(created_at__lt=release.created_at).first()
