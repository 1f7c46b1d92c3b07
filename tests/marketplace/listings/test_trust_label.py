"""The trust label: counts with their likely range, and "not yet" for what nobody measured."""

from __future__ import annotations

from typing import Any

import pytest
from django.template.loader import render_to_string
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import User
from marketplace.listings.trust_label import (
    Rate,
    build_trust_label,
    format_percent,
    format_seconds,
    wilson_interval,
)
from marketplace.models import Listing
from tests.marketplace.catalogue.made import day, listed, scorecard

ROWS = [
    "Answered right",
    "Refused what it must",
    "Right page cited",
    "Sentences dropped as unproven",
    "Median answer",
    "Sources",
]


@pytest.mark.parametrize(
    ("right", "total", "sentence"),
    [
        (117, 120, "97.5%, likely between 92.9 and 99.1"),
        (30, 30, "100%, likely between 88.6 and 100"),
        (112, 117, "95.7%, likely between 90.4 and 98.2"),
        (10, 10, "100%, likely between 72.2 and 100"),
        (0, 3, "0%, likely between 0 and 56.1; only 3 questions"),
        (1, 1, "100%, likely between 20.7 and 100; only 1 question"),
    ],
)
def test_a_rate_says_its_range(right: int, total: int, sentence: str) -> None:
    assert Rate(right=right, total=total).sentence == sentence


@given(st.integers(1, 5000), st.data())
def test_the_range_holds_the_share_and_stays_on_the_bar(total: int, data: Any) -> None:
    right = data.draw(st.integers(0, total))
    rate = Rate(right=right, total=total)
    low, high = wilson_interval(right, total)
    assert 0 <= low <= rate.share <= high <= 1 or abs(rate.share - high) < 1e-9 or abs(rate.share - low) < 1e-9
    bar = {name: float(value) for name, value in rate.bar.items()}
    assert 0 <= bar["x"] <= 100
    assert bar["x"] + bar["width"] <= 100.11
    assert 0 <= bar["mark"] <= 99.2


def test_nothing_asked_says_nothing() -> None:
    assert wilson_interval(0, 0) == (0.0, 1.0)


def test_figures_are_written_short() -> None:
    assert [format_percent(share) for share in (0, 0.031, 0.5, 1)] == ["0%", "3.1%", "50%", "100%"]
    assert [format_seconds(ms) for ms in (12, 99.6, 240, 940, 12_000)] == [
        "12 ms",
        "100 ms",
        "0.2 s",
        "0.9 s",
        "12.0 s",
    ]


def shown(listing: Listing) -> str:
    return render_to_string("marketplace/_trust_label.html", {"trust": build_trust_label(listing)})


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("asked", "basis"), [(3, "in the last 30 days; only 3 questions"), (10, "in the last 30 days</dd>")]
)
def test_a_share_of_sentences_dropped_says_when_few_were_asked(alice: User, asked: int, basis: str) -> None:
    listing = listed(alice, "Cover", card=scorecard(117, 120, refused=(30, 30), date="2026-11-14"))
    Listing.objects.update(dropped_share=0.0, asked=asked)
    listing.refresh_from_db()
    assert basis in shown(listing)


@pytest.mark.django_db
def test_a_measured_release_shows_every_row_in_order(alice: User) -> None:
    listing = listed(alice, "Cover", card=scorecard(117, 120, refused=(30, 30), date="2026-11-14"))
    Listing.objects.update(dropped_share=0.031, sources=14, pages=2312, newest=day("2019-07-01"), superseded=1)
    listing.refresh_from_db()
    content = shown(listing)
    assert [row for row in ROWS if row in content] == ROWS
    assert sorted(ROWS, key=content.index) == ROWS
    for words in ("117 / 120", "30 / 30", "3.1%", "0.2 s", "95 of 100 within 0.9 s", "2,312 pages"):
        assert words in content
    assert "newest July 2019, 1 superseded" in content
    measured = (
        "Measured 14 November 2026 on 150 golden questions of the author. 30 must be refused. "
        "Answered by quoting, without a language model."
    )
    assert measured in content
    assert "not yet" not in content
    assert "style=" not in content


@pytest.mark.django_db
def test_what_was_not_measured_is_not_yet(alice: User) -> None:
    content = shown(listed(alice, "Cover"))
    assert content.count("not yet") == 5
    assert sorted(ROWS, key=content.index) == ROWS
    assert "Not measured" in content


@pytest.mark.django_db
def test_scorecards_of_early_releases_are_readable(alice: User) -> None:
    early = {
        "golden_total": 10,
        "golden_passed": 9,
        "citation_precision": 0.9,
        "refusal_accuracy": 1.0,
        "p95_ms": 900.0,
        "calibrated": False,
        "date": "2026-11-14",
    }
    listing = listed(alice, "Cover", card=early)
    assert (listing.label, listing.to_answer, listing.share_right) == ("measured", None, 0.9)
    content = shown(listing)
    assert content.count("not yet") == 5
    assert "Measured 14 November 2026 on 10 golden questions of the author." in content
