from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from django.db import models
from django.utils import timezone

from accounts.models import ApiKey
from lexic.errors import LexicError
from plugins.models import Plugin
from querying.models import Query
from querying.types.answer import Outcome

KEPT_FOR = timedelta(days=1)
# A request that has not ended by then was cut off with its process.
LONGEST_REQUEST = timedelta(minutes=15)


class IdempotentRequestQuerySet(models.QuerySet["IdempotentRequest"]):
    def expired(self, *, now: datetime) -> IdempotentRequestQuerySet:
        """Requests whose response is not sent again any more, and requests that were cut off."""
        is_cut_off = models.Q(status=None, created_at__lt=now - LONGEST_REQUEST)
        return self.filter(is_cut_off | models.Q(created_at__lt=now - KEPT_FOR))


class IdempotentRequest(models.Model):
    """A request with an `Idempotency-Key`, and its response once there is one: sent again, it is not done again.

    Neither the name that the caller gave nor the words of the response can be read here: the one is hashed, the other
    encrypted with it.
    """

    api_key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, related_name="idempotent_requests")
    name_hash = models.CharField(max_length=64)
    request_hash = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField(null=True, help_text="Of the response; empty while it is being made.")
    sealed_response = models.BinaryField(default=bytes)
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    objects = IdempotentRequestQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["api_key", "name_hash"], name="idempotent_request_once")]

    def __str__(self) -> str:
        return f"{self.created_at:%Y-%m-%d %H:%M} {self.status or 'in progress'}"


class BatchQuerySet(models.QuerySet["Batch"]):
    def unfinished(self) -> BatchQuerySet:
        """Batches that have questions left to ask."""
        return self.filter(state__in=[Batch.State.QUEUED, Batch.State.RUNNING])

    def due(self, *, now: datetime) -> BatchQuerySet:
        """The unfinished ones that wait for no limit."""
        return self.unfinished().filter(models.Q(waits_until=None) | models.Q(waits_until__lte=now))

    def expired(self, *, now: datetime) -> BatchQuerySet:
        """Batches that ended so long ago that their results are not given out any more."""
        return self.filter(ended_at__lt=now - Batch.KEPT_FOR)

    def with_counts(self) -> BatchQuerySet:
        """Each with `total`, `answered`, `failed` and `waiting`, the numbers of its questions."""
        states = {"answered": BatchItem.State.ANSWERED, "failed": BatchItem.State.FAILED}
        counts = {name: models.Count("items", filter=models.Q(items__state=state)) for name, state in states.items()}
        waiting = models.Count("items", filter=models.Q(items__state=BatchItem.State.WAITING))
        return self.annotate(total=models.Count("items"), waiting=waiting, **counts)


class Batch(models.Model):
    """Questions of a key that a worker asks one after the other."""

    KEPT_FOR = timedelta(days=30)

    class State(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        DONE = "done"
        CANCELLED = "cancelled"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    api_key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, related_name="batches")
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    waits_until = models.DateTimeField(null=True, help_text="A limit of the key is used up until then.")
    created_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)

    objects = BatchQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "batches"
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["api_key", "-created_at"], name="batch_key_recent")]

    def __str__(self) -> str:
        return f"{self.created_at:%Y-%m-%d %H:%M} {self.state}"

    def end(self, state: str) -> None:
        """Done, or cancelled: the questions that were not asked are forgotten. One that has ended stays as it is."""
        unfinished = Batch.objects.unfinished().filter(pk=self.pk)
        if unfinished.update(state=state, ended_at=timezone.now(), waits_until=None):
            self.items.filter(state=BatchItem.State.WAITING).update(state=BatchItem.State.CANCELLED, request={})


class BatchItem(models.Model):
    """One question of a batch, until it is asked. Its answer stands in the log of questions, under `question_id`."""

    class State(models.TextChoices):
        WAITING = "waiting"
        ANSWERED = "answered"
        FAILED = "failed"
        CANCELLED = "cancelled"

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="items")
    number = models.PositiveSmallIntegerField()
    custom_id = models.CharField(max_length=64)
    request = models.JSONField(default=dict)
    # No foreign key: the row is written with this id later, and may be deleted before the batch is.
    question_id = models.UUIDField(default=uuid.uuid4, editable=False)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    error = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["batch", "number"], name="batch_item_number")]

    def __str__(self) -> str:
        return f"{self.number}: {self.state}"

    def change_question_id(self) -> None:
        """Gives it another id to be asked under, as there is a row with the present one."""
        self.question_id = uuid.uuid4()
        BatchItem.objects.filter(pk=self.pk).update(question_id=self.question_id)

    def finish(self, error: LexicError | None = None) -> None:
        """Marks the item as finished, answered or failed, and deletes its words: they are only in the log of questions
        now."""
        self.state = self.State.FAILED if error else self.State.ANSWERED
        self.error = error.as_dict() if error else {}
        self.request = {}
        # One that was cancelled meanwhile stays so.
        BatchItem.objects.filter(pk=self.pk, state=self.State.WAITING).update(
            state=self.state, error=self.error, request={}
        )


class A2ATaskQuerySet(models.QuerySet["A2ATask"]):
    def readable_by(self, key: ApiKey) -> A2ATaskQuerySet:
        """The key's tasks with plugins that it may still ask, as long as their words are kept."""
        mine = self.filter(api_key=key, query__erased_at=None)
        return mine.filter(query__plugin__in=Plugin.objects.askable_by(key)).select_related("query")


class A2ATask(models.Model):
    """A task of the A2A protocol: a question, and the answers to what was asked back. Its words stand in the log of
    questions, under `query`, the last one of it; it goes with that row."""

    MAX_CONTEXT_LENGTH = 128

    id = models.UUIDField(primary_key=True, editable=False, help_text="That of its first question.")
    api_key = models.ForeignKey(ApiKey, on_delete=models.CASCADE, related_name="a2a_tasks")
    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="a2a_tasks")
    context_id = models.CharField(max_length=MAX_CONTEXT_LENGTH, help_text="The conversation that it belongs to.")
    asked_field = models.TextField(blank=True, help_text="The fact that is asked back.")
    is_cancelled = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)

    objects = A2ATaskQuerySet.as_manager()

    class Meta:
        verbose_name = "A2A task"
        ordering = ["-created_at"]
        indexes = [
            models.Index(fields=["api_key", "-created_at"], name="a2a_task_key_recent"),
            models.Index(fields=["api_key", "context_id"], name="a2a_task_context"),
        ]

    def __str__(self) -> str:
        return f"{self.created_at:%Y-%m-%d %H:%M} {self.pk}"

    @property
    def waits_for_input(self) -> bool:
        return self.query.outcome == Outcome.CLARIFY and not self.is_cancelled
