"""What the marketplace keeps: how each published plugin is listed, who installed a copy, and what people say of it."""

from __future__ import annotations

import uuid
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.contrib.postgres.search import SearchVectorField
from django.db import models
from django.utils import timezone
from pgvector.django import HalfVectorField

from plugins.models import Plugin, Release


class Label(models.TextChoices):
    """What the measurement of a release says, in one word."""

    MEASURED = "measured", "Measured"
    ATTENTION = "attention", "Needs attention"
    NONE = "none", "Not measured"


class ListingQuerySet(models.QuerySet["Listing"]):
    def public(self) -> ListingQuerySet:
        """Those that anybody may see: a listing of a plugin that was withdrawn since says nothing."""
        return self.filter(plugin__is_published=True).select_related("plugin", "plugin__owner", "release")


class Listing(models.Model):
    """How a published plugin is shown. Everything here is derived, and may be computed again at any time.

    Counts are None where nothing was measured. `vector` is the embedding of what the page says of the plugin, by
    `embedder`; None until it was computed.
    """

    plugin = models.OneToOneField(Plugin, on_delete=models.CASCADE, primary_key=True, related_name="listing")
    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="+")
    domain = models.CharField(max_length=80)
    tags = ArrayField(models.CharField(max_length=40), default=list)
    label = models.CharField(max_length=12, choices=Label.choices, default=Label.NONE)
    # What needs attention, a sentence; empty where nothing does.
    attention = models.CharField(max_length=200, blank=True)
    answered_right = models.PositiveIntegerField(null=True)
    to_answer = models.PositiveIntegerField(null=True)
    refused_right = models.PositiveIntegerField(null=True)
    to_refuse = models.PositiveIntegerField(null=True)
    measured_on = models.DateField(null=True)
    share_right = models.FloatField(null=True, help_text="Of all golden questions, 0 to 1.")
    sources = models.PositiveIntegerField(default=0)
    pages = models.PositiveIntegerField(default=0)
    superseded = models.PositiveIntegerField(default=0)
    newest = models.DateField(null=True)
    asked = models.PositiveIntegerField(default=0, help_text="Questions of the last 30 days.")
    installs = models.PositiveIntegerField(default=0)
    released_at = models.DateTimeField()
    search = SearchVectorField(null=True)
    vector = HalfVectorField(null=True)
    embedder = models.CharField(max_length=120, blank=True)
    # A question that the plugin answers and what it said, as the API says it (`querying.wire`); {} until it was asked.
    sample = models.JSONField(default=dict)
    updated_at = models.DateTimeField(auto_now=True)

    objects = ListingQuerySet.as_manager()

    class Meta:
        indexes = [
            GinIndex(fields=["search"], name="listing_search"),
            GinIndex(fields=["tags"], name="listing_tags"),
            models.Index(fields=["domain"], name="listing_domain"),
            models.Index(fields=["-share_right"], name="listing_right"),
            models.Index(fields=["-asked"], name="listing_asked"),
            models.Index(fields=["-released_at"], name="listing_new"),
        ]

    def __str__(self) -> str:
        return f"{self.plugin_id} at {self.release_id}"


class DayOfPlugin(models.Model):
    """The questions to a plugin on one day (UTC), counted once so that no page counts them again.

    `median_ms` is that of the answered ones, None where there were none.
    """

    plugin = models.ForeignKey(Plugin, on_delete=models.CASCADE, related_name="days")
    day = models.DateField()
    asked = models.PositiveIntegerField(default=0)
    answered = models.PositiveIntegerField(default=0)
    refused = models.PositiveIntegerField(default=0)
    clarified = models.PositiveIntegerField(default=0)
    failed = models.PositiveIntegerField(default=0)
    median_ms = models.PositiveIntegerField(null=True)
    p95_ms = models.PositiveIntegerField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["plugin", "day"], name="day_of_plugin_once")]

    def __str__(self) -> str:
        return f"{self.plugin_id} on {self.day}"


class Install(models.Model):
    """A copy of a shared plugin in somebody's account, and which release it was made from.

    `original` is None once the original is deleted; its name stays.
    """

    copy = models.OneToOneField(Plugin, on_delete=models.CASCADE, related_name="installed_from")
    original = models.ForeignKey(Plugin, on_delete=models.SET_NULL, null=True, related_name="copies")
    original_name = models.CharField(max_length=120)
    original_author = models.CharField(max_length=300)
    version = models.CharField(max_length=32)
    installed_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="installs"
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    def __str__(self) -> str:
        return f"{self.copy_id} from {self.original_name} {self.version}"


class Verdict(models.TextChoices):
    RELIED = "relied", "Relied on it"
    CARE = "care", "Used with care"
    WRONG = "wrong", "Was wrong for me"


class ReviewQuerySet(models.QuerySet["Review"]):
    def public(self) -> ReviewQuerySet:
        return self.filter(is_hidden=False).select_related("author", "release")


class Review(models.Model):
    """What a person who used the plugin says of it; one for each person. The author of the plugin may reply once."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    plugin = models.ForeignKey(Plugin, on_delete=models.CASCADE, related_name="reviews")
    # The latest release that the person used when writing.
    release = models.ForeignKey(Release, on_delete=models.SET_NULL, null=True, related_name="+")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="reviews")
    verdict = models.CharField(max_length=8, choices=Verdict.choices)
    text = models.TextField(max_length=2000, blank=True)
    questions = models.PositiveIntegerField(default=0, help_text="How many the person had asked when writing.")
    has_installed = models.BooleanField(default=False)
    reply = models.TextField(max_length=2000, blank=True)
    replied_at = models.DateTimeField(null=True)
    is_hidden = models.BooleanField(default=False, help_text="Taken off the page after a report.")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    objects = ReviewQuerySet.as_manager()

    class Meta:
        ordering = ["-updated_at"]
        constraints = [models.UniqueConstraint(fields=["plugin", "author"], name="review_once")]

    def __str__(self) -> str:
        return f"{self.get_verdict_display()}: {self.text[:60]}"


class Report(models.Model):
    """Somebody says that a plugin or a review should not be public. `outcome` is what the people of the site did."""

    class Reason(models.TextChoices):
        WRONG = "wrong", "It says what is dangerously wrong"
        RIGHTS = "rights", "It shows what somebody else owns"
        ABUSE = "abuse", "It is abusive or spam"
        PRIVATE = "private", "It shows somebody's private data"
        OTHER = "other", "Something else"

    class Outcome(models.TextChoices):
        OPEN = "open", "waiting"
        ACTED = "acted", "acted on"
        DISMISSED = "dismissed", "nothing to do"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    plugin = models.ForeignKey(Plugin, on_delete=models.CASCADE, related_name="reports")
    review = models.ForeignKey(Review, on_delete=models.CASCADE, null=True, blank=True, related_name="reports")
    reason = models.CharField(max_length=8, choices=Reason.choices)
    text = models.TextField(max_length=2000, blank=True)
    reporter = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    outcome = models.CharField(max_length=10, choices=Outcome.choices, default=Outcome.OPEN)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.get_reason_display()}: {self.text[:60]}"

