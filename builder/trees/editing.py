"""The editor of one tree: its page, and what the page asks the server."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.urls import reverse

from accounts.models import User
from builder.panes import may_change, render
from builder.trees.hints import look_up
from builder.trees.listing import tree_or_404
from builder.trees.shapes import checked, walked
from builder.trees.wire import answers_json, body, read_json
from lexic.errors import InvalidInput
from plugins.models import Plugin
from trees.cases import MAX_FACTS, MAX_SENTENCE, read_cases, walk_by
from trees.draft import ChangedMeanwhile, as_draft, read_draft, save
from trees.models import DecisionTree
from trees.schema import read, unusable

_URLS = {"check": "builder_tree_check", "walk": "builder_tree_walk", "save": "builder_tree"}


def page(request: HttpRequest, plugin: Plugin, tree: UUID) -> HttpResponse:
    """GET: the page. PUT: save what was sent."""
    one = tree_or_404(plugin, tree)
    if request.method == "PUT":
        return put(request, one)
    if request.method not in ("GET", "HEAD"):
        return HttpResponseNotAllowed(["GET", "PUT"])
    draft = as_draft(one)
    urls = {name: reverse(f"admin:{view}", args=[plugin.pk, one.pk]) for name, view in _URLS.items()}
    data = {
        **_told(one),
        "checked": checked(one.tree_data, read_cases(draft["cases"])),
        "urls": urls,
        "mayChange": may_change(request, plugin),
    }
    return render(request, plugin, "trees", "builder/trees/editor.html", {"tree": one, "data": data})


def _told(tree: DecisionTree) -> dict[str, Any]:
    return {"draft": as_draft(tree), "version": tree.version, "savedAt": f"{tree.updated_at:%H:%M}"}


@answers_json
def put(request: HttpRequest, tree: DecisionTree) -> HttpResponse:
    """Save against the version in If-Match. 412 brings what is there now, so that nobody's work is lost."""
    assert isinstance(request.user, User)
    draft = read_draft(body(request))
    version = request.headers.get("If-Match", "").strip('"')
    try:
        saved = save(draft, tree=tree, version=version, by=request.user)
    except ChangedMeanwhile as error:
        return JsonResponse({**error.as_dict(), "current": _told(error.current)}, status=error.status)
    return JsonResponse({**_told(saved), "checked": checked(saved.tree_data, draft.cases)})


@answers_json
def check(request: HttpRequest, plugin: Plugin, tree: UUID) -> HttpResponse:
    """What is wrong with a tree that is not saved yet. `text` may stand for `tree`, to be read as JSON first."""
    tree_or_404(plugin, tree)
    data = body(request)
    tree_data = read_json(data["text"]) if isinstance(data.get("text"), str) else data.get("tree")
    if problem := unusable({"cases": data.get("cases", [])}):
        raise InvalidInput(problem.message)
    answer = checked(tree_data, read_cases(data.get("cases", [])))
    return JsonResponse({**answer, **({"tree": tree_data} if "text" in data else {})})


@answers_json
def walk(request: HttpRequest, plugin: Plugin, tree: UUID) -> HttpResponse:
    """Walk by a sentence and facts: by POST the tree that was sent, by GET the one that was saved."""
    one = tree_or_404(plugin, tree)
    if request.method == "POST":
        data = body(request)
        tree_data = data.get("tree")
    elif request.method in ("GET", "HEAD"):
        data = {"sentence": request.GET.get("sentence", ""), "facts": read_json(request.GET.get("facts", "{}"))}
        tree_data = one.tree_data
    else:
        return HttpResponseNotAllowed(["GET", "POST"])
    reading = read(tree_data).tree
    found = walk_by(reading, sentence=_sentence(data.get("sentence", "")), facts=_facts(data.get("facts", {})))
    hint = look_up(plugin, hint=found.action.source_hint) if found.action else None
    return JsonResponse({**walked(reading, found), "hint": hint})


def _sentence(value: object) -> str:
    if not isinstance(value, str) or len(value) > MAX_SENTENCE:
        raise InvalidInput(f"The sentence is a text of at most {MAX_SENTENCE} characters.")
    return value.replace("\0", "")


def _facts(value: object) -> dict[str, Any]:
    if not isinstance(value, dict) or len(value) > MAX_FACTS:
        raise InvalidInput(f"The facts are an object of at most {MAX_FACTS}.")
    return value
