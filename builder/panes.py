"""The panes of a plugin's page in the builder, each with a URL of its own, and the only way to route to their views.

The view of a pane is called with the plugin and not with its id: the route looks the plugin up among those that the
person may read (or change), and answers 404 for all others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import wraps
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.views.decorators.http import require_GET, require_POST
from django_htmx.middleware import HtmxDetails

from accounts.signed_in_request import SignedInRequest, signed_in_user
from builder.breadcrumbs import Breadcrumb
from builder.readiness import ReadinessPart, ReadinessStatus, readiness, reverse_pane
from evaluation.plugin_counts import counts_by_plugin
from marketplace.models import PublishingRun
from marketplace.publishing.publish import latest_if_unchanged, next_version, publish_blockers
from marketplace.publishing.publishing_gate import GateResult, gate_result
from marketplace.sharing.copy_updates import update_offers
from plugins.models import GoldenGate, Plugin

View = Callable[..., Any]


class HtmxRequest(SignedInRequest):
    """A request with what `HtmxMiddleware` puts on it."""

    htmx: HtmxDetails


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
    "limits": "Limits",
}


def get_route(route: str, view: View, name: str) -> URLPattern:
    """An address below a plugin's that can be read by whoever may look at the plugin."""
    return pane_route(route, require_GET(view), name)


def post_route(route: str, view: View, name: str, *, pane: str = "") -> URLPattern:
    """An address below a plugin's that takes a form of whoever may change the plugin. Where the form is shown again
    under it when it is refused, whoever opens the address later comes to the `pane` that has the form."""
    return pane_route(route, _or_pane(view, pane) if pane else require_POST(view), name, for_editing=True)


def _or_pane(view: View, pane: str) -> View:
    def view_or_pane(request: SignedInRequest, plugin: Plugin, **captured: Any) -> Any:
        if request.method in ("GET", "HEAD"):
            return redirect(f"admin:builder_{pane}", plugin.pk)
        return require_POST(view)(request, plugin, **captured)

    return wraps(view)(view_or_pane)


def pane_route(
    route: str, view: View, name: str, *, for_editing: bool = False, allow_reader_post: bool = False
) -> URLPattern:
    """A URL below that of a plugin: `<plugin>/<route>`, named `admin:builder_<name>`.

    With `for_editing` it is only for people who may change the plugin. Methods other than GET always require that,
    unless `allow_reader_post` is set: asking a plugin changes nothing of it. A view that streams is synchronous as
    well: the route, the session and the database are done before its `sse.event_stream_response` begins on the event
    loop.
    """

    @wraps(view)
    def guarded(request: SignedInRequest, pk: UUID, **captured: Any) -> Any:
        only_reads = request.method in ("GET", "HEAD") or allow_reader_post
        return view(request, plugin_or_404(request, pk, for_editing=for_editing or not only_reads), **captured)

    return path(f"<uuid:pk>/{route}", admin.site.admin_view(guarded), name=f"builder_{name}")


def plugin_or_404(request: SignedInRequest, pk: UUID, *, for_editing: bool) -> Plugin:
    """The plugin, if this person may look at it, or change it. Raises Http404."""
    plugins = Plugin.objects.editable_by if for_editing else Plugin.objects.viewable_by
    return get_object_or_404(plugins(request.user).select_related("owner", "organisation"), pk=pk)


def may_edit_plugin(request: HttpRequest, plugin: Plugin) -> bool:
    return Plugin.objects.editable_by(signed_in_user(request)).contains(plugin)


def render_pane(
    request: SignedInRequest, plugin: Plugin, slug: str, template: str, context: dict[str, Any] | None = None
) -> HttpResponse:
    """A pane inside the plugin's page. `template` extends `builder/plugin_page.html` and fills its block `pane`."""
    return TemplateResponse(request, template, {**plugin_page_context(request, plugin, slug), **(context or {})})


def plugin_page_context(request: HttpRequest, plugin: Plugin, slug: str) -> dict[str, Any]:
    """What every part of a plugin's page shows around itself."""
    golden, counted = _gate_verdict(plugin), counts_by_plugin([plugin])[plugin.pk]
    parts = readiness(plugin, golden=golden, counts=counted)
    counts = {part.slug: part.count for part in parts}
    reasons = publish_blockers(plugin, golden=golden, counts=counted)
    return {
        **admin.site.each_context(request),
        "title": f"{plugin.name}: {PANES[slug]}",
        "opts": Plugin._meta,
        "original": plugin,
        "plugin": plugin,
        "crumbs": _pane_breadcrumbs(plugin, slug),
        "pane": slug,
        **_permission_and_publishing(request, plugin),
        "readiness": parts,
        "tabs": [
            {
                "title": title,
                "url": reverse_pane(plugin, name),
                "count": counts.get(name),
                "is_current": name == slug,
            }
            for name, title in PANES.items()
        ],
        "next_version": next_version(plugin),
        "unchanged_since": latest_if_unchanged(plugin),
        "blocking_reasons": reasons,
        "has_documents": bool(counted.answering),
        "blocking_reason": _blocking_reason(parts, reasons),
        "next_step": _next_step(parts, reasons),
        "update_available": update_offers([plugin.pk]).get(plugin.pk),
        "is_fullwidth": "1",
    }


def _permission_and_publishing(request: HttpRequest, plugin: Plugin) -> dict[str, bool]:
    """Whether this person may change the plugin, and whether it is being published, in one statement."""
    editable = Plugin.objects.editable_by(signed_in_user(request)).filter(pk=OuterRef("pk"))
    active = PublishingRun.objects.active().filter(plugin=OuterRef("pk"))
    rows = Plugin.objects.filter(pk=plugin.pk).annotate(may_change=Exists(editable), is_publishing=Exists(active))
    may_change, is_publishing = rows.values_list("may_change", "is_publishing").first() or (False, False)
    return {"may_change": may_change, "is_publishing": is_publishing}


def _pane_breadcrumbs(plugin: Plugin, slug: str) -> list[Breadcrumb]:
    above = [Breadcrumb(title="Plugins", url=reverse("admin:plugins_plugin_changelist"))]
    if slug == "persona":
        return [*above, Breadcrumb(title=plugin.name)]
    return [
        *above,
        Breadcrumb(title=plugin.name, url=reverse_pane(plugin, "persona")),
        Breadcrumb(title=PANES[slug]),
    ]


def _gate_verdict(plugin: Plugin) -> GateResult:
    """Only a gate that blocks is worth looking at the runs on every page."""
    if plugin.golden_gate == GoldenGate.BLOCK:
        return gate_result(plugin, has_worker=True)
    return GateResult(policy=GoldenGate(plugin.golden_gate), share=plugin.golden_share, questions=0)


_NEXT_STEPS = {"persona": "Say who answers", "knowledge": "Add documents", "trees": "Correct the trees"}


def _next_step(parts: list[ReadinessPart], reasons: list[str]) -> ReadinessPart | None:
    """The first part that a release waits for, by what is to be done there; None where nothing of that kind is."""
    waiting = [part for part in parts if part.status == ReadinessStatus.BLOCKS and part.slug in _NEXT_STEPS]
    if not reasons or not waiting:
        return None
    is_begun = waiting[0].slug == "knowledge" and waiting[0].count
    return replace(waiting[0], title="See the documents" if is_begun else _NEXT_STEPS[waiting[0].slug])


def _blocking_reason(parts: list[ReadinessPart], reasons: list[str]) -> str:
    if not reasons:
        return ""
    blocking = [part.title.lower() for part in parts if part.status == ReadinessStatus.BLOCKS]
    return f"{' and '.join(blocking)} first" if blocking else reasons[0]
