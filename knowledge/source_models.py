"""The sources that a knowledge base is synced with, and what the last sync found there.

Part of `knowledge.models`, which imports it.
"""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from pathlib import PurePath
from typing import TYPE_CHECKING

from django.db import models
from django.utils import timezone

from accounts import key_secrets
from lexic.errors import NotFound

if TYPE_CHECKING:
    from knowledge.models import Document


class SourceKind(models.TextChoices):
    FOLDER = "folder", "folder"
    GIT = "git", "git checkout"
    URLS = "urls", "list of addresses"
    LIBRARY = "library", "library of a codebase"
    WEBSITE = "website", "web site"
    FEED = "feed", "feed (RSS or Atom)"
    REPOSITORY = "repo", "Git repository"
    BUCKET = "bucket", "bucket (S3)"


REMOTE_KINDS = (SourceKind.WEBSITE, SourceKind.FEED, SourceKind.REPOSITORY, SourceKind.BUCKET)


def shown_address(address: str) -> str:
    """The address for people: without its query, which may hold a secret, and without a name and password."""
    scheme, separator, rest = re.split("[?#]", address, maxsplit=1)[0].partition("://")
    server, slash, path = rest.partition("/")
    return f"{scheme}{separator}{server.rpartition('@')[2]}{slash}{path}"


class SyncInterval(models.IntegerChoices):
    """In hours."""

    NEVER = 0, "only when asked"
    HOUR = 1, "every hour"
    SIX_HOURS = 6, "every 6 hours"
    DAY = 24, "every day"
    WEEK = 168, "every week"


class SourceRemoved(NotFound):
    """Somebody has removed this source."""

    code = "source_removed"
    hint = "The documents that it had by then stay. Connect it again to have the rest."


class SourceQuerySet(models.QuerySet["Source"]):
    def locked(self, pk: int) -> Source:
        """The row as it is now, which nobody else changes before the transaction ends. Raises `SourceRemoved`."""
        source = self.select_for_update(no_key=True).filter(pk=pk).first()
        if source is None:
            raise SourceRemoved
        return source

    def remote(self) -> SourceQuerySet:
        """Sources that are fetched from elsewhere, and that people enter themselves."""
        return self.filter(kind__in=REMOTE_KINDS)

    def on_this_server(self) -> SourceQuerySet:
        return self.exclude(kind__in=REMOTE_KINDS)

    def due(self, now: datetime) -> SourceQuerySet:
        """Sources that the scheduled sync reads now."""
        return self.remote().filter(is_paused=False, due_at__lte=now)


class Source(models.Model):
    """Where documents come from again and again. A folder of notes, a repository with a library, or a file of addresses
    lies on this server, and only an operator names one: a web user must not read the server's disk. The `REMOTE_KINDS`
    are fetched from elsewhere, and whoever may change the plugin names them."""

    knowledge_base = models.ForeignKey(
        "knowledge.KnowledgeBase", on_delete=models.CASCADE, related_name="sources", editable=False
    )
    kind = models.CharField(max_length=8, choices=SourceKind.choices, editable=False)
    location = models.CharField(max_length=1000, editable=False, help_text="An absolute path, or an address.")
    public_only = models.BooleanField(default=False, help_text="Notes that are not public are left out altogether.")
    is_public = models.BooleanField(
        default=False, db_default=False, help_text="All of it is marked public: a public chat may read it."
    )
    options = models.JSONField(
        default=dict, db_default={}, editable=False, help_text="Of a remote source: what of it is read."
    )
    credentials_encrypted = models.TextField(blank=True, default="", db_default="", editable=False)
    interval_hours = models.PositiveSmallIntegerField(
        "timetable", choices=SyncInterval.choices, default=SyncInterval.DAY, db_default=SyncInterval.NEVER
    )
    is_paused = models.BooleanField(default=False, db_default=False)
    due_at = models.DateTimeField(null=True, editable=False, help_text="When the timetable syncs it next.")
    tried_at = models.DateTimeField(null=True, editable=False)
    error_code = models.CharField(max_length=40, blank=True, default="", db_default="", editable=False)
    error = models.TextField(
        blank=True, default="", db_default="", editable=False, help_text="Why the last sync came to nothing."
    )
    state = models.JSONField(
        default=dict, db_default={}, editable=False, help_text="What the next sync has to know, such as entity tags."
    )
    commit = models.CharField(max_length=64, blank=True, editable=False, help_text="Of the checkout, at the last sync.")
    synced_at = models.DateTimeField(null=True, editable=False)
    report = models.JSONField(default=dict, editable=False, help_text="What the last sync did, in numbers.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = SourceQuerySet.as_manager()

    class Meta:
        ordering = ["location"]
        constraints = [models.UniqueConstraint(fields=["knowledge_base", "location"], name="source_once")]

    def __str__(self) -> str:
        return self.location

    @property
    def shown_location(self) -> str:
        """For people: without a query, which may hold a secret; of what lies on this server, its own name alone."""
        return shown_address(self.location) if self.is_remote else PurePath(self.location).name

    @property
    def is_remote(self) -> bool:
        return self.kind in REMOTE_KINDS

    @property
    def has_credentials(self) -> bool:
        return bool(self.credentials_encrypted)

    def credentials(self) -> dict[str, str]:
        """What it signs in with; empty where it needs none, or ENCRYPTION_KEY has changed since it was sealed."""
        opened = key_secrets.decrypt(self.credentials_encrypted) if self.credentials_encrypted else None
        return json.loads(opened) if opened else {}

    def set_credentials(self, credentials: dict[str, str]) -> None:
        """Seals them, or forgets what there was where none are given; saved with the row."""
        self.credentials_encrypted = key_secrets.encrypt(json.dumps(credentials)) if credentials else ""

    def same_options(self) -> SourceQuerySet:
        """Its row, unless the options have been changed since it was loaded: other files belong to it then, and what a
        sync has seen of the old ones says nothing of them."""
        return Source.objects.filter(pk=self.pk, options=self.options)

    def set_due(self, now: datetime) -> None:
        """When it is synced next, counted from now; saved with the row."""
        self.due_at = now + timedelta(hours=self.interval_hours) if self.interval_hours else None


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
    # Of a file that was fetched: by what its server tells versions apart, and where a web page leads.
    version = models.JSONField(default=dict, db_default={})
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
