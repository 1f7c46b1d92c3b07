"""Writing golden questions down, changing and deleting them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse

from builder.panes import render_pane
from builder.readiness import reverse_pane
from evaluation.admin.golden_questions import GoldenQuestionForm
from knowledge.models import Document
from plugins.models import Plugin
from querying.models import GoldenQuestion

# So many titles and nodes are offered while one types.
_MAX_SUGGESTIONS = 200


class PluginGoldenQuestionForm(GoldenQuestionForm):
    """The golden question of one plugin."""

    class Meta(GoldenQuestionForm.Meta):
        fields: ClassVar[tuple[str, ...]] = ("question", "expectation", "must_reach", "is_public")

    def __init__(self, data: Any = None, *, plugin: Plugin, instance: GoldenQuestion | None = None) -> None:
        self._plugin = plugin
        super().__init__(data, instance=instance or GoldenQuestion(plugin=plugin))
        self.order_fields(
            ["question", "expectation", "places", "phrases", "must_reach", "facts_in_lines", "is_public"]
        )
        self.fields["expectation"].label = "The plugin"
        self.fields["must_reach"].widget.attrs["list"] = "nodes"
        for name, field in self.fields.items():
            look = {} if name == "is_public" else {"class": "input"}
            attrs = look | {"aria-describedby": f"id_{name}_helptext"}
            field.widget.attrs |= attrs | ({"aria-invalid": "true"} if name in self.errors else {})

    def plugin_of(self, said: dict[str, Any]) -> Plugin:
        return self._plugin


def add_question(request: HttpRequest, plugin: Plugin) -> HttpResponse:
    form = PluginGoldenQuestionForm(request.POST if request.method == "POST" else None, plugin=plugin)
    if form.is_valid():
        form.save()
        messages.success(request, "Kept. It is asked with the others when they are run.")
        is_another = "_another" in request.POST
        return HttpResponseRedirect(
            reverse("admin:builder_golden_add", args=[plugin.pk]) if is_another else reverse_pane(plugin, "golden")
        )
    return _render_form(request, plugin, form)


def change_question(request: HttpRequest, plugin: Plugin, golden: int) -> HttpResponse:
    question = _question_or_404(plugin, golden)
    form = PluginGoldenQuestionForm(
        request.POST if request.method == "POST" else None, plugin=plugin, instance=question
    )
    if form.is_valid():
        form.save()
        note = " Its last result no longer counts." if GoldenQuestion.changes_question(form.changed_data) else ""
        messages.success(request, f"Saved.{note}")
        return HttpResponseRedirect(reverse_pane(plugin, "golden"))
    return _render_form(request, plugin, form)


def delete_question(request: HttpRequest, plugin: Plugin, golden: int) -> HttpResponse:
    question = _question_or_404(plugin, golden)
    if request.method != "POST":
        return render_pane(request, plugin, "golden", "builder/golden/delete.html", {"golden": question})
    question.delete()
    messages.success(request, "The golden question is deleted. Runs that asked it keep what came out.")
    return HttpResponseRedirect(reverse_pane(plugin, "golden"))


def _render_form(request: HttpRequest, plugin: Plugin, form: PluginGoldenQuestionForm) -> HttpResponse:
    known = GoldenQuestion.objects.filter(pk=form.instance.pk).first() if form.instance.pk else None
    context = {
        "form": form,
        "golden": known,
        "titles": _document_titles(plugin),
        "nodes": list(_action_nodes(plugin))[:_MAX_SUGGESTIONS],
    }
    shown = render_pane(request, plugin, "golden", "builder/golden/form.html", context)
    shown.status_code = 422 if form.errors else 200
    return shown


def _document_titles(plugin: Plugin) -> list[str]:
    return list(
        Document.objects.of_plugin(plugin).order_by("title").values_list("title", flat=True)[:_MAX_SUGGESTIONS]
    )


def _action_nodes(plugin: Plugin) -> Iterator[tuple[str, str]]:
    """The ends that the trees can reach, each with its words."""
    for tree in plugin.trees.active():
        nodes = tree.tree_data.get("nodes") if isinstance(tree.tree_data, dict) else None
        for pk, node in (nodes or {}).items() if isinstance(nodes, dict) else ():
            if isinstance(node, dict) and node.get("type") == "action":
                yield str(pk), str(node.get("label") or pk)


def _question_or_404(plugin: Plugin, pk: int) -> GoldenQuestion:
    """One of this plugin's. Raises Http404."""
    # PostgreSQL would not take a greater one, and there is none.
    question = plugin.golden_questions.filter(pk=pk).first() if pk < 2**63 else None
    if question is None:
        raise Http404("There is no such golden question among those of this plugin.")
    return question
