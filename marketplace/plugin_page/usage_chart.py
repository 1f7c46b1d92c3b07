"""How often a plugin was asked, day by day, as a drawing and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.utils import timezone

from marketplace.models import DayOfPlugin
from plugins.models import Plugin

CHART_DAYS = 30
_WIDTH, _HEIGHT, _GAP = 10, 60, 3


@dataclass(frozen=True, kw_only=True)
class DayBar:
    """A day, and where its bar stands: in a drawing `width` wide and `height` high, counted from the top."""

    day: date
    asked: int
    answered: int
    refused: int
    x: int
    y: float
    height: float


@dataclass(frozen=True, kw_only=True)
class UsageChart:
    """`bars` has one for each of the last days, oldest first."""

    bars: Sequence[DayBar]
    asked: int
    width: int = CHART_DAYS * _WIDTH
    height: int = _HEIGHT
    bar_width: int = _WIDTH - _GAP

    @property
    def days_with_questions(self) -> list[DayBar]:
        return [bar for bar in reversed(self.bars) if bar.asked]

    @property
    def sentence(self) -> str:
        """The chart in words, for those who do not see it."""
        if not self.asked:
            return f"Not asked in the last {CHART_DAYS} days."
        busiest = max(self.bars, key=lambda bar: bar.asked)
        most_often = f"most often on {busiest.day.day} {busiest.day:%B}, {times_phrase(busiest.asked)}"
        return f"Asked {times_phrase(self.asked)} in the last {CHART_DAYS} days, {most_often}."


def build_usage_chart(plugin: Plugin, *, today: date | None = None) -> UsageChart:
    """The chart of the last days. One statement over rows that are counted already."""
    today = today or timezone.now().date()
    first = today - timedelta(days=CHART_DAYS - 1)
    rows = {row.day: row for row in plugin.days.filter(day__gte=first, day__lte=today)}
    days = [first + timedelta(days=number) for number in range(CHART_DAYS)]
    maximum = max((row.asked for row in rows.values()), default=0)
    bars = [_day_bar(number, rows.get(day) or DayOfPlugin(day=day), maximum) for number, day in enumerate(days)]
    return UsageChart(bars=bars, asked=sum(bar.asked for bar in bars))


def times_phrase(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _day_bar(number: int, row: DayOfPlugin, maximum: int) -> DayBar:
    height = round(_HEIGHT * row.asked / maximum, 1) if maximum else 0.0
    return DayBar(
        day=row.day,
        asked=row.asked,
        answered=row.answered,
        refused=row.refused,
        x=number * _WIDTH,
        y=_HEIGHT - height,
        height=height,
    )
