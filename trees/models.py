from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from accounts.models import Principal
from lexic.compiled_query import written_out
from lexic.name_field import NameField
from plugins.models import Plugin


class DecisionTreeQuerySet(models.QuerySet["DecisionTree"]):
    def visible_to(self, principal: Principal) -> DecisionTreeQuerySet:
        """Trees of plugins the person may look at in the builder: others see a tree only through its answers."""
        return self.filter(plugin__in=written_out(Plugin.objects.viewable_by(principal).values("pk")))

    def editable_by(self, principal: Principal) -> DecisionTreeQuerySet:
        return self.filter(plugin__in=written_out(Plugin.objects.editable_by(principal).values("pk")))

    def active(self) -> DecisionTreeQuerySet:
        return self.filter(is_active=True)


class DecisionTree(models.Model):
    """How a professional decides. `tree_data` is `{"rootNodeId": id, "nodes": {id: node}}`, see
    `trees/definition/parser.py`."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    plugin = models.ForeignKey(Plugin, on_delete=models.CASCADE, related_name="trees")
    name = NameField(max_length=120)
    description = models.TextField(blank=True)
    tree_data = models.JSONField()
    is_active = models.BooleanField(default=True)
    order = models.PositiveSmallIntegerField(default=0, help_text="Trees are tried in this order.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)
    changed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, editable=False, related_name="+"
    )

    objects = DecisionTreeQuerySet.as_manager()

    class Meta:
        ordering = ["order", "created_at"]

    def __str__(self) -> str:
        return self.name

    @property
    def version(self) -> str:
        """Changes with every change of what the tree says; where it stands in the order does not count."""
        return self.updated_at.isoformat()

    @property
    def node_count(self) -> int:
        nodes = self.tree_data.get("nodes") if isinstance(self.tree_data, dict) else None
        return len(nodes) if isinstance(nodes, dict) else 0


class TreeCaseQuerySet(models.QuerySet["TreeCase"]):
    def visible_to(self, principal: Principal) -> TreeCaseQuerySet:
        return self.filter(tree__in=DecisionTree.objects.visible_to(principal))


class TreeCase(models.Model):
    """What a tree must do with a sentence or with facts, fixed by its author. See `trees/tree_test_cases.py`."""

    class Expectation(models.TextChoices):
        REACHES = "reaches", "reaches"
        ASKS = "asks", "asks for"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tree = models.ForeignKey(DecisionTree, on_delete=models.CASCADE, related_name="cases")
    name = NameField(max_length=120)
    sentence = models.TextField(blank=True, help_text="What somebody asks, in their own words.")
    facts = models.JSONField(default=dict, blank=True, help_text="What the caller says beside the sentence.")
    expectation = models.CharField(max_length=8, choices=Expectation.choices, default=Expectation.REACHES)
    expected = models.CharField(max_length=200, help_text="The id of a node, or the name of a fact.")
    position = models.PositiveSmallIntegerField(default=0)

    objects = TreeCaseQuerySet.as_manager()

    class Meta:
        ordering = ["position", "name"]

    def __str__(self) -> str:
        return self.name

    def as_dict(self) -> dict[str, Any]:
        """The case as `trees.tree_test_cases.parse_cases` reads it."""
        names = ("name", "sentence", "facts", "expectation", "expected")
        return {name: getattr(self, name) for name in names}
