"""The usage of keys: their questions by day and by outcome."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from uuid import UUID

from django.utils import timezone

from querying.models import Query

USAGE_DAYS = 30


@dataclass(frozen=True, kw_only=True)
class DailyUsage:
    day: date
    outcomes: Mapping[str, int]

    @property
    def questions(self) -> int:
        return sum(self.outcomes.values())


@dataclass(frozen=True, kw_only=True)
class KeyUsage:
    """The last `USAGE_DAYS` days of a key, oldest first; days without questions are included."""

    days: tuple[DailyUsage, ...]

    @property
    def questions(self) -> int:
        return sum(day.questions for day in self.days)

    @property
    def busiest(self) -> int:
        return max(day.questions for day in self.days)

    @property
    def outcomes(self) -> dict[str, int]:
        """The number of questions by outcome, the most frequent first."""
        together: Counter[str] = Counter()
        for day in self.days:
            together.update(day.outcomes)
        return dict(together.most_common())


def usage_by_key(keys: Iterable[UUID], *, today: date | None = None) -> dict[UUID, KeyUsage]:
    """Each of these keys and its use: one statement for all of them."""
    ids = list(keys)
    today = today or timezone.now().date()
    first = today - timedelta(days=USAGE_DAYS - 1)
    counted: dict[tuple[UUID, date], dict[str, int]] = defaultdict(dict)
    asked = Query.objects.filter(api_key__in=ids).questions().created_between(first, today)
    for key, day, outcome, count in asked.by_key_day_and_outcome():
        counted[key, day][outcome] = count
    days = [first + timedelta(days=number) for number in range(USAGE_DAYS)]
    return {
        key: KeyUsage(days=tuple(DailyUsage(day=day, outcomes=counted.get((key, day), {})) for day in days))
        for key in ids
    }
