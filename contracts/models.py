"""Reviews of contracts, and their findings."""

from __future__ import annotations

import uuid
from collections.abc import Collection
from decimal import Decimal
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models, transaction
from django.utils import timezone

from accounts import quotas
from accounts.models import ApiKey, Principal, User
from contracts.risk import Classification, RiskLevel, risk_level
from knowledge.models import BaseKind, Document, KnowledgeBase, PinKind
from knowledge.revision_pins import release_pins
from lexic.compiled_query import written_out
from lexic.errors import NotFound
from lexic.name_field import NameField
from querying.types.token_usage import Usage

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager


MAX_NOTE_CHARACTERS = 2000  # of what a person writes beside a finding


class ReviewKind(models.TextChoices):
    CONTRACT = "contract", "contract"
    NDA = "nda", "non-disclosure agreement"
    COMPARISON = "comparison", "comparison of two versions"


class ReviewState(models.TextChoices):
    QUEUED = "queued", "queued"
    RUNNING = "running", "running"
    DONE = "done", "done"
    FAILED = "failed", "failed"


_CLASSES = [(one.value, one.value) for one in Classification]
ENGLISH = "en"
# Who checked a review that no language model judged.
RULES = "rules"
UNFINISHED_STATES = (ReviewState.QUEUED, ReviewState.RUNNING)


class Verdict(models.TextChoices):
    """What the contract says of a position."""

    PREFERRED = "preferred", "says what is preferred"
    ACCEPTABLE = "acceptable", "says what is acceptable"
    WALK_AWAY = "walk_away", "says what the playbook rules out"
    DENIED = "denied", "differs from what the playbook wants"
    LIMIT_BROKEN = "limit_broken", "goes beyond a limit"
    UNCLEAR = "unclear", "unclear"
    MISSING = "missing", "not found"
    CHANGED = "changed", "changed between the versions"


class Decision(models.TextChoices):
    """What a person made of a finding."""

    ACCEPTED = "accepted", "accepted"
    DISMISSED = "dismissed", "dismissed"


class ReviewDeleted(NotFound):
    """The review has been deleted, or a document that it reads."""

    code = "unknown_review"


class ContractReviewQuerySet(models.QuerySet["ContractReview"]):
    """Whoever may read the document may see its reviews; whoever may change it may change them. A review of two
    versions needs both, and one by a private playbook whoever may read that. A key that is limited to some plugins
    sees none."""

    def visible_to(self, principal: Principal) -> ContractReviewQuerySet:
        if isinstance(principal, ApiKey) and not principal.opens_private_bases():
            return self.none()
        bases = written_out(KnowledgeBase.objects.visible_to(principal).values("pk"))
        shown = models.Q(playbook_base=None) | models.Q(playbook_base__kind=BaseKind.PLUGIN)
        private = models.Q(playbook_base__in=bases) & ~models.Q(playbook_document__removed_in__isnull=False)
        return self._over_bases(bases).filter(shown | private)

    def editable_by(self, principal: Principal) -> ContractReviewQuerySet:
        edited = written_out(KnowledgeBase.objects.editable_by(principal).values("pk"))
        return self.visible_to(principal)._over_bases(edited)

    def unfinished(self) -> ContractReviewQuerySet:
        return self.filter(state__in=UNFINISHED_STATES)

    def of_removed_documents(self) -> ContractReviewQuerySet:
        """Reviews whose document, compared version or private playbook has been deleted."""
        compared = models.Q(compared_document__removed_in__isnull=False)
        private = models.Q(playbook_document__removed_in__isnull=False) & ~models.Q(playbook_base__kind=BaseKind.PLUGIN)
        return self.filter(models.Q(document__removed_in__isnull=False) | compared | private)

    def that_read_document(self, document: Document) -> ContractReviewQuerySet:
        """Reviews of the document, reviews that compare with it, and reviews by it as their playbook."""
        compared, playbook = models.Q(compared_document=document), models.Q(playbook_document=document)
        return self.filter(models.Q(document=document) | compared | playbook)

    def that_read_bases(self, bases: Collection[int] | models.QuerySet[Any, Any]) -> ContractReviewQuerySet:
        """Reviews of documents in these knowledge bases, that compare with one of them, or by a playbook there."""
        compared, playbook = models.Q(compared_document__knowledge_base__in=bases), models.Q(playbook_base__in=bases)
        return self.filter(models.Q(document__knowledge_base__in=bases) | compared | playbook)

    @transaction.atomic
    def delete_with_pins(self) -> None:
        """Deletes them with their findings and pins. A worker that makes one of them has written its finding before,
        or finds no review any more."""
        rows = self.model.objects.filter(pk__in=self.order_by().values("pk")).order_by("pk")
        found = list(rows.select_for_update().values_list("pk", flat=True))
        release_pins(PinKind.REVIEW, found)
        self.model.objects.filter(pk__in=found).delete()

    def _over_bases(self, bases: Any) -> ContractReviewQuerySet:
        compared = models.Q(compared_document=None) | models.Q(
            compared_document__knowledge_base__in=bases, compared_document__removed_in=None
        )
        return self.filter(compared, document__knowledge_base__in=bases, document__removed_in=None)

    @transaction.atomic
    def begin(self, *, by: User, **columns: Any) -> ContractReview:
        """A review that waits for a worker. Raises `TooManyReviews`, `TooManyUnfinishedReviews`."""
        self.check_may_begin(by)
        quotas.REVIEWS.check("account", used=self.filter(created_by=by).count())
        return self.create(created_by=by, **columns)

    def check_may_begin(self, person: User) -> None:
        """Inside a transaction: whether one more of this person's may wait for a worker. Raises
        `TooManyUnfinishedReviews`."""
        User.objects.select_for_update(no_key=True).only("pk").get(pk=person.pk)  # counted one at a time
        quotas.UNFINISHED_REVIEWS.check("account", used=self.unfinished().filter(created_by=person).count())


class ContractReview(models.Model):
    """A document at a revision, read against a playbook as it stood. A worker makes it finding by finding, so that one
    that was interrupted goes on behind the last finding."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    document = models.ForeignKey(Document, on_delete=models.CASCADE, related_name="contract_reviews")
    revision = models.PositiveIntegerField(help_text="Of the document's knowledge base.")
    # The other version, of a comparison: the earlier one.
    compared_document = models.ForeignKey(
        Document, on_delete=models.CASCADE, null=True, blank=True, related_name="comparisons"
    )
    compared_revision = models.PositiveIntegerField(null=True, blank=True)
    kind = models.CharField(max_length=10, choices=ReviewKind.choices, default=ReviewKind.CONTRACT)
    side = models.CharField(max_length=60, blank=True)
    state = models.CharField(max_length=8, choices=ReviewState.choices, default=ReviewState.QUEUED)
    positions_done = models.PositiveSmallIntegerField(default=0)
    positions_total = models.PositiveSmallIntegerField(default=0)
    starts = models.PositiveSmallIntegerField(default=0, help_text="How many workers died while making this review.")
    outages = models.PositiveSmallIntegerField(default=0, help_text="How often the embedder was away.")
    error_code = models.CharField(max_length=40, blank=True)
    error = models.TextField(blank=True)
    # By what it is asked for again. The review keeps the text; it outlives the document of a playbook of plugins, and
    # goes with that of a private one.
    playbook_key = models.CharField(max_length=60)
    playbook_document = models.ForeignKey(
        Document, on_delete=models.SET_NULL, null=True, blank=True, related_name="reviews_by_it"
    )
    # The review quotes the playbook, and goes with its base. Null: the playbook ships with Lexic.
    playbook_base = models.ForeignKey(
        KnowledgeBase, on_delete=models.CASCADE, null=True, blank=True, related_name="reviews_by_its_playbooks"
    )
    playbook_page = models.BigIntegerField(null=True, blank=True)
    playbook_name = NameField(max_length=200)
    playbook_version = models.CharField(max_length=40, blank=True)
    playbook_text = models.TextField()
    playbook_fields = models.JSONField(default=dict, blank=True, help_text="A front matter that its text has lost.")
    playbook_sha256 = models.CharField(max_length=64)
    structure = models.JSONField(default=dict, blank=True, help_text="Metadata and clauses, as tools are given them.")
    obligations = models.JSONField(
        null=True, blank=True, help_text="Sentences that oblige somebody or name a time, by place. Null: not read yet."
    )
    summary = models.TextField(blank=True)
    classification = models.CharField(max_length=6, choices=_CLASSES, blank=True)
    escalations = models.JSONField(default=list, blank=True)
    language = models.CharField(max_length=10, default=ENGLISH, help_text="Of the contract. The rules read “en” alone.")
    checked_by = models.CharField(max_length=80, default=RULES, help_text="“rules”, or the model that judged too.")
    prompt_tokens = models.PositiveIntegerField(default=0)
    completion_tokens = models.PositiveIntegerField(default=0)
    cost = models.DecimalField(
        max_digits=12, decimal_places=6, default=Decimal(0), help_text="Of the model, as far as it is known."
    )
    # Null: an account that was deleted.
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="contract_reviews"
    )
    request_key = models.CharField(
        max_length=64, blank=True, help_text="Names the request that asked for it, where the same one may come twice."
    )
    created_at = models.DateTimeField(default=timezone.now, editable=False)
    updated_at = models.DateTimeField(auto_now=True)

    objects = ContractReviewQuerySet.as_manager()

    findings: RelatedManager[Finding]

    class Meta:
        ordering = ["-created_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["request_key"], condition=~models.Q(request_key=""), name="review_once_a_request"
            )
        ]
        indexes = [
            models.Index(fields=["document", "-created_at"], name="review_document_recent"),
            models.Index(fields=["created_by"], name="review_creator"),
            models.Index(
                fields=["updated_at"], name="review_unfinished", condition=models.Q(state__in=["queued", "running"])
            ),
        ]

    def __str__(self) -> str:
        return f"{self.playbook_name} on {self.document_id}"

    @property
    def progress(self) -> str:
        return f"{self.positions_done} of {self.positions_total} positions"

    @property
    def is_english(self) -> bool:
        """The rules read no other language."""
        return self.language == ENGLISH

    @property
    def language_note(self) -> str:
        """What is to be known of a review that no rule could help with; "" of one in English."""
        return "" if self.is_english else "The contract is not in English: a language model alone has judged it."

    @property
    def is_finished(self) -> bool:
        return self.state not in UNFINISHED_STATES

    @transaction.atomic
    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Deletes the review and its pin on the document. Waits for a worker that is writing a finding of it."""
        list(ContractReview.objects.select_for_update().filter(pk=self.pk).values_list("pk"))
        release_pins(PinKind.REVIEW, [self.pk])
        return super().delete(*args, **kwargs)

    def lock_existing(self) -> None:
        """Locks the review against deletion until the transaction ends. Raises `ReviewDeleted` if it, or a document
        that it reads, has been deleted."""
        rows = ContractReview.objects.select_for_update(no_key=True).filter(pk=self.pk)
        is_there = rows.only("pk").first() is not None
        if not is_there or ContractReview.objects.of_removed_documents().filter(pk=self.pk).exists():
            raise ReviewDeleted

    def begin(self, *, total: int) -> None:
        """A worker makes it, and has read the structure and the obligations: so many findings are to come."""
        self.state, self.positions_total = ReviewState.RUNNING, total
        self.save(update_fields=["state", "positions_total", "structure", "obligations", "updated_at"])

    def advance(self, *, done: int) -> None:
        """So many positions have a finding now."""
        self.positions_done = done
        self.save(update_fields=["positions_done", "updated_at"])

    def count_model_call(self, usage: Usage, *, cost: Decimal | None) -> None:
        """Adds what a call of the model took; a cost that is not known adds nothing."""
        counted = {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens}
        added: dict[str, Any] = {**counted, "cost": cost or Decimal(0)}
        ContractReview.objects.filter(pk=self.pk).update(
            **{name: models.F(name) + more for name, more in added.items()}
        )

    def unanswered_findings(self, most: int) -> int:
        """How many of its last findings, at most so many, a model was to judge and did not."""
        opinions = self.findings.order_by("-number").values_list("model_opinion", flat=True)[:most]
        return sum(1 for _ in takewhile(lambda one: one and one["isUnanswered"], opinions))

    def finish(self, **columns: Any) -> None:
        """Marks the review as done, and saves these values of its columns."""
        for name, value in {**columns, "state": ReviewState.DONE}.items():
            setattr(self, name, value)
        self.save(update_fields=[*columns, "state", "updated_at"])

    def requeue(self) -> None:
        """Puts the review back into the queue. A worker continues after its last finding."""
        self.state, self.error_code, self.error = ReviewState.QUEUED, "", ""
        self.starts = self.outages = 0
        self.save(update_fields=["state", "error_code", "error", "starts", "outages", "updated_at"])

    def fail(self, *, code: str, error: str) -> None:
        """Nothing happens to a review that has been deleted meanwhile."""
        self.state, self.error_code, self.error = ReviewState.FAILED, code, error
        columns = {"state": self.state, "error_code": code, "error": error, "updated_at": timezone.now()}
        ContractReview.objects.filter(pk=self.pk).update(**columns)


class FindingQuerySet(models.QuerySet["Finding"]):
    def decided(self) -> FindingQuerySet:
        return self.exclude(decision="")

    def counts(self) -> dict[str, int]:
        """How many there are of each class."""
        rows = self.order_by().values("classification").annotate(count=models.Count("pk"))
        found = {row["classification"]: row["count"] for row in rows}
        return {one.value: found.get(one.value, 0) for one in Classification}


class Finding(models.Model):
    """What a contract says of one position. Every span is `{pageId, page, start, end, text}`, and stood word for word
    on its page when the finding was made; those of a playbook stand in the review's `playbook_text`."""

    review = models.ForeignKey(ContractReview, on_delete=models.CASCADE, related_name="findings")
    number = models.PositiveSmallIntegerField(help_text="From 1, as in the playbook.")
    position = NameField(max_length=200)
    verdict = models.CharField(max_length=12, choices=Verdict.choices)
    reason = models.TextField(blank=True)
    contract_spans = models.JSONField(default=list)
    nearest_spans = models.JSONField(default=list, help_text="What came nearest, where nothing was found.")
    compared_spans = models.JSONField(default=list, help_text="Of a comparison: what the earlier version said.")
    playbook_spans = models.JSONField(default=list)
    strength = models.FloatField(null=True, help_text="Of the evidence, 0 to 1.")
    severity = models.PositiveSmallIntegerField()
    likelihood = models.PositiveSmallIntegerField()
    classification = models.CharField(max_length=6, choices=_CLASSES)
    suggestion = models.TextField(blank=True)
    model_opinion = models.JSONField(
        null=True, blank=True, help_text="What a language model says beside the rules. Null: none was asked."
    )
    decision = models.CharField(max_length=10, choices=Decision.choices, blank=True)
    note = models.TextField(blank=True)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="decided_findings"
    )
    decided_at = models.DateTimeField(null=True, blank=True)

    objects = FindingQuerySet.as_manager()

    class Meta:
        ordering = ["review", "number"]
        constraints = [models.UniqueConstraint(fields=["review", "number"], name="finding_once")]

    def __str__(self) -> str:
        return f"{self.number}. {self.position}: {self.classification}"

    @property
    def score(self) -> int:
        return self.severity * self.likelihood

    @property
    def level(self) -> RiskLevel:
        return risk_level(self.score)

    @property
    def model_remark(self) -> str:
        """Says how a language model and the rules differ, and which of them counts; "" where they agree."""
        one = self.model_opinion
        if not one or one["agrees"]:
            return ""
        if one["classification"] is None:
            return f"{one['model']} gave no verdict that counts. {one['problem']}"
        says = f"{one['model']} says {one['classification']} ({Verdict(one['verdict']).label})"
        if not one["counts"]:
            return f"{says}, which does not count. {one['problem']}"
        rules = f"The rules alone say {one['rulesClassification']} ({Verdict(one['rulesVerdict']).label})."
        return f"{says}, and that counts. {rules}"

    def decide(self, decision: str, *, note: str, by: User) -> bool:
        """What this person makes of it; "" takes an earlier decision back. False where the review has been deleted
        meanwhile."""
        self.decision, self.note = decision, note
        self.decided_by, self.decided_at = (by, timezone.now()) if decision else (None, None)
        columns = {name: getattr(self, name) for name in ("decision", "note", "decided_by", "decided_at")}
        return bool(Finding.objects.filter(pk=self.pk).update(**columns))
