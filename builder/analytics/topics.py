"""Questions by topic over time, and the reasons of refusals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.utils import timezone

from builder.analytics import charts
from knowledge.embedders import EmbedderError
from querying.models import QueryQuerySet
from querying.query_log.question_clustering import group_similar, question_vectors
from querying.types.answer import Outcome

MAX_TOPICS = 8
# The newest so many questions, and so many different ones among them, are grouped.
MAX_QUERIES, MAX_QUESTIONS = 5000, 400
_REASONS = {
    "no_evidence": "no passage answers it well enough",
    "self_refusal": "the passages that were read do not say it",
    "no_citations": "no sentence of the answer is supported by a source",
    "phantom_citations": "the language model named sources that were not read",
    "unsupported_recommendation": "a tree reached an end that no page supports",
    "nothing_filled": "none of the requested fields is in the documents",
    "fields_not_verified": "no requested field could be verified",
}


@dataclass(frozen=True, kw_only=True)
class AskedTopic:
    """Questions about the same thing, by the wording that is most frequent. `counts` are those of each day or week."""

    question: str
    count: int
    answered: int
    refused: int
    days: Sequence[date]
    counts: Sequence[int]

    @property
    def path(self) -> str:
        return charts.topic_path(self.counts)

    @property
    def by_day(self) -> list[tuple[date, int]]:
        """Days or weeks on which it was asked."""
        return [(day, count) for day, count in zip(self.days, self.counts, strict=True) if count]


def topics_context(queries: QueryQuerySet, first: date, last: date, *, weekly: bool) -> dict[str, Any]:
    """The topics that are asked most, and refusals by their reason. Two statements."""
    rows = list(
        queries.filter(erased_at=None)
        .with_full_question()
        .order_by("-created_at", "pk")
        .values_list("full", "created_at", "outcome")[:MAX_QUERIES]
    )
    reasons = queries.refusals_by_reason()
    most = reasons[0][1] if reasons else 1
    topics = _topics(rows, _days(first, last, weekly=weekly), weekly=weekly)
    return {
        "topics": topics,
        "grouped_count": len(rows),
        "is_cut": len(rows) == MAX_QUERIES or len({question for question, _, _ in rows}) > MAX_QUESTIONS,
        "reasons": [
            (_REASONS.get(code, code.replace("_", " ") or "not recorded"), count, round(100 * count / most, 1))
            for code, count in reasons
        ],
    }


def _topics(rows: Sequence[tuple[str, Any, str]], days: Sequence[date], *, weekly: bool) -> list[AskedTopic]:
    asked: dict[str, list[tuple[Any, str]]] = {}
    for question, at, outcome in rows:
        if question in asked or len(asked) < MAX_QUESTIONS:
            asked.setdefault(question, []).append((at, outcome))
    questions = list(asked)
    try:
        vectors = question_vectors(questions)
    except EmbedderError:  # the page shows everything else
        return []
    groups = group_similar(vectors, weights=[len(asked[question]) for question in questions])
    topics = [_topic([questions[row] for row in group], asked, days, weekly=weekly) for group in groups]
    return sorted(topics, key=lambda topic: (-topic.count, topic.question))[:MAX_TOPICS]


def _topic(
    wordings: Sequence[str], asked: dict[str, list[tuple[Any, str]]], days: Sequence[date], *, weekly: bool
) -> AskedTopic:
    all_asked = [one for wording in wordings for one in asked[wording]]
    outcomes = Counter(outcome for _, outcome in all_asked)
    by_day = Counter(_bucket(timezone.localdate(at), weekly=weekly) for at, _ in all_asked)
    return AskedTopic(
        question=wordings[0],
        count=len(all_asked),
        answered=outcomes[Outcome.ANSWERED.value],
        refused=outcomes[Outcome.REFUSED.value],
        days=days,
        counts=[by_day[day] for day in days],
    )


def _days(first: date, last: date, *, weekly: bool) -> list[date]:
    start = _bucket(first, weekly=weekly)
    return [start + timedelta(days=offset) for offset in range(0, (last - start).days + 1, 7 if weekly else 1)]


def _bucket(day: date, *, weekly: bool) -> date:
    """The day itself, or the Monday of its week."""
    return day - timedelta(days=day.weekday()) if weekly else day
