"""The trees of a plugin in the order in which they are tried, and what can be done with a whole tree."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from pathlib import PurePath
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, JsonResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.text import slugify

from accounts.models import User
from builder.panes import render
from builder.trees.usage import Usage, usage
from builder.trees.wire import read_json
from lexic.api_errors import TooLarge
from lexic.errors import LexicError
from plugins.models import Plugin
from trees.cases import read_cases, run
from trees.draft import MAX_BYTES, MAX_NAME, as_draft, create, read_draft
from trees.fields import fields_of
from trees.files import from_file, to_file
from trees.models import DecisionTree
from trees.order import move
from trees.problems import problems
from trees.reading_order import in_reading_order
from trees.schema import read
from trees.starter import SMALL, STARTER

PAGE = 25
DAYS = 30
MOST_FACTS = 4
_STARTS = {"small": SMALL, "example": STARTER}


@dataclass(frozen=True, kw_only=True)
class Row:
    """A tree as the list shows it. `usage` is None where walks cannot be told from those of another tree."""

    tree: DecisionTree
    decides: str
    errors: int
    warnings: int
    cases: int
    cases_passed: int
    usage: Usage | None


def show(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    trees = plugin.trees.prefetch_related("cases")
    page = Paginator(trees, PAGE).get_page(request.GET.get("page"))
    counted = usage(plugin, list(page), since=timezone.now() - timedelta(days=DAYS))
    rows = [_row(tree, counted.get(tree.pk)) for tree in page]
    context = {"rows": rows, "page": page, "days": DAYS, "max_name": MAX_NAME}
    return render(request, plugin, "trees", "builder/trees/list.html", context)


def _row(tree: DecisionTree, counted: Usage | None) -> Row:
    found = problems(tree.tree_data)
    errors = sum(problem.is_error for problem in found)
    reading = read(in_reading_order(tree.tree_data)).tree
    results = run(reading, read_cases([case.as_dict() for case in tree.cases.all()]))
    names = [name for name in fields_of(reading) if name]
    return Row(
        tree=tree,
        decides=tree.description or _from_facts(names),
        errors=errors,
        warnings=len(found) - errors,
        cases=len(results),
        cases_passed=sum(result.passed for result in results),
        usage=counted,
    )


def _from_facts(names: list[str]) -> str:
    more = f" and {len(names) - MOST_FACTS} more" if len(names) > MOST_FACTS else ""
    return f"from {', '.join(names[:MOST_FACTS])}{more}" if names else ""


def tree_or_404(plugin: Plugin, pk: UUID) -> DecisionTree:
    tree = plugin.trees.filter(pk=pk).select_related("changed_by").first()
    if tree is None:
        raise Http404("This plugin has no such tree.")
    return tree


def editor_url(tree: DecisionTree) -> str:
    return reverse("admin:builder_tree", args=[tree.plugin_id, tree.pk])


def _list_url(plugin: Plugin) -> str:
    return reverse("admin:builder_trees", args=[plugin.pk])


def new(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """A tree from one of the starters; straight to its editor."""
    start = _STARTS.get(request.POST.get("start", ""), SMALL)
    return _created(request, plugin, {"name": request.POST.get("name", ""), "tree": start})


def bring_in(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    """A tree from a JSON file."""
    file = request.FILES.get("file")
    if file is None:
        messages.error(request, "No file was chosen. Choose a tree that was exported as JSON.")
        return HttpResponseRedirect(_list_url(plugin))
    try:
        if (file.size or 0) > MAX_BYTES:
            raise TooLarge(f"{file.name} is larger than 2 MB.", hint="Split it into several trees.")
        draft = from_file(read_json(file.read()), name=PurePath(file.name or "").stem[:MAX_NAME])
        tree = create(draft, plugin=plugin, by=_user(request))
    except LexicError as error:
        messages.error(request, f"{file.name} was not imported. {error.message} {error.hint}".strip())
        return HttpResponseRedirect(_list_url(plugin))
    return HttpResponseRedirect(editor_url(tree))


def _created(
    request: HttpRequest, plugin: Plugin, data: dict[str, Any], *, is_active: bool = True
) -> HttpResponseRedirect:
    try:
        tree = create(read_draft(data), plugin=plugin, by=_user(request), is_active=is_active)
    except LexicError as error:
        messages.error(request, f"{error.message} {error.hint}".strip())
        return HttpResponseRedirect(_list_url(plugin))
    return HttpResponseRedirect(editor_url(tree))


def duplicate(request: HttpRequest, plugin: Plugin, tree: UUID) -> HttpResponse:
    """A copy that is not in use: two trees that decide the same would compete."""
    data = as_draft(tree_or_404(plugin, tree))
    data["name"] = f"{data['name'][: MAX_NAME - 7]} (copy)"
    return _created(request, plugin, data, is_active=False)


def export(request: HttpRequest, plugin: Plugin, tree: UUID) -> HttpResponse:
    """The tree as it was saved, in a file that can be imported again."""
    one = tree_or_404(plugin, tree)
    response = JsonResponse(to_file(one), json_dumps_params={"indent": 2, "ensure_ascii": False})
    response["Content-Disposition"] = f'attachment; filename="{slugify(one.name) or "tree"}.json"'
    return response


def move_one(request: HttpRequest, plugin: Plugin, tree: UUID) -> HttpResponse:
    move(tree_or_404(plugin, tree), by=-1 if request.POST.get("to") == "up" else 1)
    return HttpResponseRedirect(_list_url(plugin))


def use(request: HttpRequest, plugin: Plugin, tree: UUID) -> HttpResponse:
    """Take the tree into use, or out of it."""
    one = tree_or_404(plugin, tree)
    # Not a change of what the tree says: an editor that is open elsewhere can still save.
    DecisionTree.objects.filter(pk=one.pk).update(is_active=request.POST.get("use") == "yes")
    return HttpResponseRedirect(_list_url(plugin))


def delete(request: HttpRequest, plugin: Plugin, tree: UUID) -> HttpResponse:
    """What goes with it, and the button."""
    one = tree_or_404(plugin, tree)
    if request.method == "POST":
        one.delete()
        messages.success(request, f"“{one.name}” is deleted. Releases that contain it keep it.")
        return HttpResponseRedirect(_list_url(plugin))
    return render(request, plugin, "trees", "builder/trees/delete.html", {"tree": one})


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)
    return request.user
