"""How often a plugin was asked, day by day, as a drawing and as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext, ngettext, pgettext

from lexic.plots import Bar, PlotArea, stacked_bars
from marketplace.models import DayOfPlugin
from plugins.models import Plugin

CHART_DAYS = 30
_WIDTH, _HEIGHT = 300, 60


@dataclass(frozen=True, kw_only=True)
class UsageChart:
    """`days`: each of the last days, oldest first. `bars`: one for each day with questions."""

    days: Sequence[DayOfPlugin]
    bars: Sequence[Bar]
    asked: int
    width: int = _WIDTH
    height: int = _HEIGHT

    @property
    def busiest(self) -> DayOfPlugin:
        return max(self.days, key=lambda day: day.asked)

    @property
    def days_with_questions(self) -> list[DayOfPlugin]:
        return [day for day in reversed(self.days) if day.asked]

    @property
    def sentence(self) -> str:
        """The chart in words, for those who do not see it."""
        if not self.asked:
            return gettext("Not asked in the last %(days)s days.") % {"days": CHART_DAYS}
        return gettext("Asked %(times)s in the last %(days)s days, most often on %(day)s, %(most)s.") % {
            "times": times_phrase(self.asked),
            "days": CHART_DAYS,
            # Translators: a day and its month, as Django's date format has it.
            "day": date_format(self.busiest.day, pgettext("date format", "j F")),
            "most": times_phrase(self.busiest.asked),
        }


def build_usage_chart(plugin: Plugin, *, today: date | None = None) -> UsageChart:
    """The chart of the last days. One statement over rows that are counted already."""
    today = today or timezone.now().date()
    first = today - timedelta(days=CHART_DAYS - 1)
    counted = {row.day: row for row in plugin.days.filter(day__gte=first, day__lte=today)}
    dates = [first + timedelta(days=number) for number in range(CHART_DAYS)]
    days = [counted.get(day, DayOfPlugin(day=day)) for day in dates]
    highest = max(day.asked for day in days) or 1
    frame = PlotArea(right=_WIDTH, bottom=_HEIGHT, highest=highest)
    bars = stacked_bars([[day.asked] for day in days], frame, styles=[""])
    return UsageChart(days=days, bars=bars, asked=sum(day.asked for day in days))


def times_phrase(count: int) -> str:
    return ngettext("once", "%(figure)s times", count) % {"figure": number_format(count, force_grouping=True)}
