"""Versions of documents that something refers to, and that stay for as long as it does."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db import models
from django.utils import timezone


class PinKind(models.TextChoices):
    """What the holder is: its rows are in an app above this one."""

    REVIEW = "review", "a contract review"
    RUN = "run", "a run of an agent"


class RevisionPinQuerySet(models.QuerySet["RevisionPin"]):
    def of_holders(self, kind: PinKind, holders: Iterable[UUID]) -> RevisionPinQuerySet:
        return self.filter(kind=kind, holder__in=holders)

    def of_bases(self) -> RevisionPinQuerySet:
        """The pins of whole knowledge bases."""
        return self.filter(document=None)


class RevisionPin(models.Model):
    """Keeps a document as it stood at a revision of its knowledge base, or the whole base (`document` null), though it
    has been replaced since. `knowledge.revision_pins` makes and releases them.

    It opens nothing to anybody. It goes with the base, and what is deleted out of a private base goes in spite of it.
    """

    knowledge_base = models.ForeignKey("knowledge.KnowledgeBase", on_delete=models.CASCADE, related_name="pins")
    document = models.ForeignKey("knowledge.Document", on_delete=models.CASCADE, null=True, related_name="pins")
    revision = models.PositiveIntegerField()
    kind = models.CharField(max_length=8, choices=PinKind)
    holder = models.UUIDField(help_text="The id of what refers to it. No foreign key: its app is above this one.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = RevisionPinQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "holder", "knowledge_base", "document", "revision"],
                name="revision_pin_once",
                nulls_distinct=False,
            )
        ]

    def __str__(self) -> str:
        what = f"document {self.document_id}" if self.document_id else f"base {self.knowledge_base_id}"
        return f"{what} r{self.revision} for {self.kind} {self.holder}"
