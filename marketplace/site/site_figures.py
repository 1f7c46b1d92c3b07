"""The figures of this site over the last 30 days, from the counts of each day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.core.cache import caches
from django.db.models import F, FloatField, Q, Sum
from django.db.models.functions import Cast
from django.utils import timezone
from django.utils.translation import gettext

from marketplace.listings.trust_label import MIN_QUESTIONS, format_percent, format_seconds
from marketplace.models import DayOfPlugin

FIGURE_DAYS = 30
_FIGURES_CACHE_SECONDS = 600  # seconds


@dataclass(frozen=True, kw_only=True)
class SiteFigures:
    """Shares of 0 to 1; None where there is nothing yet to measure."""

    dropped: float | None
    refused: float | None
    milliseconds: float | None
    asked: int

    @property
    def are_telling(self) -> bool:
        """Whether so many questions were asked that a share of them says something."""
        return self.asked >= MIN_QUESTIONS

    @property
    def rows(self) -> list[tuple[str, str]]:
        """Each figure in print, empty where there is none yet, and what it is of."""
        return [
            (
                format_percent(self.dropped),
                gettext("of sentences dropped before anyone saw them, because no page said so"),
            ),
            (format_percent(self.refused), gettext("of questions refused, because no source answered them")),
            (
                format_seconds(self.milliseconds),
                gettext("median time to a whole answer, every sentence of it compared with its page"),
            ),
        ]


def cached_figures() -> SiteFigures:
    """Some minutes old at most."""
    today = timezone.now().date()
    found = caches["process"].get_or_set(
        f"figures:{today}", lambda: compute_figures(today=today), _FIGURES_CACHE_SECONDS
    )
    assert isinstance(found, SiteFigures)
    return found


def compute_figures(*, today: date) -> SiteFigures:
    """Over the 30 days that end with this one (UTC). The time is the mean of each plugin's median on each day, weighed
    by its answers."""
    timed = Q(median_ms__isnull=False)
    weighed = F("median_ms") * Cast("answered", FloatField())
    sums = DayOfPlugin.objects.filter(day__gt=today - timedelta(days=FIGURE_DAYS)).aggregate(
        all_asked=Sum("asked"),
        all_refused=Sum("refused"),
        all_sentences=Sum("sentences"),
        all_dropped=Sum("dropped"),
        all_timed=Sum("answered", filter=timed),
        all_milliseconds=Sum(weighed, filter=timed, output_field=FloatField()),
    )
    return SiteFigures(
        dropped=_ratio(sums["all_dropped"], sums["all_sentences"]),
        refused=_ratio(sums["all_refused"], sums["all_asked"]),
        asked=sums["all_asked"] or 0,
        milliseconds=_ratio(sums["all_milliseconds"], sums["all_timed"]),
    )


def _ratio(part: Any, whole: Any) -> float | None:
    return (part or 0) / whole if whole else None
