"""The figures of all plugins that a person may look at, together and one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.http import HttpResponse
from django.template.response import TemplateResponse
from django.views.decorators.http import require_GET

from accounts.models import User
from accounts.signed_in_request import SignedInRequest
from builder.analytics.forms import DateRangeForm
from builder.analytics.views import csv_response, figures_context, json_response
from builder.breadcrumbs import Breadcrumb
from builder.readiness import reverse_pane
from lexic.http.parameters import get_page
from plugins.models import Plugin
from querying.models import Query, QueryQuerySet

PER_PAGE = 25


@dataclass(frozen=True, kw_only=True)
class PluginFigures:
    """One row of the table; `figures` is empty for a plugin that was never asked."""

    plugin: Plugin
    url: str
    figures: dict[str, Any]

    @property
    def count(self) -> int:
        return int(self.figures.get("count", 0))

    @property
    def other_count(self) -> int:
        """Questions that failed, or whose caller left."""
        return int(self.figures.get("failed", 0) + self.figures.get("abandoned", 0))


@require_GET
def show_all_plugins(request: SignedInRequest) -> HttpResponse:
    """A fixed number of statements, however many plugins there are."""
    form = DateRangeForm(request.GET)
    everything = form.filter_queries(_readable_queries(request.user))
    rows = _plugin_rows(request.user, everything.created_between(*form.days).by_plugin())
    page = get_page(request, rows, per_page=PER_PAGE)
    asked = request.GET.copy()
    asked.pop("page", None)
    context = {
        **admin.site.each_context(request),
        "title": "Analytics",
        "crumbs": [Breadcrumb(title="Analytics of all plugins")],
        "is_fullwidth": "1",
        "page": page,
        "asked": asked.urlencode(),
        **figures_context(form, everything, user=request.user),
    }
    return TemplateResponse(request, "builder/analytics/all_plugins.html", context)


@require_GET
def download_all_plugins(request: SignedInRequest) -> HttpResponse:
    """The questions of the same days as a file."""
    form = DateRangeForm(request.GET)
    return csv_response(
        form, form.filter_queries(_readable_queries(request.user)), user=request.user, name="all-plugins"
    )


@require_GET
def download_all_plugins_json(request: SignedInRequest) -> HttpResponse:
    """The same as JSON."""
    form = DateRangeForm(request.GET)
    queries = form.filter_queries(_readable_queries(request.user))
    return json_response(form, queries, user=request.user, name="all-plugins")


def _readable_queries(user: User) -> QueryQuerySet:
    return Query.objects.filter(plugin__in=Plugin.objects.viewable_by(user).values("pk")).questions()


def _plugin_rows(user: User, figures_of: dict[Any, dict[str, Any]]) -> list[PluginFigures]:
    """The plugins with the most questions first; those without any last, by name."""
    plugins = Plugin.objects.viewable_by(user).only("pk", "name", "is_published", "version")
    rows = [
        PluginFigures(plugin=plugin, url=reverse_pane(plugin, "analytics"), figures=figures_of.get(plugin.pk, {}))
        for plugin in plugins
    ]
    return sorted(rows, key=lambda row: (-row.count, row.plugin.name.lower(), str(row.plugin.pk)))
