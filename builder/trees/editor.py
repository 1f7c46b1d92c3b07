"""The editor of one tree: its page, and what the page asks the server."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from django.http import HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse

from accounts.signed_in_request import SignedInRequest
from builder.history import log_and_report, log_plugin_change
from builder.panes import may_edit_plugin, render_pane
from builder.trees.editor_json import checked_tree_json, selection_json, walk_json
from builder.trees.json_requests import json_errors, parse_json, read_body
from builder.trees.source_hints import find_hint_passage
from builder.trees.views import tree_or_404
from lexic.errors import InvalidInput, LexicError
from plugins.models import Plugin
from trees.definition.parser import find_storage_problem, parse_with_problems
from trees.drafts import TreeChanged, export_draft, parse_draft, save_draft
from trees.facts.fact_limits import MAX_FACTS
from trees.models import DecisionTree
from trees.tree_test_cases import MAX_SENTENCE_LENGTH, parse_cases, walk_by_sentence

_EDITOR_URLS = {
    "check": "builder_tree_check",
    "walk": "builder_tree_walk",
    "end": "builder_tree_end",
    "save": "builder_tree",
}


def edit_tree(request: SignedInRequest, plugin: Plugin, tree: UUID) -> HttpResponse:
    """GET: the page. PUT: save what was sent."""
    one = tree_or_404(plugin, tree)
    if request.method == "PUT":
        return save_tree(request, plugin, one)
    if request.method not in ("GET", "HEAD"):
        return HttpResponseNotAllowed(["GET", "PUT"])
    draft = export_draft(one)
    urls = {name: reverse(f"admin:{view}", args=[plugin.pk, one.pk]) for name, view in _EDITOR_URLS.items()}
    data = {
        **_saved_tree_json(one),
        "checked": checked_tree_json(one.tree_data, parse_cases(draft["cases"])),
        "urls": urls,
        "mayChange": may_edit_plugin(request, plugin),
    }
    return render_pane(request, plugin, "trees", "builder/trees/editor.html", {"tree": one, "data": data})


def edit_tree_as_text(request: SignedInRequest, plugin: Plugin, tree: UUID) -> HttpResponse:
    """Name, description, tree and test cases as JSON in a plain form, for those who have no script."""
    one, error = tree_or_404(plugin, tree), ""
    if request.method == "POST":
        text, version = request.POST.get("draft", ""), request.POST.get("version", "")
        try:
            saved = save_draft(parse_draft(parse_json(text)), tree=one, version=version, by=request.user)
        except LexicError as refused:
            error = f"Nothing was saved. {refused.message_with_hint}"
        else:
            log_and_report(request, plugin, f"Changed the tree “{saved.name}”.")
            return redirect(request.path)
    else:
        text, version = json.dumps(export_draft(one), indent=2, ensure_ascii=False), one.version
    context = {"tree": one, "text": text, "version": version, "error": error}
    return render_pane(request, plugin, "trees", "builder/trees/text.html", context)


def _saved_tree_json(tree: DecisionTree) -> dict[str, Any]:
    return {"draft": export_draft(tree), "version": tree.version, "savedAt": tree.updated_at.isoformat()}


@json_errors
def save_tree(request: SignedInRequest, plugin: Plugin, tree: DecisionTree) -> HttpResponse:
    """Saves the tree if its version is that of If-Match. Otherwise answers 412 with the stored tree, so that no work is
    lost."""
    draft = parse_draft(read_body(request))
    version = request.headers.get("If-Match", "").strip('"')
    try:
        saved = save_draft(draft, tree=tree, version=version, by=request.user)
    except TreeChanged as error:
        return JsonResponse({**error.as_dict(), "current": _saved_tree_json(error.current)}, status=error.status)
    log_plugin_change(request, plugin, f"Changed the tree “{saved.name}”.")
    return JsonResponse({**_saved_tree_json(saved), "checked": checked_tree_json(saved.tree_data, draft.cases)})


@json_errors
def check_tree(request: SignedInRequest, plugin: Plugin, tree: UUID) -> HttpResponse:
    """Lists the problems of a tree that is not saved yet. `text` may replace `tree`; it is parsed as JSON first."""
    tree_or_404(plugin, tree)
    data = read_body(request)
    is_text = isinstance(data.get("text"), str)
    tree_data = parse_json(data["text"]) if is_text else data.get("tree")
    if is_text and (problem := find_storage_problem(tree_data)):
        raise InvalidInput(problem.message)
    if problem := find_storage_problem({"cases": data.get("cases", [])}):
        raise InvalidInput(problem.message)
    answer = checked_tree_json(tree_data, parse_cases(data.get("cases", [])))
    return JsonResponse({**answer, **({"tree": tree_data} if "text" in data else {})})


@json_errors
def walk_tree(request: SignedInRequest, plugin: Plugin, tree: UUID) -> HttpResponse:
    """Walk by a sentence and facts: by POST the tree that was sent, by GET the one that was saved."""
    one = tree_or_404(plugin, tree)
    if request.method == "POST":
        data = read_body(request)
        tree_data = data.get("tree")
    elif request.method in ("GET", "HEAD"):
        data = {"sentence": request.GET.get("sentence", ""), "facts": parse_json(request.GET.get("facts", "{}"))}
        tree_data = one.tree_data
    else:
        return HttpResponseNotAllowed(["GET", "POST"])
    reading = parse_with_problems(tree_data).tree
    sentence = _read_sentence(data.get("sentence", ""))
    found = walk_by_sentence(reading, sentence=sentence, facts=_read_facts(data.get("facts", {})))
    hint = find_hint_passage(plugin, hint=found.action.source_hint) if found.action else None
    taken = selection_json(one.name, reading, description=one.description, sentence=sentence, walk=found)
    return JsonResponse({**walk_json(reading, found), "hint": hint, "selection": taken})


def _read_sentence(value: object) -> str:
    if not isinstance(value, str) or len(value) > MAX_SENTENCE_LENGTH:
        raise InvalidInput(f"The sentence is a text of at most {MAX_SENTENCE_LENGTH} characters.")
    return value.replace("\0", "")


def _read_facts(value: object) -> dict[str, Any]:
    if not isinstance(value, dict) or len(value) > MAX_FACTS:
        raise InvalidInput(f"The facts are an object of at most {MAX_FACTS}.")
    return value
