"""A draft that is being published: a worker runs its golden questions first, and its page shows how far that is."""

from __future__ import annotations

import uuid
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from lexic.errors import LexicError
from plugins.models import Plugin, Release

# A worker that lives asks the next question well within this.
STALL_TIMEOUT = timedelta(seconds=60)
# So long nothing has happened that the message to a worker may be lost.
INTERRUPTED_AFTER = timedelta(minutes=2)


class PublishingRunQuerySet(models.QuerySet["PublishingRun"]):
    def active(self) -> PublishingRunQuerySet:
        return self.filter(state__in=PublishingRun.ACTIVE)

    def cancel(self) -> None:
        """Cancels the active runs, so that they publish nothing. Called when somebody has decided otherwise in the
        meantime."""
        self.active().update(state=PublishingRun.State.CANCELLED, updated_at=timezone.now())

    def interrupted(self) -> PublishingRunQuerySet:
        """Active ones of which nothing was heard for minutes."""
        return self.active().filter(updated_at__lt=timezone.now() - INTERRUPTED_AFTER)


class PublishingRun(models.Model):
    """`fingerprint` names the draft and the golden questions that it was asked for
    (`evaluation.golden.golden_dataset.run_fingerprint`). `scores` has those of each question that was asked, as
    `evaluation.scoring.scores_json` writes them."""

    class State(models.TextChoices):
        WAITING = "waiting", "waits for a worker"
        ASKING = "asking", "asks the golden questions"
        PUBLISHED = "published", "published"
        FAILED = "failed", "not published"
        CANCELLED = "cancelled", "cancelled"

    ACTIVE = (State.WAITING, State.ASKING)

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    plugin = models.ForeignKey(Plugin, on_delete=models.CASCADE, related_name="publishing_runs")
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="publishing_runs"
    )
    version = models.CharField(max_length=32, blank=True)
    notes = models.TextField(blank=True)
    audience = models.JSONField(
        default=dict,
        db_default={},
        help_text="Who is to see it from then on (`marketplace.publishing.audience_change`). Empty: as it is.",
    )
    fingerprint = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    total = models.PositiveIntegerField()
    scores = models.JSONField(default=list)
    starts = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="How often a worker began since a question was answered last."
    )
    error = models.TextField(blank=True, help_text="Why it was not published, a sentence or two.")
    warning = models.TextField(blank=True, help_text="What the golden gate says of what was published.")
    release = models.ForeignKey(Release, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = PublishingRunQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["plugin"],
                condition=models.Q(state__in=["waiting", "asking"]),
                name="one_active_publishing_run",
            )
        ]

    def __str__(self) -> str:
        return f"{self.plugin}, {self.get_state_display()}"

    @property
    def is_active(self) -> bool:
        return self.state in self.ACTIVE

    @property
    def is_stalled(self) -> bool:
        """Whether nothing has happened for so long that a worker may be missing."""
        return self.is_active and timezone.now() - self.updated_at > STALL_TIMEOUT

    @property
    def passed_count(self) -> int:
        return sum(not one["failures"] for one in self.scores)

    def update_if_active(self, **columns: Any) -> bool:
        """Sets and saves these; whether it was still active. One that was cancelled or deleted stays as it is."""
        columns["updated_at"] = timezone.now()
        if not PublishingRun.objects.active().filter(pk=self.pk).update(**columns):
            return False
        for name, value in columns.items():
            setattr(self, name, value)
        return True

    def fail(self, error: LexicError | str) -> None:
        sentence = error if isinstance(error, str) else error.message_with_hint
        self.update_if_active(state=self.State.FAILED, error=sentence)

    def cancel(self) -> bool:
        """Whether there was something to cancel. The question that is being asked is finished first."""
        return self.update_if_active(state=self.State.CANCELLED)
