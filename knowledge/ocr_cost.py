"""The processor time that OCR takes, for the operators' page and Prometheus."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta

from django.core.cache import cache
from django.utils import timezone

from knowledge.readers.types import PageText
from lexic import metrics

DAYS = 7
_KEPT_SECONDS = (DAYS + 1) * 24 * 3600


@dataclass(frozen=True, kw_only=True)
class OcrCost:
    """The pages that were read by OCR in the last `DAYS` days, and the processor seconds of one of them."""

    pages: int
    seconds_a_page: float


def count_pages(pages: Iterable[PageText]) -> None:
    """Count those of these pages that were read by OCR and have been stored."""
    costs = [page.ocr.cpu_seconds for page in pages if page.ocr and page.ocr.cpu_seconds]
    if costs:
        metrics.count_ocr(pages=len(costs), cpu_seconds=sum(costs))
        today = timezone.localdate()
        _add(_key("pages", today), len(costs))
        _add(_key("milliseconds", today), round(1000 * sum(costs)))


def recent_cost() -> OcrCost | None:
    """The recent cost of a page; None if no page was read by OCR recently."""
    days = [timezone.localdate() - timedelta(days=ago) for ago in range(DAYS)]
    pages, milliseconds = (
        sum(cache.get_many([_key(what, day) for day in days]).values()) for what in ("pages", "milliseconds")
    )
    return OcrCost(pages=pages, seconds_a_page=milliseconds / 1000 / pages) if pages else None


def _add(key: str, count: int) -> None:
    cache.add(key, 0, _KEPT_SECONDS)
    with suppress(ValueError):  # it was forgotten just now
        cache.incr(key, count)


def _key(what: str, day: date) -> str:
    return f"ocr-cost:{what}:{day.isoformat()}"
