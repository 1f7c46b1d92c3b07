"""The topics that wait: queries that went wrong, brought together where they ask about the same thing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.utils import timezone

from lexic.plots import PlotArea, line_path
from plugins.models import Plugin
from querying.models import Query
from querying.query_log.question_clustering import group_similar, question_vectors
from querying.types.answer import Outcome

# Enough for a person to work through; the newest come first, so that what is left out is old.
MAX_QUERIES = 5000
MAX_QUESTIONS = 500
# A query counts half as much when it is so old: what is asked often and lately stands first.
HALF_LIFE = timedelta(days=7)
# The small picture of days: its points, and its size in units of its view box.
_POINTS, _WIDTH, _HEIGHT, _MARGIN = 30, 96.0, 24.0, 2.0


@dataclass(frozen=True, kw_only=True)
class InboxQuery:
    """One query that waits. The question of a follow-up is its standalone one, where it has one."""

    pk: UUID
    question: str
    at: datetime
    outcome: str
    is_wrong: bool
    is_requested: bool = False


@dataclass(frozen=True, kw_only=True)
class Topic:
    """Queries about the same thing, newest first. `wordings` are the other ways in which it was asked, nearest first;
    `representative_ids` has one query for every wording."""

    question: str
    wordings: list[str]
    queries: list[InboxQuery]
    representative_ids: list[UUID]
    weight: float

    @property
    def pk(self) -> UUID:
        """The newest query that asks in the words of the heading: the topic is shown with its passages."""
        return self.representative_ids[0]

    @property
    def count(self) -> int:
        return len(self.queries)

    @property
    def refused_count(self) -> int:
        return sum(one.outcome == Outcome.REFUSED for one in self.queries)

    @property
    def wrong_count(self) -> int:
        return sum(one.is_wrong for one in self.queries)

    @property
    def low_confidence_count(self) -> int:
        """The number of answers with low confidence that have no feedback and no request to an expert."""
        return sum(
            one.outcome == Outcome.ANSWERED and not one.is_wrong and not one.is_requested for one in self.queries
        )

    @property
    def requested_count(self) -> int:
        """How many people wait for a reply of the expert."""
        return sum(one.is_requested for one in self.queries)

    @property
    def last_asked_at(self) -> datetime:
        return self.queries[0].at

    def sparkline_path(self, *, days: int, now: datetime) -> str:
        """How often it was asked over the days, as the path of a line in a picture of 96 by 24."""
        step = timedelta(days=days) / _POINTS
        ago = Counter(min(_POINTS - 1, max(0, int((now - one.at) / step))) for one in self.queries)
        counts = [ago[point] for point in reversed(range(_POINTS))]
        frame = PlotArea(right=_WIDTH, top=_MARGIN, bottom=_HEIGHT - _MARGIN, highest=max(counts))
        return line_path([(n * _WIDTH / (_POINTS - 1), frame.y(count)) for n, count in enumerate(counts)])


def get_topics(plugin: Plugin, *, days: int, now: datetime | None = None, source: str = "") -> list[Topic]:
    """What waits of the last days, the newest and most frequent first; with the source `sandbox` what people of the
    plugin tried themselves. One statement.

    Raises EmbedderError.
    """
    now = now or timezone.now()
    columns = ("pk", "created_at", "outcome", "is_wrong", "is_requested", "full")
    asked, since = Query.objects.filter(plugin=plugin), now - timedelta(days=days)
    if source == "sandbox":
        waiting = asked.own_tries().needing_attention(since=since, own_tries=True)
    else:
        waiting = asked.needing_attention(since=since)
    by_question: dict[str, list[InboxQuery]] = {}
    waiting = waiting.with_full_question()
    for row in waiting.order_by("-created_at", "pk").values(*columns)[:MAX_QUERIES]:
        one = InboxQuery(at=row.pop("created_at"), question=row.pop("full"), **row)
        if one.question in by_question or len(by_question) < MAX_QUESTIONS:
            by_question.setdefault(one.question, []).append(one)
    questions = list(by_question.values())
    vectors = question_vectors([asked[0].question for asked in questions])
    found = group_similar(vectors, weights=[len(asked) for asked in questions])
    topics = [_make_topic([questions[row] for row in rows], now=now) for rows in found]
    # Where people wait for a reply, the topic stands before all others.
    return sorted(
        topics,
        key=lambda topic: (not topic.requested_count, -topic.weight, -topic.last_asked_at.timestamp(), topic.question),
    )


def _make_topic(questions: Sequence[list[InboxQuery]], *, now: datetime) -> Topic:
    asked = sorted((one for of in questions for one in of), key=lambda one: one.at, reverse=True)
    return Topic(
        question=questions[0][0].question,
        wordings=[of[0].question for of in questions[1:]],
        queries=asked,
        representative_ids=[of[0].pk for of in questions],
        weight=sum(0.5 ** ((now - one.at) / HALF_LIFE) for one in asked),
    )
