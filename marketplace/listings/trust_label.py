"""The trust label: what was measured of a release, as counts with their likely range. Nothing in it is claimed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from marketplace.models import Label, Listing

# Of a normal distribution, 95 % lies within so many standard deviations.
_Z_95 = 1.959964
# Half of the width of the mark at the value, on a bar that is 100 wide.
_HALF_MARK_WIDTH = 0.4
_EXTRACTIVE_ANSWERER = "extractive"
# A share of fewer questions than this is shown as one of few.
MIN_QUESTIONS = 10


@dataclass(frozen=True, kw_only=True)
class Rate:
    """So many right of so many asked (at least one), and between which shares (0 to 1) the true one likely lies."""

    right: int
    total: int

    @property
    def share(self) -> float:
        return self.right / self.total

    @property
    def low(self) -> float:
        return wilson_interval(self.right, self.total)[0]

    @property
    def high(self) -> float:
        return wilson_interval(self.right, self.total)[1]

    @property
    def sentence(self) -> str:
        low, high = (format_percent(one).removesuffix("%") for one in (self.low, self.high))
        return f"{format_percent(self.share)}, likely between {low} and {high}{few_questions_remark(self.total)}"

    @property
    def bar(self) -> dict[str, str]:
        """`x` and `width` of the range and `mark` of the value on a bar that is 100 wide, as SVG takes numbers."""
        mark = min(100 - 2 * _HALF_MARK_WIDTH, max(0.0, 100 * self.share - _HALF_MARK_WIDTH))
        figures = {"x": 100 * self.low, "width": 100 * (self.high - self.low), "mark": mark}
        return {name: f"{value:.1f}" for name, value in figures.items()}


@dataclass(frozen=True, kw_only=True)
class TrustLabel:
    """None is what nobody has measured yet. Times in milliseconds; `dropped` is a share of 0 to 1, of the sentences
    written in the last 30 days; `golden` questions were asked, of which `passed` went as the author fixed."""

    version: str
    label: Label
    is_mostly_right: bool
    attention: str
    answered: Rate | None
    refused: Rate | None
    cited: Rate | None
    dropped: float | None
    median_ms: float | None
    p95_ms: float | None
    sources: int
    pages: int
    newest: date | None
    superseded: int
    measured_on: date | None
    golden: int
    passed: int
    asked_back: Rate | None
    answerer: str

    @property
    def to_refuse(self) -> int:
        return self.refused.total if self.refused else 0

    @property
    def rates(self) -> list[tuple[str, Rate | None]]:
        """Always these, in this order."""
        return [
            ("Answered right", self.answered),
            ("Refused what it must", self.refused),
            ("Right page cited", self.cited),
        ]

    @property
    def dropped_percent(self) -> str:
        return format_percent(self.dropped)

    @property
    def median(self) -> str:
        return format_seconds(self.median_ms)

    @property
    def p95(self) -> str:
        return format_seconds(self.p95_ms)

    @property
    def sources_summary(self) -> str:
        """How many pages, the newest, and how many are superseded, as far as there is something to say."""
        said = [f"{self.pages:,} {'page' if self.pages == 1 else 'pages'}"] if self.pages else []
        if self.newest:
            said.append(f"newest {self.newest:%B %Y}")
        said.append(f"{self.superseded} superseded" if self.superseded else "none superseded")
        return "; ".join(said[:1]) + ("; " + ", ".join(said[1:]) if len(said) > 1 else "")

    @property
    def measured(self) -> str:
        """When, on what and by whom it was measured, a sentence; empty where it was not."""
        if self.measured_on is None:
            return ""
        parts = [f"{self.to_refuse} of which must be refused"] if self.to_refuse else []
        parts += [f"{self.asked_back.total} asked back about"] if self.asked_back else []
        of_which = f", {' and '.join(parts)}," if parts else ""
        counted = "one golden question" if self.golden == 1 else f"{self.golden:,} golden questions"
        answerer = "the quoting answerer" if self.answerer == _EXTRACTIVE_ANSWERER else f"the model {self.answerer}"
        by_whom = f" with {answerer}" if self.answerer else ""
        day = f"{self.measured_on.day} {self.measured_on:%B %Y}"
        return f"Measured {day} on the author’s {counted}{of_which}{by_whom}.".replace(",.", ".")


def build_trust_label(listing: Listing) -> TrustLabel:
    """Of the release that the listing shows. No statement, where the listing comes with its release."""
    card: Mapping[str, Any] = listing.release.scorecard
    return TrustLabel(
        version=listing.release.version,
        label=Label(listing.label),
        is_mostly_right=listing.is_mostly_right,
        attention=listing.attention,
        answered=scorecard_rate(card, "answered"),
        refused=scorecard_rate(card, "refused"),
        cited=scorecard_rate(card, "cited"),
        dropped=listing.dropped_share,
        median_ms=card.get("p50_ms"),
        p95_ms=card.get("p95_ms"),
        sources=listing.sources,
        pages=listing.pages,
        newest=listing.newest,
        superseded=listing.superseded,
        measured_on=listing.measured_on,
        golden=card.get("golden_total") or 0,
        passed=card.get("golden_passed") or 0,
        asked_back=scorecard_rate(card, "asked_back"),
        answerer=card.get("answerer") or "",
    )


def scorecard_rate(card: Mapping[str, Any], name: str) -> Rate | None:
    """`[right, asked]` of a scorecard; None where nothing was asked, and in scorecards that do not have it yet."""
    pair: Sequence[int] = card.get(name) or (0, 0)
    right, total = pair
    return Rate(right=right, total=total) if total else None


def wilson_interval(right: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a share by Wilson's score: it stays within 0 and 1, and holds for small numbers too."""
    if not total:
        return 0.0, 1.0
    share, spread = right / total, _Z_95 * _Z_95 / total
    centre = (share + spread / 2) / (1 + spread)
    half = _Z_95 * math.sqrt(share * (1 - share) / total + spread / (4 * total)) / (1 + spread)
    return max(0.0, centre - half), min(1.0, centre + half)


def few_questions_remark(total: int) -> str:
    """What stands behind a share of fewer than ten questions; empty behind others."""
    return "" if total >= MIN_QUESTIONS else f"; only {total} question{'' if total == 1 else 's'}"


def format_percent(share: float | None) -> str:
    """With one decimal, where there is something to say after the point; empty for None."""
    return "" if share is None else f"{100 * share:.1f}".removesuffix(".0") + "%"


def format_seconds(milliseconds: float | None) -> str:
    """To a tenth; shorter than that, in milliseconds; empty for None."""
    if milliseconds is None:
        return ""
    return f"{milliseconds / 1000:.1f} s" if milliseconds >= 100 else f"{milliseconds:.0f} ms"
