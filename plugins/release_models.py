"""Releases: immutable snapshots of a plugin."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.utils import timezone

from lexic.errors import Conflict
from plugins.answer_policy import AnswerPolicy

# ASCII digits only, no leading zero, nothing after the last digit: one version has one spelling.
_VERSION_NUMBER = r"(?:0|[1-9][0-9]{0,5})"
SEMVER = RegexValidator(rf"\A{_VERSION_NUMBER}\.{_VERSION_NUMBER}\.{_VERSION_NUMBER}\Z", "A version looks like 1.2.0.")


class ReleaseImmutable(Conflict):
    """A release is never changed."""

    code = "release_is_fixed"
    hint = "Change the plugin, and publish a new release."


class ReleaseQuerySet(models.QuerySet["Release"]):
    def update(self, **columns: Any) -> int:
        """Raises `ReleaseImmutable` for a column that decides answers."""
        if not columns.keys().isdisjoint([*Release.immutable_fields(), "plugin"]):
            raise ReleaseImmutable
        return super().update(**columns)


class Release(AnswerPolicy):
    """An immutable snapshot of a plugin that agents query.

    `trees` holds each active tree as it stood: `{"id", "name", "description", "tree_data"}`, in walking order.
    `knowledge` pins what could be read: `{"knowledge_base": id, "revision": n}`, the plugin's own base first.
    An unsaved release (no version) is the draft as it stands now.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    plugin = models.ForeignKey("plugins.Plugin", on_delete=models.CASCADE, related_name="releases")
    version = models.CharField(max_length=32, validators=[SEMVER])
    trees = models.JSONField(default=list)
    knowledge = models.JSONField(default=list)
    notes = models.TextField(blank=True)
    scorecard = models.JSONField(default=dict, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = ReleaseQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [models.UniqueConstraint(fields=["plugin", "version"], name="release_version_once")]

    def __str__(self) -> str:
        return f"{self.plugin.slug}@{self.version or 'draft'}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Notes and scorecard may change later. Raises `ReleaseImmutable` for what decides answers."""
        if not self.is_draft and self._differs_from_published():
            raise ReleaseImmutable
        super().save(*args, **kwargs)

    @classmethod
    def immutable_fields(cls) -> list[str]:
        return [*cls.policy_fields(), "plugin_id", "version", "trees", "knowledge"]

    @property
    def is_draft(self) -> bool:
        return self._state.adding

    def _differs_from_published(self) -> bool:
        """Whether this instance is no longer what was published."""
        names = self.immutable_fields()
        published = Release.objects.filter(pk=self.pk).values(*names).first()
        return published is not None and any(getattr(self, name) != published[name] for name in names)
