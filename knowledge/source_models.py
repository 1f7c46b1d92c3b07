"""The sources that a knowledge base is synced with, and what the last sync found there.

Part of `knowledge.models`, which imports it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.db import models
from django.utils import timezone

if TYPE_CHECKING:
    from knowledge.models import Document


class SourceKind(models.TextChoices):
    FOLDER = "folder", "folder"
    GIT = "git", "git checkout"
    URLS = "urls", "list of addresses"
    LIBRARY = "library", "library of a codebase"


class Source(models.Model):
    """A folder of notes, a repository with a library, or a file of addresses, on this server. Only an operator names
    one: a web user must not read the server's disk."""

    knowledge_base = models.ForeignKey(
        "knowledge.KnowledgeBase", on_delete=models.CASCADE, related_name="sources", editable=False
    )
    kind = models.CharField(max_length=8, choices=SourceKind.choices, editable=False)
    location = models.CharField(max_length=1000, editable=False, help_text="An absolute path.")
    public_only = models.BooleanField(default=False, help_text="Notes that are not public are left out altogether.")
    is_public = models.BooleanField(
        default=False, db_default=False, help_text="All of a library is marked public: a public chat may read it."
    )
    commit = models.CharField(max_length=64, blank=True, editable=False, help_text="Of the checkout, at the last sync.")
    synced_at = models.DateTimeField(null=True, editable=False)
    report = models.JSONField(default=dict, editable=False, help_text="What the last sync did, in numbers.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["location"]
        constraints = [models.UniqueConstraint(fields=["knowledge_base", "location"], name="source_once")]

    def __str__(self) -> str:
        return self.location


class SourceItem(models.Model):
    """One row of a source's manifest: the file (or address), its hash when it was last read, and what became of it.

    Without a document it was left out: a duplicate, an empty or private note, or one that could not be read.
    """

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="items")
    path = models.CharField(max_length=2000, help_text="Within the folder; or an address.")
    sha256 = models.CharField(max_length=64, blank=True, help_text="Of the file as it is.")
    stored_sha256 = models.CharField(max_length=64, blank=True, help_text="Of what its document was made from.")
    document = models.ForeignKey(
        "knowledge.Document", on_delete=models.SET_NULL, null=True, related_name="source_items"
    )
    # How each note that it links to was called: when that changes, the text of this note does.
    links = models.JSONField(default=dict)
    problems = models.JSONField(default=list)
    synced_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["path"]
        constraints = [models.UniqueConstraint(fields=["source", "path"], name="source_item_once")]

    def __str__(self) -> str:
        return self.path

    @property
    def live_document(self) -> Document | None:
        """Its document, unless that has been removed."""
        return self.document if self.document and self.document.removed_in is None else None
