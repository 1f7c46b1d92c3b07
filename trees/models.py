from __future__ import annotations

import uuid

from django.db import models
from django.utils import timezone

from accounts.models import ApiKey, User
from plugins.models import Plugin


class DecisionTreeQuerySet(models.QuerySet["DecisionTree"]):
    def visible_to(self, principal: User | ApiKey) -> DecisionTreeQuerySet:
        """Trees of plugins the person may edit: a published tree is shown only through its answers."""
        user = principal.owner if isinstance(principal, ApiKey) else principal
        return self.filter(plugin__in=Plugin.objects.visible_to(principal) & Plugin.objects.editable_by(user))

    def active(self) -> DecisionTreeQuerySet:
        return self.filter(is_active=True)


class DecisionTree(models.Model):
    """How a professional decides. `tree_data` is `{"rootNodeId": id, "nodes": {id: node}}`, see `trees/schema.py`."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    plugin = models.ForeignKey(Plugin, on_delete=models.CASCADE, related_name="trees")
    name = models.CharField(max_length=120)
    description = models.TextField(blank=True)
    tree_data = models.JSONField()
    is_active = models.BooleanField(default=True)
    order = models.PositiveSmallIntegerField(default=0, help_text="Trees are tried in this order.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    objects = DecisionTreeQuerySet.as_manager()

    class Meta:
        ordering = ["order", "created_at"]

    def __str__(self) -> str:
        return self.name
