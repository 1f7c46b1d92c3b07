from __future__ import annotations

import json
from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest

from plugins.models import Plugin
from trees.models import DecisionTree
from trees.problems import problems
from trees.validation import sentence, validate_tree

MOST_WARNINGS = 10


class TreeField(forms.JSONField):
    """JSON in a text box, indented, refused with every problem it has."""

    widget = forms.Textarea(attrs={"rows": 32, "cols": 110, "spellcheck": "false", "class": "vLargeTextField"})

    def to_python(self, value: Any) -> Any:
        try:
            return super().to_python(value)
        except (RecursionError, ValueError) as error:  # nested without end, or a number without end
            raise ValidationError("The tree is too large to be read.", code="too_large") from error

    def bound_data(self, data: Any, initial: Any) -> Any:
        return data  # as it was typed, so that nothing is lost when it is shown again

    def prepare_value(self, value: Any) -> Any:
        return value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False)

    def validate(self, value: Any) -> None:
        super().validate(value)
        validate_tree(value)


class DecisionTreeForm(forms.ModelForm):
    tree_data = TreeField(
        label="tree",
        help_text="“rootNodeId” and “nodes”: conditions, questions and actions. It is checked when you save.",
    )

    class Meta:
        model = DecisionTree
        fields = ("plugin", "name", "description", "is_active", "order", "tree_data")


@admin.register(DecisionTree)
class DecisionTreeAdmin(admin.ModelAdmin):
    form = DecisionTreeForm
    list_display = ("name", "plugin", "is_active", "order", "node_count", "problem_count", "updated_at")
    list_filter = ("is_active", ("plugin", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("plugin",)
    list_per_page = 50
    search_fields = ("name", "description", "plugin__name", "plugin__slug")
    readonly_fields: ClassVar[tuple[str, ...]] = ("created_at", "updated_at")
    fieldsets = (
        (None, {"fields": ("plugin", "name", "description")}),
        ("Walking", {"fields": ("is_active", "order")}),
        ("Tree", {"fields": ("tree_data",)}),
        ("Dates", {"fields": ("created_at", "updated_at"), "classes": ("collapse",)}),
    )

    @admin.display(description="nodes")
    def node_count(self, tree: DecisionTree) -> int:
        nodes = tree.tree_data.get("nodes") if isinstance(tree.tree_data, dict) else None
        return len(nodes) if isinstance(nodes, dict) else 0

    @admin.display(description="problems")
    def problem_count(self, tree: DecisionTree) -> str:
        found = problems(tree.tree_data)
        serious = sum(problem.is_error for problem in found)
        return f"{serious} errors, {len(found) - serious} warnings" if found else "none"

    def get_queryset(self, request: HttpRequest) -> QuerySet[DecisionTree]:
        visible = DecisionTree.objects.visible_to(request.user)  # type: ignore[arg-type]  # staff have signed in
        return visible.order_by(*self.get_ordering(request)) if self.get_ordering(request) else visible

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "plugin":
            kwargs["queryset"] = Plugin.objects.editable_by(request.user)  # type: ignore[arg-type]
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: DecisionTree, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        found = [problem for problem in problems(obj.tree_data) if not problem.is_error]
        for problem in found[:MOST_WARNINGS]:
            self.message_user(request, sentence(problem), level=messages.WARNING)
        if len(found) > MOST_WARNINGS:
            self.message_user(request, f"{len(found) - MOST_WARNINGS} more warnings.", level=messages.WARNING)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return _is_staff(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return _is_staff(request)

    def has_view_permission(self, request: HttpRequest, obj: DecisionTree | None = None) -> bool:
        return _is_staff(request) and (obj is None or self.get_queryset(request).filter(pk=obj.pk).exists())

    def has_change_permission(self, request: HttpRequest, obj: DecisionTree | None = None) -> bool:
        return self.has_view_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: DecisionTree | None = None) -> bool:
        return self.has_view_permission(request, obj)


def _is_staff(request: HttpRequest) -> bool:
    return bool(request.user.is_active and request.user.is_staff)
