"""The figures of all plugins that a person may look at, together and one by one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.views.decorators.http import require_GET

from accounts.models import User
from builder.analytics.forms import DaysForm
from builder.analytics.views import as_file, figures
from builder.crumbs import Crumb
from builder.readiness import url_of
from plugins.models import Plugin
from querying.models import Query, QueryQuerySet

PER_PAGE = 25


@dataclass(frozen=True, kw_only=True)
class Row:
    """One plugin in the table; `figures` is empty for one that nobody asked."""

    plugin: Plugin
    url: str
    figures: dict[str, Any]

    @property
    def count(self) -> int:
        return int(self.figures.get("count", 0))

    @property
    def others(self) -> int:
        """Questions that neither were answered nor refused nor asked back."""
        return int(self.figures.get("failed", 0) + self.figures.get("abandoned", 0))


@require_GET
def show(request: HttpRequest) -> HttpResponse:
    """A fixed number of statements, however many plugins there are."""
    assert isinstance(request.user, User)
    form = DaysForm(request.GET)
    everything = form.chosen(_queries(request.user))
    rows = _rows(request.user, everything.asked_on(*form.days).by_plugin())
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    asked = request.GET.copy()
    asked.pop("page", None)
    context = {
        **admin.site.each_context(request),
        "title": "Analytics",
        "crumbs": [Crumb(title="Analytics of all plugins")],
        "is_fullwidth": "1",
        "page": page,
        "asked": asked.urlencode(),
        **figures(form, everything, user=request.user),
    }
    return TemplateResponse(request, "builder/analytics/overall.html", context)


@require_GET
def download(request: HttpRequest) -> HttpResponse:
    """The questions of the same days as a file."""
    assert isinstance(request.user, User)
    form = DaysForm(request.GET)
    return as_file(form, form.chosen(_queries(request.user)), user=request.user, name="all-plugins")


def _queries(user: User) -> QueryQuerySet:
    return Query.objects.filter(plugin__in=Plugin.objects.readable_by(user).values("pk"))


def _rows(user: User, figures_of: dict[Any, dict[str, Any]]) -> list[Row]:
    """The busiest first; those that nobody asked last, by name."""
    plugins = Plugin.objects.readable_by(user).only("pk", "name", "is_published", "version")
    rows = [
        Row(plugin=plugin, url=url_of(plugin, "analytics"), figures=figures_of.get(plugin.pk, {}))
        for plugin in plugins
    ]
    return sorted(rows, key=lambda row: (-row.count, row.plugin.name.lower(), str(row.plugin.pk)))
