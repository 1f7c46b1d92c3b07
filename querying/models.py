from __future__ import annotations

import uuid
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models, transaction
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Coalesce
from django.utils import timezone

from accounts.models import ApiKey, User
from knowledge.models import KnowledgeBase
from plugins.models import VIEWABLE, Plugin, Release
from querying.answer_links import AnswerLink as AnswerLink
from querying.expert_requests import ExpertRequest as ExpertRequest
from querying.monthly_costs import MonthlyCost as MonthlyCost
from querying.query_statistics import JsonArrayElements, QueryStatistics
from querying.quoted_documents import QuotedDocuments
from querying.types.answer import Outcome
from querying.types.confidence import Confidence
from webhooks.models import Delivery

# What `QueryQuerySet.erase_content` leaves of a question: who asked, when, how it ended, and the figures.
ERASED_COLUMNS: dict[str, Any] = {
    "question": "",
    "context": [],
    "options": {},
    "facts": {},
    "plan": {},
    "passages": [],
    "answer": "",
    "citations": [],
    "decision_path": [],
    "error": "",
}
_ERASE_BATCH_SIZE = 1000
# Where a query's plan has the standalone question of a follow-up.
STANDALONE = "standalone"


# What waits in an inbox for longer than this is looked for on its page.
ATTENTION_PERIOD = timedelta(days=30)


class QueryQuerySet(QueryStatistics):
    def visible_to(self, user: User) -> QueryQuerySet:
        """What the person asked, and what was asked of plugins they may look at in the builder. Those who run the site
        see all but what others asked in private."""
        asked = models.Q(user=user) | models.Q(api_key__owner=user)
        if user.is_superuser and user.is_active:
            return self.filter(models.Q(is_private=False) | asked)
        return self.filter(asked | models.Q(plugin__in=VIEWABLE.ids(user)))

    def private(self) -> QueryQuerySet:
        """What was asked in private. It belongs to the one who asked, and to no plugin."""
        return self.filter(is_private=True)

    def lock_kept(self, pk: uuid.UUID) -> Query | None:
        """Locks the row with this id until the transaction ends; None if there is none whose words are kept. Whatever
        is added to it before then goes with its words."""
        return self.select_for_update(of=("self",), no_key=True).filter(pk=pk, erased_at=None).first()

    def read_from(self, knowledge_base: int) -> QueryQuerySet:
        """Queries that read this knowledge base. An index finds the private ones."""
        return self.filter(knowledge__contains=[{"knowledge_base": knowledge_base}])

    def quoting(self, documents: Iterable[str]) -> QueryQuerySet:
        """Queries that are not erased and whose answer cites one of these documents (ids). An index finds them."""
        rows = self.filter(erased_at=None).alias(quoted=QuotedDocuments("citations"))
        return rows.filter(quoted__has_any_keys=list(documents))

    def by_visitors(self, *, is_visitor: bool = True) -> QueryQuerySet:
        """Queries that were asked without an account and without a key; with `is_visitor` False the others."""
        condition = models.Q(user=None, api_key=None)
        return self.filter(condition if is_visitor else ~condition)

    def private_without_owner(self) -> QueryQuerySet:
        """Private ones with words whose asker is gone, or something that they read."""
        kept = self.private().filter(erased_at=None).order_by()
        pins = kept.annotate(pin=JsonArrayElements("knowledge")).values_list(KeyTextTransform("knowledge_base", "pin"))
        read = {int(pk) for (pk,) in pins.distinct()}
        gone = read - set(KnowledgeBase.objects.filter(pk__in=read).values_list("pk", flat=True))
        condition = models.Q(user=None, api_key=None)
        for pk in gone:
            condition |= models.Q(knowledge__contains=[{"knowledge_base": pk}])
        return kept.filter(condition)

    def filtered_by(self, *, version: str = "", by: str = "") -> QueryQuerySet:
        """Queries to one release, or to the draft; asked with "keys", or by "hand". Empty: all of them."""
        queries = self
        if version:
            queries = queries.filter(release=None) if version == "draft" else queries.filter(release__version=version)
        return queries.filter(api_key__isnull=by == "hand") if by else queries

    def with_full_question(self) -> QueryQuerySet:
        """With the question as it was read (`full`): of a follow-up ("and for slabs?") its standalone question."""
        standalone = KeyTextTransform(STANDALONE, "plan")
        return self.annotate(full=Coalesce(standalone, "question", output_field=models.TextField()))

    def own_tries(self) -> QueryQuerySet:
        """What people asked by hand of a draft, or of a plugin of their own: they saw the answer there and then."""
        is_draft = models.Q(release_name__endswith="@draft")
        return self.filter(is_draft | models.Q(user=models.F("plugin__owner")), api_key=None, user__isnull=False)

    def needing_attention(self, *, since: datetime, own_tries: bool = False) -> QueryQuerySet:
        """What the author should look at: refused, answered with low confidence, called wrong (`is_wrong`), or put to
        the expert (`is_requested`), and not dismissed since. Own tries only where they were called wrong, or with
        `own_tries`."""
        wrong = Feedback.objects.filter(query=models.OuterRef("pk"), verdict=Feedback.Verdict.DOWN)
        said_since = wrong.filter(created_at__gt=models.OuterRef("dismissal__at"))
        is_low = models.Q(outcome=Outcome.ANSWERED.value, confidence=Confidence.LOW.value)
        waiting = ExpertRequest.objects.waiting().filter(query=models.OuterRef("pk"))
        put_since = waiting.filter(created_at__gt=models.OuterRef("dismissal__at"))
        is_open = models.Q(dismissal=None) | models.Q(models.Exists(said_since)) | models.Q(models.Exists(put_since))
        asked = self.filter(created_at__gte=since, erased_at=None).annotate(
            is_wrong=models.Exists(wrong), is_requested=models.Exists(waiting)
        )
        needs = models.Q(outcome=Outcome.REFUSED.value) | is_low | models.Q(is_wrong=True) | models.Q(is_requested=True)
        if not own_tries:
            is_try = models.Exists(Query.objects.own_tries().filter(pk=models.OuterRef("pk")))
            needs &= ~models.Q(is_try) | models.Q(is_wrong=True) | models.Q(is_requested=True)
        return asked.filter(needs).filter(is_open)

    def erase_content(self, *, now: datetime) -> int:
        """Erases for good what was asked, answered and quoted, with the notes of people's feedback, links to it,
        requests to the expert and what webhooks are told of it. Returns how many rows had something to erase."""
        total, left = 0, self.filter(erased_at=None).order_by()
        while ids := list(left.values_list("pk", flat=True)[:_ERASE_BATCH_SIZE]):
            with transaction.atomic():
                # First: whoever adds something to one of these rows locks it, so nothing comes after what is deleted.
                total += Query.objects.filter(pk__in=ids).update(**ERASED_COLUMNS, erased_at=now)
                Feedback.objects.filter(query__in=ids).update(note="")
                StoredResponse.objects.filter(query__in=ids).delete()
                AnswerLink.objects.filter(query__in=ids).delete()
                ExpertRequest.objects.filter(query__in=ids).delete()
                _erase_from_deliveries(ids)
        return total


def _erase_from_deliveries(query_ids: list[uuid.UUID]) -> None:
    """Deliveries are kept for a month, so most questions have none any more."""
    told = Query.objects.filter(pk__in=query_ids, outcome=Outcome.REFUSED.value, plugin__webhooks__isnull=False)
    recent = told.filter(created_at__gte=timezone.now() - Delivery.KEPT_FOR - timedelta(days=1))
    ids_by_plugin: dict[uuid.UUID, list[uuid.UUID]] = {}
    for plugin_id, pk in recent.distinct().values_list("plugin_id", "pk"):
        ids_by_plugin.setdefault(plugin_id, []).append(pk)
    for plugin_id, ids in ids_by_plugin.items():
        Delivery.objects.filter(webhook__plugin=plugin_id).erase_questions(ids)


class Query(models.Model):
    """One question and everything that happened to it: the query row. It outlives its plugin and its key."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    plugin = models.ForeignKey(Plugin, on_delete=models.SET_NULL, null=True, related_name="queries")
    release = models.ForeignKey(Release, on_delete=models.SET_NULL, null=True, related_name="queries")
    # Kept in words, for the day the plugin is gone: `slug@1.2.0`, or `slug@draft`.
    release_name = models.CharField(max_length=100)
    # What the draft read, when there is no release row to look it up in.
    knowledge = models.JSONField(default=list)
    # The private bases that it read.
    layers = models.JSONField(default=list, db_default=[])
    # Then it has neither plugin nor release: the name above is for the one who asked.
    is_private = models.BooleanField(default=False, db_default=False, editable=False)
    # The private conversation that it was asked in. No foreign key: conversations know questions, and not the reverse.
    conversation_id = models.UUIDField(null=True, editable=False)
    api_key = models.ForeignKey(ApiKey, on_delete=models.SET_NULL, null=True, related_name="queries")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="queries")
    question = models.TextField()
    context = models.JSONField(default=list)
    options = models.JSONField(default=dict)
    facts = models.JSONField(default=dict)
    plan = models.JSONField(default=dict)
    passages = models.JSONField(default=list, help_text="What was read, best first: chunk and scores.")
    answer = models.TextField(blank=True)
    citations = models.JSONField(default=list)
    decision_path = models.JSONField(default=list)
    confidence = models.CharField(
        max_length=8,
        choices=[(level.value, level.value) for level in Confidence],
        default=Confidence.LOW.value,
    )
    outcome = models.CharField(max_length=12, choices=[(outcome.value, outcome.value) for outcome in Outcome])
    reason = models.CharField(max_length=40, blank=True)
    error = models.TextField(blank=True)
    evidence = models.FloatField(null=True, help_text="How well the best sentence answers, 0 to 1.")
    evidence_score = models.FloatField(null=True, help_text="The same less the signs of contradiction: it decides.")
    probability = models.FloatField(null=True, help_text="That the answer is right, as the plugin's curve states it.")
    timings = models.JSONField(default=dict, help_text="Milliseconds by step.")
    latency_ms = models.PositiveIntegerField(default=0)
    prompt_tokens = models.PositiveIntegerField(default=0)
    completion_tokens = models.PositiveIntegerField(default=0)
    sentences = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="How many were written; not all of them need have been shown."
    )
    unproven = models.PositiveSmallIntegerField(
        default=0, db_default=0, help_text="How many of them were dropped, because no source bore them out."
    )
    cost = models.DecimalField(max_digits=12, decimal_places=6, null=True)
    llm = models.CharField(max_length=120, blank=True)
    embedder = models.CharField(max_length=120, blank=True)
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    erased_at = models.DateTimeField(null=True, editable=False, help_text="When its words and answer were erased.")

    objects = QueryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "queries"
        ordering = ["-created_at"]
        indexes = [
            models.Index(fields=["plugin", "-created_at"], name="query_plugin_recent"),
            models.Index(fields=["api_key", "-created_at"], name="query_key_recent"),
            # Deleting a base looks for the private questions that read it.
            GinIndex(
                fields=["knowledge"],
                name="query_private_knowledge",
                opclasses=["jsonb_path_ops"],
                condition=models.Q(is_private=True),
            ),
            GinIndex(
                OpClass(QuotedDocuments("citations"), name="jsonb_ops"),
                name="query_quoted_documents",
                condition=models.Q(erased_at=None),
            ),
            models.Index(
                fields=["conversation_id"],
                name="query_conversation",
                condition=models.Q(conversation_id__isnull=False),
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(is_private=False) | models.Q(plugin=None, release=None),
                name="private_query_names_no_plugin",
            ),
            models.CheckConstraint(
                condition=models.Q(is_private=True) | models.Q(layers=[]), name="query_with_layers_is_private"
            ),
        ]

    def __str__(self) -> str:
        return "(erased)" if self.erased_at else self.question[:80]

    @property
    def cited_places(self) -> list[list[Any]]:
        """`[document title, page]` of each place that the answer cites, once each; the page may be None."""
        places = ((str(c.get("document", "")), c.get("page")) for c in self.citations)
        return [list(place) for place in dict.fromkeys(places)]

    @property
    def full_question(self) -> str:
        """The question as it was read: of a follow-up its standalone question."""
        return str(self.plan.get(STANDALONE) or self.question)

    @property
    def decided_node(self) -> str:
        """The id of the tree's node that decided, empty when none did."""
        last = self.decision_path[-1] if self.decision_path else {}
        has_decided = "result" in last and self.outcome != Outcome.CLARIFY
        return str(last.get("node", "")) if has_decided else ""


class StoredResponseQuerySet(models.QuerySet["StoredResponse"]):
    def readable_by(self, key: ApiKey) -> StoredResponseQuerySet:
        """Responses to questions that this key asked of plugins that it may still ask."""
        return self.filter(query__api_key=key, query__plugin__in=Plugin.objects.askable_by(key))


class StoredResponse(models.Model):
    """A response of `/v1/responses` as it was sent, for the key that asked: it can be read again and continued. It goes
    with its query row, and with the words of it."""

    query = models.OneToOneField(Query, on_delete=models.CASCADE, primary_key=True, related_name="stored_response")
    body = models.JSONField()
    turns = models.JSONField(help_text="The conversation up to the question: role and content of each.")

    objects = StoredResponseQuerySet.as_manager()

    def __str__(self) -> str:
        return f"resp_{self.query_id.hex}"


class FeedbackQuerySet(models.QuerySet["Feedback"]):
    def visible_to(self, user: User) -> FeedbackQuerySet:
        """What the person said, and what was said of answers of plugins they may look at."""
        return self.filter(models.Q(user=user) | models.Q(query__plugin__in=VIEWABLE.ids(user)))


class Feedback(models.Model):
    """What a person thinks of an answer. Each has one opinion of each; the latest one counts."""

    class Verdict(models.TextChoices):
        UP = "up", "right"
        DOWN = "down", "wrong"

    query = models.ForeignKey(Query, on_delete=models.CASCADE, related_name="feedback")
    # Nobody: the person left while the plugin was under legal hold.
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="feedback"
    )
    verdict = models.CharField(max_length=4, choices=Verdict.choices)
    note = models.TextField(blank=True, max_length=2000)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = FeedbackQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "feedback"
        ordering = ["-created_at"]
        constraints = [models.UniqueConstraint(fields=["query", "user"], name="feedback_once")]

    def __str__(self) -> str:
        return f"{self.get_verdict_display()}: {self.note[:80]}"


class DismissalQuerySet(models.QuerySet["Dismissal"]):
    def batches(self) -> models.QuerySet[Any, dict[str, Any]]:
        """What was sent away together, the latest first: `at`, `by`, whether it `is_automatic`, and the number of
        queries."""
        rows = self.order_by().values("at", "by", "is_automatic").annotate(count=models.Count("pk"))
        return rows.order_by("-at", "by")


class Dismissal(models.Model):
    """Somebody decided that nothing needs doing about a query. Asked again it is another query, and waits again."""

    query = models.OneToOneField(Query, on_delete=models.CASCADE, related_name="dismissal")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    at = models.DateTimeField(default=timezone.now, editable=False)
    is_automatic = models.BooleanField(
        default=False, db_default=False, editable=False, help_text="A later release answers it."
    )

    objects = DismissalQuerySet.as_manager()

    def __str__(self) -> str:
        return f"dismissed {self.at:%Y-%m-%d %H:%M}"

    @classmethod
    def record(cls, queries: Iterable[Query], *, by: User | None, at: datetime | None = None) -> int:
        """Dismisses the queries and returns their number; a query that was dismissed before is dismissed again. `by` is
        None if a release answers them. Queries that were dismissed at one moment (now, unless another is given) are
        restored together."""
        at = at or timezone.now()
        rows = [cls(query=query, by=by, at=at, is_automatic=by is None) for query in queries]
        cls._default_manager.bulk_create(
            rows, update_conflicts=True, unique_fields=["query"], update_fields=["by", "at", "is_automatic"]
        )
        return len(rows)
