"""The embedding spaces of a knowledge base: which embedder made its vectors, from which revision on.

Part of `knowledge.models`, which imports it.
"""

from __future__ import annotations

from django.db import models
from django.utils import timezone


class EmbeddingSpace(models.Model):
    """Vectors of one knowledge base that can be compared with one another: those of one embedder.

    A base that never changed its embedder has only number 0, and no row here. `since` is the revision from which on
    the base is searched by it; null as long as its vectors are being made. What a release pinned before stays in the
    space of its own revision.
    """

    knowledge_base = models.ForeignKey("knowledge.KnowledgeBase", on_delete=models.CASCADE, related_name="spaces")
    number = models.PositiveSmallIntegerField()
    embedder = models.CharField(max_length=120)
    dimensions = models.PositiveSmallIntegerField()
    since = models.PositiveIntegerField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["knowledge_base", "number"], name="embedding_space_once"),
            models.UniqueConstraint(
                fields=["knowledge_base"], name="embedding_space_one_in_making", condition=models.Q(since=None)
            ),
        ]

    def __str__(self) -> str:
        return f"{self.embedder} of base {self.knowledge_base_id}"
