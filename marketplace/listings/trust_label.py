"""The trust label: what was measured of a release, as counts with their likely range. Nothing in it is claimed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.utils.formats import date_format, number_format
from django.utils.translation import gettext, ngettext

from marketplace.listings.stale_score_messages import shown_attention
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
        low, high = (_percent_figure(one) for one in (self.low, self.high))
        likely = gettext("%(share)s, likely between %(low)s and %(high)s") % {
            "share": format_percent(self.share),
            "low": low,
            "high": high,
        }
        return f"{likely}{few_questions_remark(self.total)}"

    @property
    def bar(self) -> dict[str, str]:
        """`x` and `width` of the range and `mark` of the value on a bar that is 100 wide, as SVG takes numbers."""
        mark = min(100 - 2 * _HALF_MARK_WIDTH, max(0.0, 100 * self.share - _HALF_MARK_WIDTH))
        figures = {"x": 100 * self.low, "width": 100 * (self.high - self.low), "mark": mark}
        return {name: f"{value:.1f}" for name, value in figures.items()}


@dataclass(frozen=True, kw_only=True)
class TrustLabel:
    """The measured quality of a plugin; None means that it was not measured. Times are in milliseconds. `dropped` is a
    share of 0 to 1, of the sentences written for the questions `asked` in the last 30 days. `golden` questions were put
    to the release, and `passed` of them were answered as the author fixed."""

    version: str
    label: Label
    is_mostly_right: bool
    attention: str
    answered: Rate | None
    refused: Rate | None
    cited: Rate | None
    dropped: float | None
    asked: int
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
            (gettext("Answered right"), self.answered),
            (gettext("Refused what it must"), self.refused),
            (gettext("Right page cited"), self.cited),
        ]

    @property
    def dropped_percent(self) -> str:
        return format_percent(self.dropped)

    @property
    def dropped_basis(self) -> str:
        """Of which questions' sentences; empty where none were asked."""
        return "" if self.dropped is None else gettext("in the last 30 days") + few_questions_remark(self.asked)

    @property
    def median(self) -> str:
        return format_seconds(self.median_ms)

    @property
    def p95(self) -> str:
        return format_seconds(self.p95_ms)

    @property
    def sources_summary(self) -> str:
        """How many pages, the newest, and how many are superseded, as far as there is something to say."""
        pages = ngettext("%(count)s page", "%(count)s pages", self.pages) % {"count": _figure(self.pages)}
        # Fewer pages than sources are those of a few among sources without pages.
        said = [pages] if self.pages >= max(1, self.sources) else []
        if self.newest:
            said.append(gettext("newest %(month)s") % {"month": date_format(self.newest, "YEAR_MONTH_FORMAT")})
        superseded = ngettext("%(count)s superseded", "%(count)s superseded", self.superseded)
        said.append(superseded % {"count": self.superseded} if self.superseded else gettext("none superseded"))
        return "; ".join(said[:1]) + ("; " + ", ".join(said[1:]) if len(said) > 1 else "")

    @property
    def measured(self) -> str:
        """When, on what and by whom it was measured, a sentence; empty where it was not."""
        if self.measured_on is None:
            return ""
        counted = {"day": date_format(self.measured_on, "DATE_FORMAT"), "count": _figure(self.golden)}
        said = [
            ngettext(
                "Measured %(day)s on one golden question of the author.",
                "Measured %(day)s on %(count)s golden questions of the author.",
                self.golden,
            )
            % counted
        ]
        if self.to_refuse:
            said.append(
                ngettext("%(count)s must be refused.", "%(count)s must be refused.", self.to_refuse)
                % {"count": _figure(self.to_refuse)}
            )
        if self.asked_back:
            total = self.asked_back.total
            said.append(
                ngettext("%(count)s needs a question back.", "%(count)s need a question back.", total)
                % {"count": _figure(total)}
            )
        if self.answerer == _EXTRACTIVE_ANSWERER:
            said.append(gettext("Answered by quoting, without a language model."))
        elif self.answerer:
            said.append(gettext("Answered by the model %(model)s.") % {"model": self.answerer})
        return " ".join(said)


def build_trust_label(listing: Listing) -> TrustLabel:
    """Of the release that the listing shows. No statement, where the listing comes with its release."""
    card: Mapping[str, Any] = listing.release.scorecard
    return TrustLabel(
        version=listing.release.version,
        label=Label(listing.label),
        is_mostly_right=listing.is_mostly_right,
        attention=shown_attention(listing.attention),
        answered=scorecard_rate(card, "answered"),
        refused=scorecard_rate(card, "refused"),
        cited=scorecard_rate(card, "cited"),
        dropped=listing.dropped_share,
        asked=listing.asked,
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
    if total >= MIN_QUESTIONS:
        return ""
    return ngettext("; only %(count)s question", "; only %(count)s questions", total) % {"count": total}


def format_percent(share: float | None) -> str:
    """With one decimal, where there is something to say after the point; empty for None."""
    return "" if share is None else gettext("%(figure)s%%") % {"figure": _percent_figure(share)}


def format_seconds(milliseconds: float | None) -> str:
    """To a tenth; shorter than that, in milliseconds; empty for None."""
    if milliseconds is None:
        return ""
    if milliseconds < 100:
        return f"{milliseconds:.0f} ms"
    return f"{number_format(float(f'{milliseconds / 1000:.1f}'), decimal_pos=1)} s"


def _percent_figure(share: float) -> str:
    percent = round(100 * share, 1)
    return number_format(percent, decimal_pos=0 if percent == int(percent) else 1)


def _figure(number: int) -> str:
    return number_format(number, force_grouping=True)
