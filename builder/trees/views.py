"""The trees of a plugin in the order in which they are tried, and what can be done with a whole tree."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import PurePath
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse, HttpResponseRedirect, JsonResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.text import slugify

from accounts.signed_in_request import SignedInRequest
from builder.history import errors_as_messages, log_and_report, log_plugin_change
from builder.panes import render_pane
from builder.trees.json_requests import parse_json
from builder.trees.tree_usage import TreeUsage, tree_usage
from lexic.http.error_handlers import PayloadTooLarge
from lexic.http.parameters import get_page
from plugins.models import Plugin
from trees.definition.fields import collect_fields
from trees.definition.key_order import order_tree_keys
from trees.definition.nodes import Tree
from trees.definition.parser import parse_with_problems
from trees.definition.starter_trees import EXAMPLE_TREE, MINIMAL_TREE
from trees.drafts import MAX_TREE_BYTES, MAX_TREE_NAME_LENGTH, create_tree, export_draft, parse_draft
from trees.import_export import export_tree, parse_tree_file
from trees.models import DecisionTree
from trees.tree_order import move_tree
from trees.tree_test_cases import parse_cases, run_cases
from trees.validation.tree_problems import find_problems

PER_PAGE = 25
USAGE_DAYS = 30
MAX_FACTS_NAMED = 4
_STARTER_TREES = {"small": MINIMAL_TREE, "example": EXAMPLE_TREE}
# As long as nobody has written their own, a tree asks nothing.
_STARTER_QUESTIONS = {node["question"]["text"] for node in MINIMAL_TREE["nodes"].values() if "question" in node}


@dataclass(frozen=True, kw_only=True)
class TreeRow:
    """A tree as the list shows it. `usage` is None where walks cannot be told from those of another tree."""

    tree: DecisionTree
    summary: str
    errors: int
    warnings: int
    cases: int
    cases_passed: int
    usage: TreeUsage | None


def show_trees(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    trees = plugin.trees.prefetch_related("cases")
    page = get_page(request, trees, per_page=PER_PAGE)
    counted = tree_usage(plugin, list(page), since=timezone.now() - timedelta(days=USAGE_DAYS))
    rows = [_tree_row(tree, counted.get(tree.pk)) for tree in page]
    context = {"rows": rows, "page": page, "days": USAGE_DAYS, "max_name": MAX_TREE_NAME_LENGTH}
    return render_pane(request, plugin, "trees", "builder/trees/list.html", context)


def _tree_row(tree: DecisionTree, counted: TreeUsage | None) -> TreeRow:
    found = find_problems(tree.tree_data)
    errors = sum(problem.is_error for problem in found)
    reading = parse_with_problems(order_tree_keys(tree.tree_data)).tree
    results = run_cases(reading, parse_cases([case.as_dict() for case in tree.cases.all()]))
    return TreeRow(
        tree=tree,
        summary=tree.description or _tree_summary(reading),
        errors=errors,
        warnings=len(found) - errors,
        cases=len(results),
        cases_passed=sum(result.passed for result in results),
        usage=counted,
    )


def _tree_summary(tree: Tree) -> str:
    """What a tree without a description asks, or else the facts that it reads; nothing of one not yet written."""
    asked = [one.question.text or one.label for one in tree.questions]
    asked = [text for text in asked if text not in _STARTER_QUESTIONS]
    if asked:
        return f"Asks “{asked[0]}”{_more(len(asked) - 1)}"
    names = [field.name.replace("_", " ") for field in collect_fields(tree).values() if field.name and field.named]
    return f"By {', '.join(names[:MAX_FACTS_NAMED])}{_more(len(names) - MAX_FACTS_NAMED)}" if names else ""


def _more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""


def tree_or_404(plugin: Plugin, pk: UUID) -> DecisionTree:
    return get_object_or_404(plugin.trees.select_related("changed_by"), pk=pk)


def _to_editor(tree: DecisionTree) -> HttpResponseRedirect:
    return redirect("admin:builder_tree", tree.plugin_id, tree.pk)


def _to_list(plugin: Plugin) -> HttpResponseRedirect:
    return redirect("admin:builder_trees", plugin.pk)


def create_tree_view(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """A tree from one of the starters; straight to its editor. It is not in use, for its texts are samples."""
    start = _STARTER_TREES.get(request.POST.get("start", ""), MINIMAL_TREE)
    return _create_and_redirect(request, plugin, {"name": request.POST.get("name", ""), "tree": start})


def import_tree(request: SignedInRequest, plugin: Plugin) -> HttpResponse:
    """A tree from a JSON file. Like every tree that begins in the builder it is not in use until somebody has looked at
    it."""
    file = request.FILES.get("file")
    if file is None:
        messages.error(request, "No file was chosen. Choose a tree that was exported as JSON.")
        return _to_list(plugin)
    with errors_as_messages(request, f"{file.name} was not imported."):
        if (file.size or 0) > MAX_TREE_BYTES:
            raise PayloadTooLarge(f"{file.name} is larger than 2 MB.", hint="Split it into several trees.")
        draft = parse_tree_file(parse_json(file.read()), name=PurePath(file.name or "").stem[:MAX_TREE_NAME_LENGTH])
        tree = create_tree(draft, plugin=plugin, by=request.user, is_active=False)
        log_plugin_change(request, plugin, f"Imported the tree “{tree.name}”.")
        return _to_editor(tree)
    return _to_list(plugin)


def _create_and_redirect(request: SignedInRequest, plugin: Plugin, data: dict[str, Any]) -> HttpResponseRedirect:
    with errors_as_messages(request):
        tree = create_tree(parse_draft(data), plugin=plugin, by=request.user, is_active=False)
        log_plugin_change(request, plugin, f"Added the tree “{tree.name}”.")
        return _to_editor(tree)
    return _to_list(plugin)


def duplicate_tree(request: SignedInRequest, plugin: Plugin, tree: UUID) -> HttpResponse:
    """A copy that is not in use: two trees that decide the same would compete."""
    data = export_draft(tree_or_404(plugin, tree))
    data["name"] = f"{data['name'][: MAX_TREE_NAME_LENGTH - 7]} (copy)"
    return _create_and_redirect(request, plugin, data)


def export_tree_view(request: SignedInRequest, plugin: Plugin, tree: UUID) -> HttpResponse:
    """The tree as it was saved, in a file that can be imported again."""
    one = tree_or_404(plugin, tree)
    response = JsonResponse(export_tree(one), json_dumps_params={"indent": 2, "ensure_ascii": False})
    response["Content-Disposition"] = f'attachment; filename="{slugify(one.name) or "tree"}.json"'
    return response


def move_tree_view(request: SignedInRequest, plugin: Plugin, tree: UUID) -> HttpResponse:
    one, is_up = tree_or_404(plugin, tree), request.POST.get("to") == "up"
    move_tree(one, by=-1 if is_up else 1)
    log_plugin_change(request, plugin, f"Moved the tree “{one.name}” {'up' if is_up else 'down'}.")
    return _to_list(plugin)


def set_tree_active(request: SignedInRequest, plugin: Plugin, tree: UUID) -> HttpResponse:
    """Take the tree into use, or out of it."""
    one = tree_or_404(plugin, tree)
    # Not a change of what the tree says: an editor that is open elsewhere can still save.
    is_active = request.POST.get("use") == "yes"
    DecisionTree.objects.filter(pk=one.pk).update(is_active=is_active)
    log_plugin_change(request, plugin, f"Took the tree “{one.name}” {'into' if is_active else 'out of'} use.")
    return _to_editor(one) if request.POST.get("from") == "editor" else _to_list(plugin)


def delete_tree(request: SignedInRequest, plugin: Plugin, tree: UUID) -> HttpResponse:
    """What goes with it, and the button."""
    one = tree_or_404(plugin, tree)
    if request.method == "POST":
        with errors_as_messages(request):
            plugin.check_deletable()
            one.delete()
            log_and_report(request, plugin, f"“{one.name}” is deleted. Releases keep the tree.")
        return _to_list(plugin)
    return render_pane(request, plugin, "trees", "builder/trees/delete.html", {"tree": one})
