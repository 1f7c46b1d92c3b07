"""The parts of a plugin's page in the builder, each a pane with an address of its own, and the one door to them.

A pane's views are called with the plugin, not with its id: the door looks it up among those that the person may
read (or change), and anything else is a 404.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from accounts.models import User
from builder.crumbs import Crumb
from builder.readiness import Part, Standing, readiness, url_of
from marketplace.golden_gate import Verdict, verdict
from marketplace.publish import missing, next_version, unchanged_since
from marketplace.sharing.updates import offers
from plugins.models import GoldenGate, Plugin
from querying.counts import counts_of

View = Callable[..., Any]

# Slug and title, in the order of the tabs.
PANES: Mapping[str, str] = {
    "persona": "Persona",
    "knowledge": "Knowledge",
    "trees": "Trees",
    "sandbox": "Sandbox",
    "golden": "Golden questions",
    "inbox": "Inbox",
    "analytics": "Analytics",
    "releases": "Releases",
    "reviews": "Reviews",
    "sharing": "Sharing",
}


def pane_url(
    route: str, view: View, *, name: str, to_change: bool = False, readers_may_post: bool = False
) -> URLPattern:
    """An address below a plugin's: `<plugin>/<route>`, named `admin:builder_<name>`.

    With `to_change` only those who may change the plugin get in; methods other than GET always need that, unless
    `readers_may_post`: asking a plugin changes nothing of it. A view that streams is synchronous as well: the door,
    the session and the database are done with before its `sse.response` begins on the event loop.
    """
    guarded = admin.site.admin_view(_with_plugin(view, to_change=to_change, readers_may_post=readers_may_post))
    return path(f"<uuid:pk>/{route}", guarded, name=f"builder_{name}")


def plugin_or_404(request: HttpRequest, pk: UUID, *, to_change: bool) -> Plugin:
    """The plugin, if this person may look at it, or change it. Raises Http404."""
    assert isinstance(request.user, User)
    plugins = Plugin.objects.editable_by if to_change else Plugin.objects.readable_by
    plugin = plugins(request.user).filter(pk=pk).select_related("owner").first()
    if plugin is None:
        raise Http404("There is no such plugin among yours.")
    return plugin


def may_change(request: HttpRequest, plugin: Plugin) -> bool:
    assert isinstance(request.user, User)
    return Plugin.objects.editable_by(request.user).filter(pk=plugin.pk).exists()


def render(
    request: HttpRequest, plugin: Plugin, slug: str, template: str, context: dict[str, Any] | None = None
) -> HttpResponse:
    """A pane inside the plugin's page. `template` extends `builder/hub.html` and fills its block `pane`."""
    return TemplateResponse(request, template, {**hub(request, plugin, slug), **(context or {})})


def hub(request: HttpRequest, plugin: Plugin, slug: str) -> dict[str, Any]:
    """What every part of a plugin's page shows around itself."""
    golden, counted = _gate(plugin), counts_of([plugin])[plugin.pk]
    parts = readiness(plugin, golden=golden, counts=counted)
    counts = {part.slug: part.count for part in parts}
    reasons = missing(plugin, golden=golden, counts=counted)
    return {
        **admin.site.each_context(request),
        "title": f"{plugin.name}: {PANES[slug]}",
        "opts": Plugin._meta,
        "original": plugin,
        "plugin": plugin,
        "crumbs": _crumbs(plugin, slug),
        "pane": slug,
        "may_change": may_change(request, plugin),
        "readiness": parts,
        "tabs": [_tab(plugin, name, title, counts.get(name), slug) for name, title in PANES.items()],
        "next_version": next_version(plugin),
        "unchanged_since": unchanged_since(plugin),
        "stands_in_the_way": reasons,
        "has_documents": bool(counted.answering),
        "why_not": _why_not(parts, reasons),
        "newer_original": offers([plugin.pk]).get(plugin.pk),
        "is_fullwidth": "1",
    }


def _crumbs(plugin: Plugin, slug: str) -> list[Crumb]:
    above = [Crumb(title="Plugins", url=reverse("admin:plugins_plugin_changelist"))]
    if slug == "persona":
        return [*above, Crumb(title=plugin.name)]
    return [*above, Crumb(title=plugin.name, url=url_of(plugin, "persona")), Crumb(title=PANES[slug])]


def _tab(plugin: Plugin, slug: str, title: str, count: int | None, current: str) -> dict[str, Any]:
    return {"title": title, "url": url_of(plugin, slug), "count": count, "is_current": slug == current}


def _gate(plugin: Plugin) -> Verdict:
    """Only a gate that blocks is worth looking at the runs on every page."""
    if plugin.golden_gate == GoldenGate.BLOCK:
        return verdict(plugin)
    return Verdict(policy=GoldenGate(plugin.golden_gate), share=plugin.golden_share, questions=0)


def _why_not(parts: list[Part], reasons: list[str]) -> str:
    if not reasons:
        return ""
    blocking = [part.title.lower() for part in parts if part.standing == Standing.BLOCKS]
    return f"{' and '.join(blocking)} first" if blocking else reasons[0]


def _with_plugin(view: View, *, to_change: bool, readers_may_post: bool) -> View:
    @wraps(view)
    def guarded(request: HttpRequest, pk: UUID, **captured: Any) -> Any:
        only_reads = request.method in ("GET", "HEAD") or readers_may_post
        return view(request, plugin_or_404(request, pk, to_change=to_change or not only_reads), **captured)

    return guarded
