from __future__ import annotations

import json
from typing import Any, ClassVar

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.http import HttpRequest

from plugins.admin_display import key_value_table
from plugins.models import Plugin
from plugins.scoped_admin import ScopedAdmin
from trees.definition.fields import FactField, collect_fields
from trees.definition.key_order import order_tree_keys
from trees.definition.parser import parse_with_problems
from trees.definition.starter_trees import EXAMPLE_TREE
from trees.models import DecisionTree
from trees.validation.tree_problems import find_problems
from trees.validation.validators import problem_message, validate_tree

MAX_SHOWN_WARNINGS = 10


class TreeJSONField(forms.JSONField):
    """JSON in a text box, indented, refused with every problem it has."""

    widget = forms.Textarea(
        attrs={"rows": 32, "cols": 110, "spellcheck": "false", "class": "vLargeTextField lx-tree"}
    )

    def to_python(self, value: Any) -> Any:
        try:
            return super().to_python(value)
        except (RecursionError, ValueError) as error:  # nested without end, or a number without end
            raise ValidationError("The tree is too large to be read.", code="too_large") from error
        except ValidationError as error:
            raise ValidationError(_json_error_location(value), code="invalid") from error

    def bound_data(self, data: Any, initial: Any) -> Any:
        return data  # as it was typed, so that nothing is lost when it is shown again

    def prepare_value(self, value: Any) -> Any:
        return value if isinstance(value, str) else json.dumps(order_tree_keys(value), indent=2, ensure_ascii=False)

    def validate(self, value: Any) -> None:
        super().validate(value)
        validate_tree(value)


class DecisionTreeForm(forms.ModelForm):
    tree_data = TreeJSONField(
        label="tree",
        help_text="“rootNodeId” names the first node. A question asks for a fact and goes on by its answer, a "
        "condition compares a fact, an action is the end: what is recommended, and words that find its source. "
        "Everything that is wrong is named when you save.",
    )

    class Meta:
        model = DecisionTree
        fields = ("plugin", "name", "description", "is_active", "order", "tree_data")
        labels: ClassVar[dict[str, str]] = {"is_active": "in use"}
        help_texts: ClassVar[dict[str, str]] = {
            "name": "What it decides, in the words people ask in: questions find the tree by them.",
            "description": "When it applies, in the same words.",
            "is_active": "Only trees in use are asked, and only they have to be without errors to publish.",
            "order": "Between trees that suit a question equally well, the lower number is asked.",
        }
        widgets: ClassVar[dict[str, Any]] = {
            "description": forms.Textarea(attrs={"rows": 3, "class": "vLargeTextField"})
        }


@admin.register(DecisionTree)
class DecisionTreeAdmin(ScopedAdmin):
    form = DecisionTreeForm
    list_display = ("name", "plugin", "is_active", "order", "node_count", "problem_count", "updated_at")
    list_filter = ("is_active", ("plugin", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("plugin",)
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("name", "description", "plugin__name", "plugin__slug")
    readonly_fields: ClassVar[tuple[str, ...]] = ("named_problems", "facts", "created_at", "updated_at")
    fieldsets = (
        (None, {"fields": ("plugin", "name", "description", ("is_active", "order"))}),
        ("Tree", {"fields": ("tree_data",)}),
    )
    findings = (
        ("What it needs to know", {"fields": ("facts",)}),
        ("What is wrong with it", {"fields": ("named_problems",)}),
        ("Dates", {"fields": ("created_at", "updated_at"), "classes": ("collapse",)}),
    )

    def get_fieldsets(self, request: HttpRequest, obj: DecisionTree | None = None) -> Any:
        return (*self.fieldsets, *self.findings) if obj else self.fieldsets

    @admin.display(description="facts")
    def facts(self, tree: DecisionTree) -> str:
        """Names and values as a caller sends them. A tree that cannot be read has none."""
        reading = parse_with_problems(tree.tree_data)
        return key_value_table((fact.name, _fact_values(fact)) for fact in collect_fields(reading.tree).values())

    @admin.display(description="problems")
    def named_problems(self, tree: DecisionTree) -> str:
        found = find_problems(tree.tree_data)
        return (
            key_value_table((problem.severity, problem_message(problem)) for problem in found)
            if found
            else "nothing"
        )

    @admin.display(description="nodes")
    def node_count(self, tree: DecisionTree) -> int:
        return tree.node_count

    @admin.display(description="problems")
    def problem_count(self, tree: DecisionTree) -> str:
        found = find_problems(tree.tree_data)
        serious = sum(problem.is_error for problem in found)
        return f"{serious} errors, {len(found) - serious} warnings" if found else "none"

    def visible(self, request: HttpRequest) -> QuerySet[DecisionTree]:
        return DecisionTree.objects.visible_to(request.user)  # type: ignore[arg-type]  # staff have signed in

    def changeable(self, request: HttpRequest) -> QuerySet[DecisionTree]:
        return DecisionTree.objects.editable_by(request.user)  # type: ignore[arg-type]  # staff have signed in

    def choices_for(self, field_name: str, request: HttpRequest) -> QuerySet[Any] | None:
        return Plugin.objects.editable_by(request.user) if field_name == "plugin" else None  # type: ignore[arg-type]

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        # Whoever has one plugin means that one.
        plugins = Plugin.objects.editable_by(request.user)[:2]  # type: ignore[arg-type]
        only = {"plugin": plugins[0].pk} if len(plugins) == 1 else {}
        return {**only, "tree_data": EXAMPLE_TREE, **super().get_changeform_initial_data(request)}

    def save_model(self, request: HttpRequest, obj: DecisionTree, form: Any, change: bool) -> None:
        obj.changed_by = request.user  # type: ignore[assignment]  # staff have signed in
        super().save_model(request, obj, form, change)
        found = [problem for problem in find_problems(obj.tree_data) if not problem.is_error]
        for problem in found[:MAX_SHOWN_WARNINGS]:
            self.message_user(request, problem_message(problem), level=messages.WARNING)
        if len(found) > MAX_SHOWN_WARNINGS:
            self.message_user(request, f"{len(found) - MAX_SHOWN_WARNINGS} more warnings.", level=messages.WARNING)


def _json_error_location(text: Any) -> str:
    """Where the text stops being JSON, so that a missing comma can be found."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return f"This is not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
    except (TypeError, RecursionError, ValueError):
        pass
    return "This is not JSON."


def _fact_values(fact: FactField) -> str:
    unit = f" in {fact.unit.symbol}" if fact.unit else ""
    return ", ".join(fact.options) or f"a {fact.type}{unit}"
