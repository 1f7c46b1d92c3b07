"""Statistics of many queries, computed by the database: each method is one statement."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, Self

from django.db import models
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Cast, TruncDate, TruncWeek
from django.utils import timezone

from querying.types.answer import COURTESY, Outcome

# The steps that are timed, in the order in which they are taken.
TIMED_STEPS = ("retrieve", "tree", "weigh", "generate")

_UNFINISHED_OUTCOMES = [Outcome.ABANDONED.value, Outcome.FAILED.value]


class Percentile(models.Aggregate):
    """The value below which this share of the rows lies, between two rows where need be."""

    function = "PERCENTILE_CONT"
    template = "%(function)s(%(fraction)s) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = models.FloatField()

    def __init__(self, expression: Any, *, fraction: float, **extra: Any) -> None:
        super().__init__(expression, fraction=float(fraction), **extra)


class JsonArrayElements(models.Func):
    """One row for each element of a JSON list."""

    function = "jsonb_array_elements"
    output_field = models.JSONField()
    set_returning = True


class QueryStatistics(models.QuerySet[Any]):
    """The counting methods of queries."""

    def questions(self) -> Self:
        """Without turns that ask nothing, such as "Thanks"."""
        return self.exclude(reason=COURTESY)

    def created_between(self, first: date, last: date) -> Self:
        """The queries of these days, both included."""
        begin = timezone.make_aware(datetime.combine(first, time.min))
        end = timezone.make_aware(datetime.combine(last + timedelta(days=1), time.min))
        return self.filter(created_at__gte=begin, created_at__lt=end)

    def by_outcome_and_day(self, *, weekly: bool = False) -> list[tuple[date, str, int]]:
        """How many ended in which way, by day, or by week from its Monday. Days without any are left out."""
        days = self.order_by().annotate(day=_day_expression(weekly)).values_list("day", "outcome")
        return list(days.annotate(count=models.Count("pk")).order_by("day", "outcome"))

    def by_confidence(self) -> dict[str, int]:
        """Answers by their confidence; other outcomes have none that counts."""
        answered = self.filter(outcome=Outcome.ANSWERED.value).order_by()
        return dict(answered.values_list("confidence").annotate(models.Count("pk")))

    def refusals_by_reason(self) -> list[tuple[str, int]]:
        """The code of each reason, the most frequent first."""
        refused = self.filter(outcome=Outcome.REFUSED.value).order_by().values_list("reason")
        return list(refused.annotate(count=models.Count("pk")).order_by("-count", "reason"))

    def latency_by_day(self, *, weekly: bool = False) -> list[tuple[date, float, float]]:
        """The median and the 95th percentile of the milliseconds, by day or by week."""
        days = self._finished().annotate(day=_day_expression(weekly)).values_list("day")
        return list(days.annotate(**_percentiles("latency_ms")).order_by("day"))

    def sums(self) -> dict[str, Any]:
        """The sums of tokens and cost, the number of queries without a known cost (`unpriced`), and "half_STEP" and
        "most_STEP" in milliseconds (None if no query had the step)."""
        times = _percentiles("latency_ms", suffix="_whole")
        for step in TIMED_STEPS:
            milliseconds = Cast(KeyTextTransform(step, "timings"), models.FloatField())
            times |= _percentiles(milliseconds, suffix=f"_{step}")
        tokens = {
            "prompt_tokens": models.Sum("prompt_tokens"),
            "completion_tokens": models.Sum("completion_tokens"),
            "unpriced": models.Count("pk", filter=models.Q(cost=None)),  # before there is a sum of that name
            "cost": models.Sum("cost"),
        }
        return self._finished().aggregate(**tokens, **times)

    def cited_documents(self) -> list[tuple[str, str, int]]:
        """`(id, title, answers)` of each document that an answer cites, the most cited first."""
        cited = self.order_by().annotate(cited=JsonArrayElements("citations"))
        names = [KeyTextTransform(name, "cited") for name in ("documentId", "document")]
        titles: dict[str, str] = {}
        answers: Counter[str] = Counter()
        for pk, title, count in cited.values_list(*names).annotate(answers=models.Count("pk", distinct=True)):
            titles[pk] = title or ""  # one of them, where the document was renamed in between
            answers[pk] += count
        return [(pk, titles[pk], count) for pk, count in answers.most_common()]

    def by_key(self, *, limit: int) -> Sequence[tuple[Any, int, int]]:
        """`(key's id, questions, refusals)`, the busiest first; the id is None for what people asked by hand."""
        keys = self.order_by().values_list("api_key")
        refused = models.Count("pk", filter=models.Q(outcome=Outcome.REFUSED.value))
        return list(keys.annotate(count=models.Count("pk"), refused=refused).order_by("-count", "api_key")[:limit])

    def by_key_day_and_outcome(self) -> list[tuple[Any, date, str, int]]:
        """`(key's id, day, outcome, questions)`. Days without any are left out."""
        days = self.order_by().annotate(day=_day_expression(weekly=False)).values_list("api_key", "day", "outcome")
        return list(days.annotate(count=models.Count("pk")).order_by("api_key", "day", "outcome"))

    def by_plugin(self) -> dict[Any, dict[str, Any]]:
        """For each plugin that was asked: how many questions there were and how they ended (`count`, `answered`,
        `refused` …), the milliseconds within which `half` and `most` of them ended, the `tokens`, the cost (`spent`),
        and how many have no known cost (`unpriced`)."""
        is_finished = ~models.Q(outcome__in=_UNFINISHED_OUTCOMES)
        ended = {one.value: models.Count("pk", filter=models.Q(outcome=one.value)) for one in Outcome}
        rows = (
            self.order_by()
            .values("plugin")
            .annotate(
                count=models.Count("pk"),
                **_percentiles("latency_ms", filter=is_finished),
                tokens=models.Sum(models.F("prompt_tokens") + models.F("completion_tokens"), filter=is_finished),
                unpriced=models.Count("pk", filter=is_finished & models.Q(cost=None)),
                spent=models.Sum("cost", filter=is_finished),
                **ended,
            )
        )
        return {row["plugin"]: row for row in rows}

    def _finished(self) -> QueryStatistics:
        """Queries that neither failed nor were abandoned: only their times count."""
        return self.exclude(outcome__in=_UNFINISHED_OUTCOMES).order_by()


def _percentiles(expression: Any, *, suffix: str = "", **extra: Any) -> dict[str, Percentile]:
    """The median (`half`) and the 95th percentile (`most`)."""
    shares = {"half": 0.5, "most": 0.95}
    return {f"{name}{suffix}": Percentile(expression, fraction=share, **extra) for name, share in shares.items()}


def _day_expression(weekly: bool) -> Any:
    return TruncWeek("created_at", output_field=models.DateField()) if weekly else TruncDate("created_at")
