"""Pages for people: the one that a citation opens, and the one where an author asks a plugin by hand."""

from __future__ import annotations

from datetime import date
from typing import Any

from asgiref.sync import async_to_sync
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET, require_http_methods

from accounts.models import User
from knowledge.filters import Filters
from knowledge.models import KnowledgeBase, Page
from plugins.models import Plugin
from querying import pipeline, reading, releases
from querying.forms import AskForm
from querying.models import Query
from querying.types import Asker, Clarification, Done, Failed, Options, Question


@require_GET
@login_required
def source(request: HttpRequest, page_id: int) -> HttpResponse:
    """The frozen text of a page with the cited span marked, for whoever may read its document."""
    assert isinstance(request.user, User)
    readable = KnowledgeBase.objects.visible_to(request.user)
    pages = Page.objects.filter(document__knowledge_base__in=readable).select_related("document")
    page = pages.filter(pk=page_id).first()
    if page is None:
        raise Http404("There is no such page, or you may not read it.")
    start, end = _offset(request, "start"), _offset(request, "end")
    parts = {
        "before": page.text[:start],
        "cited": page.text[start:end],
        "after": page.text[max(start, end) :],
    }
    return render(request, "querying/source.html", {"page": page, **parts})


@require_http_methods(["GET", "POST"])
@login_required
def ask(request: HttpRequest, slug: str) -> HttpResponse:
    """An author tries a plugin: the draft, or one of its releases. Agents use the API."""
    assert isinstance(request.user, User)
    mine = Plugin.objects.editable_by(request.user)
    plugin = get_object_or_404(mine, slug=slug)
    form = AskForm(request.POST if request.method == "POST" else None, plugin=plugin)
    result = _answered(form, plugin=plugin, user=request.user) if form.is_valid() else None
    return render(request, "querying/ask.html", {"plugin": plugin, "form": form, "result": result})


def _answered(form: AskForm, *, plugin: Plugin, user: User) -> dict[str, Any]:
    """Ask, and read the answer off its audit row: what is shown here is what was logged."""
    said = form.cleaned_data
    release = releases.resolve(f"{plugin.slug}@{said['version']}", principal=user)
    question = Question(
        text=said["question"],
        release=release,
        asker=Asker(name=f"user:{user.pk}", user_id=user.pk),
        facts=said["facts"],
        options=_options(said["as_of"]),
    )
    last = async_to_sync(pipeline.answer)(question)
    query = Query.objects.filter(pk=question.id).first()
    return {
        "query": query,
        "failed": last if isinstance(last, Failed) else None,
        "clarification": _clarification(last),
        "release": str(release),
        **(_readable(query) if query else {}),
    }


def _options(as_of: date | None) -> Options:
    return Options(filters=Filters(as_of=as_of) if as_of else None)


def _clarification(last: Done | Failed) -> Clarification | None:
    return last.answer.clarification if isinstance(last, Done) else None


def _readable(query: Query) -> dict[str, Any]:
    sources = reading.sources(query.citations)
    return {
        "pieces": list(reading.pieces(query.answer, count=len(sources))),
        "sources": sources,
        "steps": reading.steps(query.decision_path),
        "timings": query.timings.items(),
    }


def _offset(request: HttpRequest, name: str) -> int:
    value = request.GET.get(name, "0")
    return int(value) if value.isascii() and value.isdigit() and len(value) < 10 else 0
