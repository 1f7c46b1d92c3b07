"""Runs of an agent, each with its journal: the events that its reader sees, and what it needs after a crash."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models, transaction
from django.db.models.functions import Cast, Least, Now
from django.db.models.lookups import LessThanOrEqual
from django.utils import timezone

from accounts.models import ApiKey, Principal
from agents.journal.deleted_sources import SourceDeleted, check_sources, lock_bases_of
from conversations.models import ChatMessage, ChatSession
from knowledge.models import PinKind
from knowledge.readers.text_cleaning import replace_unstorable_json
from knowledge.revision_pins import pin_pages
from lexic.errors import Conflict, LexicError
from plugins.models import Release

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager

MAX_EVENT_BYTES = 256 * 1024
# A running process stops within two seconds after a cancel request. After this many seconds another process ends the
# run.
STOP_SECONDS = 3.0
# A lease that ends later than this many lease lengths from now was taken while the clock was wrong.
_MAX_LEASE_FACTOR = 20
# The events that stay in a journal whose documents were deleted: that the run existed, and how it ended.
_KINDS_WITHOUT_CONTENT = ("run", "agent_type", "done", "error")


class RunTakenOver(Conflict):
    """Another process has taken this run over, or it has ended."""

    code = "lease_lost"


class RunInterrupted(LexicError):
    """The run was stopped because its process died several times."""

    code = "interrupted"
    status = 503
    hint = "What has been written is kept. Send your message again; where it fails again, ask for less at once."


class EventTooLarge(LexicError):
    """This is more than one event may hold."""

    code = "event_too_large"


class RunState(models.TextChoices):
    """A run that is `waiting` has asked its person something."""

    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class AgentType(models.TextChoices):
    RAG = "rag"
    CONTRACT = "contract"
    NDA = "nda"
    DOCUMENT = "document"


class EventKind(models.TextChoices):
    """The first kinds are sent to clients. The last two are internal: what the planner decided, and what a search
    found."""

    RUN = "run"
    AGENT_TYPE = "agent_type"
    STEP_START = "step_start"
    STEP_END = "step_end"
    CONTENT = "content"
    SOURCE = "source"
    CONTRACT_RESULT = "contract_result"
    NDA_RESULT = "nda_result"
    DOCUMENT_QUESTION = "document_question"
    DOCUMENT_RESULT = "document_result"
    CLARIFICATION = "clarification"
    DONE = "done"
    ERROR = "error"
    TURN = "turn"
    FOUND = "found"

    @property
    def is_public(self) -> bool:
        return self not in (EventKind.TURN, EventKind.FOUND)


class AgentRunQuerySet(models.QuerySet["AgentRun"]):
    def visible_to(self, principal: Principal) -> AgentRunQuerySet:
        """The runs of this person. A key sees the runs that it began itself, and all others if it may read private
        knowledge."""
        if isinstance(principal, ApiKey):
            if principal.opens_private_bases():
                return self.filter(user=principal.owner_id)
            return self.filter(api_key=principal)
        return self.filter(user=principal)

    def running(self) -> AgentRunQuerySet:
        return self.filter(state=RunState.RUNNING)

    def interrupted(self) -> AgentRunQuerySet:
        """Runs whose process has not renewed its lease for too long. A lease that seems to end far in the future does
        not count: it was taken while the clock was wrong."""
        is_over = models.Q(leased_until__lt=Now()) | models.Q(
            leased_until__gt=Now() + _MAX_LEASE_FACTOR * _lease_length()
        )
        return self.running().filter(is_over)

    def with_newest_event(self) -> AgentRunQuerySet:
        """Runs with their state only. `newest_event` is the number of the last event that a reader may see, or 0."""
        newest = models.Max("events__number", filter=models.Q(events__is_public=True), default=0)
        return self.order_by().only("state", "leased_until").annotate(newest_event=newest)

    def reading_base(self, knowledge_base: int) -> AgentRunQuerySet:
        """Runs that may read this knowledge base, through their release or as a private base."""
        return self.filter(knowledge__contains=[{"knowledge_base": knowledge_base}])

    def naming_document(self, document: uuid.UUID) -> AgentRunQuerySet:
        """Runs whose journal names this document as found, cited or written."""
        events = AgentEvent.objects.filter(run=models.OuterRef("pk")).alias(text=Cast("data", models.TextField()))
        return self.filter(models.Exists(events.filter(text__contains=str(document))))

    def mark_answered(self) -> None:
        """Ends the runs that waited for the person, because an answer or another message has come."""
        self.filter(state=RunState.WAITING).update(state=RunState.DONE)

    @transaction.atomic
    def erase_content(self) -> None:
        """Erases from the journals what the runs read and wrote. When they ran and how they ended stays.

        Runs in progress are ended, because they would write the erased content again from memory. The caller has locked
        the bases that they read.
        """
        found = list(self.order_by("pk").values_list("pk", flat=True))
        runs = AgentRun.objects.filter(pk__in=found)
        ChatSession.objects.filter(pk__in=runs.running().values("session")).lock_against_deletion()
        for run in runs.running().order_by("pk").select_for_update(no_key=True):
            run.fail(SourceDeleted())  # before the others go: its number is one that no reader has seen
        AgentEvent.objects.filter(run__in=found).exclude(kind__in=_KINDS_WITHOUT_CONTENT)._raw_delete(self.db)

    def begin(self, *, session: ChatSession, message: ChatMessage, **columns: Any) -> AgentRun:
        """A run that this process holds, with its first event. The caller has made sure that the session has no other
        run."""
        run = self.create(
            session=session,
            message=message,
            user=session.user,
            budgets=settings.AGENTS.budgets.as_dict(),
            leased_until=timezone.now() + _lease_length(),
            attempts=1,
            **columns,
        )
        data = {
            "runId": str(run.pk),
            "conversationId": str(session.pk),
            "messageId": str(message.uuid),
            "title": session.title,
        }
        run.append((EventKind.RUN, data))
        return run


class AgentRun(models.Model):
    """What an agent does about one message. A session has one running at a time; a database constraint ensures it.

    `knowledge` pins the revisions that the run reads, and `layers` are the private ones of them. `attempts` counts the
    processes that have worked on it. Only the last of them may write, and only while it renews `leased_until`.
    `idempotency` is a hash of the caller and the idempotency key of the request.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    session = models.ForeignKey(ChatSession, on_delete=models.CASCADE, related_name="runs")
    message = models.OneToOneField(ChatMessage, on_delete=models.CASCADE, related_name="run")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="agent_runs")
    api_key = models.ForeignKey(ApiKey, on_delete=models.SET_NULL, null=True, related_name="agent_runs")
    release = models.ForeignKey(Release, on_delete=models.SET_NULL, null=True, related_name="agent_runs")
    release_name = models.CharField(max_length=100)
    knowledge = models.JSONField(default=list)
    layers = models.JSONField(default=list)
    agent_type = models.CharField(max_length=10, choices=AgentType, blank=True)
    state = models.CharField(max_length=10, choices=RunState, default=RunState.RUNNING)
    model = models.CharField(max_length=120, blank=True)
    thinks = models.BooleanField(
        default=False,
        help_text="The model may think before each turn; model and tools get 1.5 times the usual time.",
    )
    thinking_tokens = models.PositiveIntegerField(default=0)
    budgets = models.JSONField(default=dict)
    tokens = models.PositiveIntegerField(default=0)
    cost = models.DecimalField(max_digits=12, decimal_places=6, null=True)
    leased_until = models.DateTimeField(null=True)
    attempts = models.PositiveSmallIntegerField(default=0)
    cancel_requested_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True)
    idempotency = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    ended_at = models.DateTimeField(null=True)

    events: RelatedManager[AgentEvent]
    newest_event: int  # set by `with_newest_event`
    objects = AgentRunQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["session"], condition=models.Q(state="running"), name="agent_run_one_running_a_session"
            ),
            models.UniqueConstraint(
                fields=["idempotency"], condition=~models.Q(idempotency=""), name="agent_run_once_a_request"
            ),
        ]
        indexes = [
            models.Index(fields=["user", "-created_at"], name="agent_run_of_user"),
            models.Index(fields=["leased_until"], condition=models.Q(state="running"), name="agent_run_running"),
        ]

    def __str__(self) -> str:
        return f"{self.state}: {self.release_name}"

    @property
    def has_ended(self) -> bool:
        return self.state != RunState.RUNNING

    @property
    def is_interrupted(self) -> bool:
        return not self.has_ended and (self.leased_until is None or self.leased_until < timezone.now())

    @property
    def has_died_too_often(self) -> bool:
        """Whether so many processes have died while they worked on the run that no other process is tried."""
        return self.attempts > settings.AGENTS.max_attempts

    def append(self, *entries: tuple[EventKind, Mapping[str, Any]]) -> None:
        """Commits the next events of this process, all or none. Raises `RunTakenOver` and `EventTooLarge`, and
        `SourceDeleted` if the events contain something that has been deleted."""
        with transaction.atomic():
            held = lock_bases_of(self)  # before the run is locked: whoever deletes a base locks it first
            self._hold_session()
            self._hold(leased_until=timezone.now() + _lease_length(), **self._used_columns())
            check_sources(self, [data for _, data in entries], held=held)
            self._write_events(*entries)

    @transaction.atomic
    def end(
        self, state: RunState, *entries: tuple[EventKind, Mapping[str, Any]], answer: ChatMessage | None = None
    ) -> None:
        """Commits the last events, the state, and the answer as a message. The pages that the answer cites are kept as
        long as the run. Raises `RunTakenOver`, `SourceDeleted`."""
        if answer is not None:  # before the run is locked: whoever deletes a base locks it first
            from querying.json_format import cited_page_id  # slow import

            held = lock_bases_of(self)
            pin_pages(PinKind.RUN, self.pk, map(cited_page_id, answer.metadata.get("citations") or []))
        self._hold_session()
        self._hold(leased_until=None, **self._used_columns())
        if answer is not None:
            check_sources(self, [answer.metadata], held=held)
        self._write_events(*entries)
        if answer is not None:
            answer.save()
        self.state, self.ended_at, self.leased_until = state, timezone.now(), None
        columns = ("state", "ended_at", "error")
        AgentRun.objects.filter(pk=self.pk).update(**{name: getattr(self, name) for name in columns})

    def renew(self) -> None:
        """Extends the lease. Raises `RunTakenOver`."""
        self._hold(leased_until=timezone.now() + _lease_length())

    def is_cancel_requested(self) -> bool:
        """Whether its person has asked to stop it."""
        return AgentRun.objects.filter(pk=self.pk, cancel_requested_at__isnull=False).exists()

    def take_over(self) -> bool:
        """Takes the run over from a process that has not renewed its lease. Returns whether this process holds it now.

        This process then continues the run, or ends it if it `has_died_too_often`.
        """
        with transaction.atomic():
            self._hold_session()
            row = AgentRun.objects.interrupted().select_for_update(no_key=True, skip_locked=True).filter(pk=self.pk)
            if (found := row.first()) is None:
                return False
            self.attempts = found.attempts = found.attempts + 1
            self.leased_until = timezone.now() + _lease_length()
            AgentRun.objects.filter(pk=self.pk).update(attempts=self.attempts, leased_until=self.leased_until)
            return True

    def fail(self, error: LexicError, *, answer: ChatMessage | None = None) -> None:
        """Ends the run with this error. Raises `RunTakenOver`."""
        self.error = error.message
        data = {"message": error.message, "code": error.code, "hint": error.hint}
        self.end(RunState.FAILED, (EventKind.ERROR, data), answer=answer)

    def request_cancel(self) -> None:
        """Asks the process that works on the run to stop, which it does within two seconds. After `STOP_SECONDS` its
        lease is over."""
        now = timezone.now()
        AgentRun.objects.running().filter(pk=self.pk, cancel_requested_at=None).update(
            cancel_requested_at=now, leased_until=Least("leased_until", now + timedelta(seconds=STOP_SECONDS))
        )

    def _used_columns(self) -> dict[str, Any]:
        return {"agent_type": self.agent_type, "tokens": self.tokens, "cost": self.cost}

    def _hold(self, **columns: Any) -> None:
        """Sets columns and keeps the row locked until the transaction ends. Raises `RunTakenOver` if another process
        holds the run."""
        if not AgentRun.objects.running().filter(pk=self.pk, attempts=self.attempts).update(**columns):
            raise RunTakenOver

    def _hold_session(self) -> None:
        """Locks the conversation. Called inside a transaction, before the run is locked: so a deletion of the
        conversation either waits, or has deleted the run already."""
        ChatSession.objects.filter(pk=self.session_id).lock_against_deletion()

    def _write_events(self, *entries: tuple[EventKind, Mapping[str, Any]]) -> None:
        # What a model writes may have characters that cannot be stored.
        entries = tuple((kind, replace_unstorable_json(data)) for kind, data in entries)
        if any(len(json.dumps(data, ensure_ascii=False).encode()) > MAX_EVENT_BYTES for _, data in entries):
            raise EventTooLarge
        last = self.events.aggregate(last=models.Max("number"))["last"] or 0
        self.events.bulk_create(
            AgentEvent(run=self, number=number, kind=kind, data=data, is_public=kind.is_public)
            for number, (kind, data) in enumerate(entries, start=last + 1)
        )


class AgentEventQuerySet(models.QuerySet["AgentEvent"]):
    def after(self, number: int) -> AgentEventQuerySet:
        """The events after this number, which the reader has not seen."""
        return self.filter(number__gt=number, is_public=True).order_by("number")

    def update(self, **columns: Any) -> int:
        raise TypeError("An event is never changed.")


class AgentEvent(models.Model):
    """One entry of a run's journal. It is committed before it is shown to anybody, and never changed."""

    run = models.ForeignKey(AgentRun, on_delete=models.CASCADE, related_name="events")
    number = models.PositiveIntegerField()
    kind = models.CharField(max_length=20, choices=EventKind)
    data = models.JSONField(default=dict)
    is_public = models.BooleanField()
    at = models.DateTimeField(default=timezone.now, editable=False)

    objects = AgentEventQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["run", "number"], name="agent_event_once"),
            models.CheckConstraint(
                condition=LessThanOrEqual(
                    models.Func(Cast("data", models.TextField()), function="octet_length"), MAX_EVENT_BYTES
                ),
                name="agent_event_is_small",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.kind}"

    def save(self, **options: Any) -> None:
        super().save(**{**options, "force_insert": True})


def _lease_length() -> timedelta:
    return timedelta(seconds=settings.AGENTS.lease_seconds)
