"""The operators' list of decision trees. They are edited in the builder, where the rows lead."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.urls import reverse

from lexic.scoped_admin import ReadOnlyAdmin, column
from trees.models import DecisionTree
from trees.validation.tree_problems import find_problems


@admin.register(DecisionTree)
class DecisionTreeAdmin(ReadOnlyAdmin):
    list_display = (
        "name",
        "plugin",
        column("is_active", "in use", is_tick=True),
        "order",
        "node_count",
        "problem_count",
        column("updated_at", "changed"),
    )
    list_filter = ("is_active", ("plugin", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("plugin",)
    search_fields = ("name", "description", "plugin__name", "plugin__slug")

    def builder_url(self, obj: Any) -> str:
        return reverse("admin:builder_tree", args=[obj.plugin_id, obj.pk])

    @admin.display(description="nodes")
    def node_count(self, tree: DecisionTree) -> int:
        return tree.node_count

    @admin.display(description="problems")
    def problem_count(self, tree: DecisionTree) -> str:
        found = find_problems(tree.tree_data)
        errors = sum(problem.is_error for problem in found)
        return f"{errors} errors, {len(found) - errors} warnings" if found else "none"
