"""What must hold at every moment of the soak, looked at over and over while traffic and faults go on."""

from __future__ import annotations

import hmac
import json
import time
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from queue import Empty
from typing import TYPE_CHECKING, Any

from benchmarks.soak.record import Answered, SoakRecord
from benchmarks.soak.site import Site
from benchmarks.soak.verdicts import CUT
from tests.webhooks.receiver import Arrived

if TYPE_CHECKING:
    from audit.chain import ChainHead

ROW_PATIENCE_SECONDS = 30  # until an answer has to have its row in the log of questions
STUCK_AFTER_SECONDS = 360  # twice what a lost message takes to be found, and some more where the machine is busy
SETTLING_SECONDS = 300
PERIOD_SECONDS, LONG_PERIOD_SECONDS = 4.0, 45.0


class Checker:
    """Works on connections of its own. While the database is away it waits."""

    def __init__(self, site: Site, record: SoakRecord) -> None:
        self._site, self._record = site, record
        self._later: list[Answered] = []
        self._head: ChainHead | None = None
        self._seen: dict[tuple[Any, ...], float] = {}  # what is unfinished, and since when it looks like this

    def run(self) -> None:
        """Returns when the soak is over."""
        next_long = 0.0
        while not self._record.is_over.wait(PERIOD_SECONDS):
            self._attempt(self.check_answers)
            if time.monotonic() >= next_long:
                self._attempt(self.check_audit_log)
                self._attempt(self.check_nothing_is_stuck)
                next_long = time.monotonic() + LONG_PERIOD_SECONDS

    def finish(self) -> None:
        """Waits until everything that was begun has ended, and looks at all of it."""
        end = time.monotonic() + SETTLING_SECONDS
        while time.monotonic() < end and (self._attempt(self.count_unsettled) or 0) != 0:
            time.sleep(2)
        for check in (
            self.check_answers,
            self.check_audit_log,
            self.check_nothing_is_stuck,
            self.check_documents,
            self.check_runs,
            self.check_deliveries,
            self.check_answered_ids,
            self.check_places,
        ):
            if self._attempt(check) is None:
                self._record.add_violation(f"{check.__name__} could not be done at the end")

    def _attempt(self, check: Any) -> int | None:
        """What the check gives; None where the database or Redis was away."""
        from django.db import DatabaseError, connections
        from redis import RedisError

        try:
            return int(check())
        except (DatabaseError, RedisError):
            return None
        finally:
            connections.close_all()

    # --- Answers ------------------------------------------------------------------------------------------------------

    def check_answers(self) -> int:
        """Every citation stands on its page, in a document of the plugin that was asked; every answer has its row."""
        waiting = self._later
        while True:
            try:
                waiting.append(self._record.answers.get_nowait())
            except Empty:
                break
        self._later = []
        for position, answered in enumerate(waiting):
            try:
                self._check_answer(answered)
            except Exception:
                self._later += waiting[position:]
                raise
        return len(waiting)

    def _check_answer(self, answered: Answered) -> None:
        from querying.models import Query

        row = Query.objects.filter(pk=answered.body["queryId"]).values("outcome").first()
        if row is None:
            if time.monotonic() - answered.at < ROW_PATIENCE_SECONDS:
                self._later.append(answered)
            else:
                self._record.add_violation(f"answer {answered.body['queryId']} has no row in the log of questions")
            return
        if row["outcome"] != answered.body["outcome"]:
            self._record.add_violation(f"answer {answered.body['queryId']} was logged as {row['outcome']}")
        for citation in answered.body.get("citations") or []:
            self._check_citation(answered, citation)
        self._record.checks["answers"] += 1

    def _check_citation(self, answered: Answered, citation: dict[str, Any]) -> None:
        from knowledge.models import Page

        pages = Page.objects.filter(document=citation["documentId"], text__contains=citation["excerpt"])
        spans = pages.values_list("text", "document__knowledge_base__plugin__slug")
        start, end = citation["start"], citation["end"]
        found = [plugin for text, plugin in spans if text[start:end] == citation["excerpt"]]
        if not found:
            self._record.add_violation(f"a citation of {answered.body['queryId']} does not stand on its page")
        elif answered.plugin not in found:
            self._record.add_violation(f"{answered.plugin} cited a passage of {found[0]}")
        self._record.checks["citations"] += 1

    def check_answered_ids(self) -> int:
        """Nothing that was answered lacks its row at the end."""
        from querying.models import Query

        known = Query.objects.filter(pk__in=self._record.answered_ids).values_list("pk", flat=True)
        for lost in sorted(self._record.answered_ids - {str(pk) for pk in known}):
            self._record.add_violation(f"answer {lost} has no row in the log of questions")
        return len(known)

    # --- The log, documents, runs -------------------------------------------------------------------------------------

    def check_audit_log(self) -> int:
        """The chain is whole, and goes on from where it was."""
        from audit.chain import BrokenChain, verify_chain

        try:
            verified = verify_chain(known=self._head)
        except BrokenChain as broken:
            self._record.add_violation(f"the audit log does not verify: {broken.message}")
            return 0
        self._head = verified.head
        self._record.checks["audit log"] += 1
        return verified.entries

    def check_nothing_is_stuck(self) -> int:
        """A document, run or event that works on the same thing, at the same stage, must not do so for long."""
        from agents.models import AgentRun
        from knowledge.models import Document
        from webhooks.models import Delivery

        now, seen = time.monotonic(), dict[tuple[Any, ...], float]()
        documents = Document.objects.unfinished().values_list("pk", "sha256", "status", "error")
        runs = AgentRun.objects.running().values_list("pk", "state")
        deliveries = Delivery.objects.waiting().filter(attempts=0).values_list("pk", "state")
        for name, rows in (("document", documents), ("run", runs), ("delivery", deliveries)):
            for row in rows:
                seen[name, *row] = since = self._seen.get((name, *row), now)
                if now - since > STUCK_AFTER_SECONDS:
                    self._record.add_violation(f"{name} {' '.join(map(str, row))} does not go on")
        self._seen = seen
        self._record.checks["nothing stuck"] += 1
        return 1

    def count_unsettled(self) -> int:
        """Documents that are read, runs that work, and events that have not been told."""
        from agents.models import AgentRun
        from knowledge.models import Document
        from webhooks.models import Delivery

        return sum(
            rows.count()
            for rows in (Document.objects.unfinished(), AgentRun.objects.running(), Delivery.objects.waiting())
        )

    def check_documents(self) -> int:
        """What was taken is there, once, read, and alive in one version."""
        from django.db.models import Count, Q

        from knowledge.models import Document

        kept = {pk for name, pk in self._record.uploaded.items() if name not in self._record.deleted}
        rows = Document.objects.present().filter(file_name__startswith="note ")
        live = Q(pages__removed_in=None, pages__added_in__isnull=False)
        found = list(rows.annotate(live=Count("pages", filter=live, distinct=True)))
        for lost in kept - {str(row.pk) for row in found}:
            self._record.add_violation(f"document {lost} was taken and is lost")
        for name, count in Counter(row.file_name for row in found).items():
            if count > 1:
                self._record.add_violation(f"document {name} is there {count} times")
        for row in found:
            if row.status != "ready":
                self._record.add_violation(f"document {row.pk} is {row.status}: {row.error_code} {row.error}")
            elif row.live != 1:
                self._record.add_violation(f"document {row.pk} has {row.live} live pages and not 1")
        self._record.checks["documents"] += len(found)
        return len(found)

    def check_runs(self) -> int:
        """Every message was answered, or says why not."""
        from agents.models import AgentRun

        for run in AgentRun.objects.all():
            if run.state not in ("done", "waiting") and not (run.state == "failed" and run.error):
                self._record.add_violation(f"run {run.pk} is {run.state}, without a reason")
        lost = self._record.runs - {str(pk) for pk in AgentRun.objects.values_list("pk", flat=True)}
        for one in sorted(lost):
            self._record.add_violation(f"run {one} is lost")
        self._record.checks["runs"] += AgentRun.objects.count()
        return len(self._record.runs)

    # --- Webhooks -----------------------------------------------------------------------------------------------------

    def check_deliveries(self) -> int:
        """Every event was told, no more often than it was attempted, signed; and every document that became ready was
        an event."""
        from django.utils import timezone

        from webhooks.models import Delivery, Webhook

        events = [_Told.of(one) for one in self._site.receiver.arrived]
        arrived = Counter(one.event_id for one in events)
        rows = list(Delivery.objects.select_related("webhook"))
        for row in rows:
            if row.state != Delivery.State.DELIVERED:
                self._record.add_violation(f"delivery {row.pk} is {row.state} after {row.attempts}: {row.error}")
            elif not 1 <= arrived[row.event_id] <= row.attempts:
                self._record.add_violation(f"event {row.event_id} came {arrived[row.event_id]}×, sent {row.attempts}×")
        told = {row.data.get("document", {}).get("id") for row in rows if row.event == "document.ready"}
        kept = {pk for name, pk in self._record.uploaded.items() if name not in self._record.deleted}
        for silent in sorted(kept - told):
            self._record.add_violation(f"no event told of document {silent}")
        webhooks = Webhook.objects.select_related("plugin")
        secrets = {one.plugin.slug: one.valid_secrets(now=timezone.now()) for one in webhooks}
        for one in events:
            if not one.is_signed(secrets[one.plugin]):
                self._record.add_violation(f"event {one.event_id} came without a valid signature")
        self._record.checks["events"] += len(rows)
        self._record.checks["events that came twice"] += sum(count > 1 for count in arrived.values())
        return len(rows)

    # --- Places -------------------------------------------------------------------------------------------------------

    def check_places(self) -> int:
        """Nobody holds a place among the questions that are answered at once, now that nobody asks. What was asked of a
        web process that was killed may hold its place for a quarter of an hour."""
        from django.conf import settings
        from redis import Redis

        with Redis.from_url(settings.CACHE_URL, socket_timeout=5) as redis:
            names = [key for key in redis.scan_iter("*streams*") if redis.type(key) == b"zset"]
            held = {name.decode(): redis.zcard(name) for name in names}
        cut = sum(count for (_, outcome), count in self._record.outcomes.items() if outcome == CUT)
        for name, count in held.items():
            if count > cut:
                self._record.add_violation(f"{count} places are held in {name.rpartition(':')[2]} though nobody asks")
        self._record.checks["places still held by killed processes"] += max(held.values(), default=0)
        return 1


@dataclass(frozen=True, kw_only=True)
class _Told:
    """An event as it came to the receiver."""

    event_id: str
    timestamp: str
    signatures: set[str]
    plugin: str
    body: bytes

    @classmethod
    def of(cls, arrived: Arrived) -> _Told:
        headers = {name.lower(): value for name, value in arrived.headers.items()}
        return cls(
            event_id=headers["webhook-id"],
            timestamp=headers["webhook-timestamp"],
            signatures=set(headers["webhook-signature"].split()),
            plugin=json.loads(arrived.body)["data"]["plugin"]["slug"],
            body=arrived.body,
        )

    def is_signed(self, secrets: Sequence[str]) -> bool:
        """After Standard Webhooks, with any of these secrets."""
        signed = f"{self.event_id}.{self.timestamp}.".encode() + self.body
        keys = [b64decode(secret.removeprefix("whsec_")) for secret in secrets]
        return any(f"v1,{b64encode(hmac.digest(key, signed, 'sha256')).decode()}" in self.signatures for key in keys)
