"""Releases: what agents ask, and the way to the next one."""

from __future__ import annotations

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern
from django.views.decorators.http import require_POST

from builder.panes import pane_url, render
from builder.publishing import published, withdraw
from builder.readiness import url_of
from marketplace.changes import changes
from marketplace.publish import missing
from plugins.models import SEMVER, Plugin


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
        help_text="Left empty, it is the next one. A greater first number says that agents must look again.",
    )


def urls() -> list[URLPattern]:
    return [
        pane_url("releases/", show, name="releases"),
        pane_url("publish/", publish_view, name="publish", to_change=True),
        pane_url("withdraw/", require_POST(withdraw_view), name="withdraw", to_change=True),
    ]


def show(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    recent = plugin.releases.select_related("created_by").defer("trees", "knowledge", "system_prompt")[:50]
    return render(request, plugin, "releases", "builder/releases.html", {"releases": recent})


def publish_view(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """What stands in the way, what is different, and the button."""
    form = PublishForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        said = {"version": form.cleaned_data["version"] or None, "notes": form.cleaned_data["notes"]}
        if published(request, plugin, **said):
            return HttpResponseRedirect(url_of(plugin, "releases"))
    latest = plugin.latest_release()
    context = {
        "form": form,
        "missing": missing(plugin),
        "latest": latest,
        "changes": changes(plugin, since=latest) if latest else [],
    }
    return render(request, plugin, "releases", "builder/publish.html", context)


def withdraw_view(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    withdraw(request, plugin)
    return HttpResponseRedirect(url_of(plugin, "releases"))
