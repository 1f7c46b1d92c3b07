"""Rows of a knowledge base that are part of it from one revision until another."""

from __future__ import annotations

from typing import Any

from django.db import models


class RevisionQuerySet(models.QuerySet[Any]):
    """For rows that live between two revisions of their knowledge base."""

    def alive_at(self, revision: int) -> RevisionQuerySet:
        """Rows that were part of the knowledge base at this revision."""
        not_removed = models.Q(removed_in=None) | models.Q(removed_in__gt=revision)
        return self.filter(not_removed, added_in__lte=revision)

    def live(self) -> RevisionQuerySet:
        """Rows that are part of the knowledge base now."""
        return self.filter(added_in__isnull=False, removed_in=None)

    def staged(self) -> RevisionQuerySet:
        """Rows written by an ingestion that has not ended yet; no search sees them."""
        return self.filter(added_in=None)


class Revisioned(models.Model):
    """Alive at revision r when `added_in <= r < removed_in`. `added_in` null: staged, not yet part of anything."""

    added_in = models.PositiveIntegerField(null=True, editable=False)
    removed_in = models.PositiveIntegerField(null=True, editable=False)

    class Meta:
        abstract = True
