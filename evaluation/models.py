"""Golden questions and their evaluation runs. The tables still have the names of the app in which they were created."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils import timezone

from accounts.models import Principal
from lexic.compiled_query import written_out
from plugins.models import Plugin, Release
from querying.models import Query
from querying.types.answer import Outcome


class GoldenQuestionQuerySet(models.QuerySet["GoldenQuestion"]):
    def visible_to(self, principal: Principal) -> GoldenQuestionQuerySet:
        return self.filter(plugin__in=written_out(Plugin.objects.viewable_by(principal).values("pk")))

    def editable_by(self, principal: Principal) -> GoldenQuestionQuerySet:
        return self.filter(plugin__in=written_out(Plugin.objects.editable_by(principal).values("pk")))

    def offered_to_visitors(self) -> GoldenQuestionQuerySet:
        """The golden questions that their author shows to visitors, without those that failed in their last run."""
        return self.filter(is_public=True).exclude(last_passed=False).order_by("pk")


class GoldenQuestion(models.Model):
    """A question for which the expert has fixed the right answer or behaviour. `must_cite` holds `[document title,
    page]` pairs; the page is null if any page is right, or if the source has no pages."""

    class Expectation(models.TextChoices):
        ANSWER = "answer", "answers"
        REFUSE = "refuse", "refuses"
        CLARIFY = "clarify", "asks back"

    plugin = models.ForeignKey(Plugin, on_delete=models.CASCADE, related_name="golden_questions")
    question = models.TextField()
    facts = models.JSONField(default=dict, blank=True, help_text="What the caller says beside the question.")
    expectation = models.CharField(max_length=8, choices=Expectation.choices, default=Expectation.ANSWER)
    must_cite = models.JSONField(default=list, blank=True, help_text='Such as [["Cover handbook", 2]].')
    must_contain = ArrayField(
        models.CharField(max_length=200), default=list, blank=True, help_text="Words of the answer, in any case."
    )
    must_reach = models.CharField(max_length=120, blank=True, help_text="The id of a node of the tree.")
    # The text of a golden question belongs to its author, so only questions that the author has marked are shown to
    # visitors.
    is_public = models.BooleanField(
        "sample", default=False, help_text="Show it on the plugin’s page, for visitors to ask."
    )
    # The result of the last run; null after an edit.
    last_passed = models.BooleanField(null=True, editable=False)
    last_failures = models.JSONField(default=list, editable=False)
    created_at = models.DateTimeField(default=timezone.now, editable=False)

    objects = GoldenQuestionQuerySet.as_manager()

    class Meta:
        ordering = ["plugin", "pk"]
        db_table = "querying_goldenquestion"

    def __str__(self) -> str:
        return self.question[:80]

    def update(self, values: Mapping[str, Any]) -> bool:
        """Sets and saves the columns that differ. Returns whether any did."""
        changed = [name for name, value in values.items() if getattr(self, name) != value]
        for name in changed:
            setattr(self, name, values[name])
        self.discard_result(changed)
        if changed:
            self.save()
        return bool(changed)

    def discard_result(self, changed: Iterable[str]) -> bool:
        """Discards the last result if one of these columns makes it another question. Returns whether it was
        discarded."""
        is_other = any(name != "is_public" for name in changed)
        if is_other:
            self.last_passed, self.last_failures = None, []
        return is_other

    @classmethod
    def from_query(cls, query: Query) -> GoldenQuestion:
        """A golden question, not saved, that fixes how this query was answered."""
        expected = {Outcome.ANSWERED.value: cls.Expectation.ANSWER, Outcome.CLARIFY.value: cls.Expectation.CLARIFY}
        return cls(
            plugin=query.plugin,
            question=query.full_question,
            facts=query.facts,
            expectation=expected.get(query.outcome, cls.Expectation.REFUSE),
            must_cite=query.cited_places,
            must_reach=query.decided_node,
        )


class EvaluationRunQuerySet(models.QuerySet["EvaluationRun"]):
    def visible_to(self, principal: Principal) -> EvaluationRunQuerySet:
        return self.filter(plugin__in=written_out(Plugin.objects.viewable_by(principal).values("pk")))

    def erase_answers(self) -> None:
        """Erases the answers, which quote documents. The result of each question is kept."""
        runs: list[EvaluationRun] = list(self.exclude(questions=[]).only("questions"))
        for run in runs:
            run.questions = [{name: value for name, value in one.items() if name != "answer"} for one in run.questions]
        EvaluationRun.objects.bulk_update(runs, ["questions"], batch_size=100)


class EvaluationRun(models.Model):
    """The results of a plugin's golden questions; `release` is null for a draft. A run is never changed, except that
    its answers are erased with the documents that they quote.

    `content` is a fingerprint of what was asked and of what answered
    (`evaluation.golden.golden_dataset.run_fingerprint`). `questions` holds the result of each golden question.
    `calibration` is the curve that was fitted to them; null if there were too few.
    """

    plugin = models.ForeignKey(Plugin, on_delete=models.CASCADE, related_name="evaluation_runs")
    release = models.ForeignKey(Release, on_delete=models.SET_NULL, null=True, related_name="evaluation_runs")
    started = models.DateTimeField(default=timezone.now, editable=False)
    content = models.CharField(max_length=64, blank=True, editable=False)
    result = models.JSONField(default=dict, help_text="What `manage.py evaluate --json` prints.")
    questions = models.JSONField(default=list)
    calibration = models.JSONField(null=True)

    objects = EvaluationRunQuerySet.as_manager()

    class Meta:
        ordering = ["-started"]
        db_table = "querying_evaluationrun"
        indexes = [models.Index(fields=["plugin", "-started"], name="evaluation_plugin_recent")]

    def __str__(self) -> str:
        return f"{self.plugin}, {self.started:%Y-%m-%d %H:%M}"
