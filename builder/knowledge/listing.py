"""The list of documents: searched, filtered, in pages, and alive while something is being read."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.core.paginator import Paginator
from django.db.models import Case, Count, IntegerField, Q, Value, When
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from builder.knowledge.attaching import offered
from builder.knowledge.forms import AddressesForm, TextForm
from builder.knowledge.rows import rows_of
from builder.knowledge.scope import readable_bases
from builder.knowledge.syncing import problems_of, sources_of
from builder.panes import hub, may_change, render
from builder.readiness import url_of
from knowledge.forms import TYPES
from knowledge.models import Document, DocumentQuerySet, DocumentStatus, KnowledgeBase
from plugins.models import Plugin

PER_PAGE = 25
LONGEST_SEARCH = 200
_DONE = (DocumentStatus.READY, DocumentStatus.FAILED)
STATES: dict[str, tuple[str, Q]] = {
    "working": ("Still working", ~Q(status__in=_DONE)),
    "failed": ("Failed", Q(status=DocumentStatus.FAILED)),
    "ready": ("Ready", Q(status=DocumentStatus.READY)),
}


def show(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    return pane(request, plugin)


def part(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """The list alone, for a page that is open already."""
    response = TemplateResponse(request, "builder/knowledge/_list.html", _alone(request, plugin))
    if "poll" not in request.GET:
        response["HX-Replace-Url"] = f"{url_of(plugin, 'knowledge')}{_asked(request)}"
    return response


def pane(request: HttpRequest, plugin: Plugin, **forms: Any) -> HttpResponse:
    """The whole pane; `forms` stand in for the empty ones when something in them was wrong."""
    context = {
        "text_form": TextForm(auto_id="text_%s"),
        "addresses_form": AddressesForm(auto_id="url_%s"),
        "most_bytes": settings.LEXIC_MAX_DOCUMENT_BYTES,
        "most_megabytes": settings.LEXIC_MAX_DOCUMENT_BYTES // (1024 * 1024),
        "types": TYPES,
        "offered": offered(request, plugin),
        "sources": (sources := sources_of(plugin)),
        "source_problems": problems_of(plugin) if sources else [],
        **listed(request, plugin),
        **forms,
    }
    return render(request, plugin, "knowledge", "builder/knowledge/pane.html", context)


def listed(request: HttpRequest, plugin: Plugin) -> dict[str, Any]:
    """What the list shows. The number of statements does not depend on the number of documents."""
    bases = list(KnowledgeBase.objects.of_plugin(plugin))
    own = next((base.pk for base in bases if base.plugin_id == plugin.pk), None)
    readable = readable_bases(request)
    everything = Document.objects.present().filter(knowledge_base__in=[base.pk for base in bases])
    words, state = _words(request), request.GET.get("state", "")
    chosen = everything.called(words) if words else everything
    counts = _counts(chosen)
    if state in STATES:
        chosen = chosen.filter(STATES[state][1])
    page = Paginator(_in_order(chosen), PER_PAGE).get_page(request.GET.get("page"))
    return {
        "rows": rows_of(list(page), own_base=own, readable=readable),
        "page": page,
        "q": words,
        "state": state if state in STATES else "",
        "states": [(name, title, counts[name]) for name, (title, _) in STATES.items()],
        "total": counts["total"],
        "working": counts["working"],
        "standing_key": "-".join(str(count) for count in counts.values()),
        "is_filtered": bool(words or state in STATES),
        "attached": [(base, base.pk in readable) for base in bases if base.pk != own],
        "query": urlencode({"q": words, "state": state if state in STATES else ""}),
    }


def _alone(request: HttpRequest, plugin: Plugin) -> dict[str, Any]:
    context = {"plugin": plugin, "may_change": may_change(request, plugin), **listed(request, plugin)}
    if request.GET.get("was") != context["standing_key"]:
        # Something came in or is done: the strip above the list is brought up to date as well.
        context = {**hub(request, plugin, "knowledge"), **context}
    return {**context, "is_news": True}


def _words(request: HttpRequest) -> str:
    # PostgreSQL knows no NUL.
    return " ".join(request.GET.get("q", "").replace("\x00", " ").split())[:LONGEST_SEARCH]


def _counts(documents: DocumentQuerySet) -> dict[str, int]:
    of_state = {name: Count("pk", filter=condition) for name, (_, condition) in STATES.items()}
    return documents.aggregate(total=Count("pk"), **of_state)


def _in_order(documents: DocumentQuerySet) -> DocumentQuerySet:
    """What moves first, then what waits, then what needs a person, then the rest; each by title."""
    last = [DocumentStatus.QUEUED, DocumentStatus.FAILED, DocumentStatus.READY]
    ranks = [When(status=status, then=Value(rank)) for rank, status in enumerate(last, start=1)]
    rank = Case(*ranks, default=Value(0), output_field=IntegerField())
    return documents.select_related("knowledge_base").order_by(rank, "title", "pk")


def _asked(request: HttpRequest) -> str:
    kept = {name: request.GET[name] for name in ("q", "state", "page") if request.GET.get(name)}
    return f"?{urlencode(kept)}" if kept else ""
