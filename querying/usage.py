"""What keys were used for: their questions by day and by how they ended."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from uuid import UUID

from django.utils import timezone

from querying.models import Query

DAYS = 30


@dataclass(frozen=True, kw_only=True)
class DayOfUse:
    day: date
    outcomes: Mapping[str, int]

    @property
    def questions(self) -> int:
        return sum(self.outcomes.values())


@dataclass(frozen=True, kw_only=True)
class Use:
    """The last `DAYS` days of a key, oldest first, days without questions among them."""

    days: tuple[DayOfUse, ...]

    @property
    def questions(self) -> int:
        return sum(day.questions for day in self.days)

    @property
    def busiest(self) -> int:
        return max(day.questions for day in self.days)

    @property
    def outcomes(self) -> dict[str, int]:
        """How many ended in which way, the most frequent first."""
        together: Counter[str] = Counter()
        for day in self.days:
            together.update(day.outcomes)
        return dict(together.most_common())


def use_of(keys: Iterable[UUID], *, today: date | None = None) -> dict[UUID, Use]:
    """Each of these keys and its use: one statement for all of them."""
    ids = list(keys)
    today = today or timezone.now().date()
    first = today - timedelta(days=DAYS - 1)
    counted: dict[tuple[UUID, date], dict[str, int]] = defaultdict(dict)
    asked = Query.objects.filter(api_key__in=ids).asked_on(first, today)
    for key, day, outcome, count in asked.by_key_day_and_outcome():
        counted[key, day][outcome] = count
    days = [first + timedelta(days=number) for number in range(DAYS)]
    return {
        key: Use(days=tuple(DayOfUse(day=day, outcomes=counted.get((key, day), {})) for day in days)) for key in ids
    }
