from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from querying.question.planning.times import find_time
from tests.querying.question.planning.lists import TODAY

TIMES = {
    "not before 2015": ("2015-01-01", None),
    "no earlier than March 2016": ("2016-03-01", None),
    "as far back as 2014": ("2014-01-01", None),
    "up until 2015": (None, "2015-12-31"),
    "2015 and before": (None, "2015-12-31"),
    "before the end of March 2016": (None, "2016-03-31"),
    "older than a year": (None, "2025-11-20"),
    "more than two weeks ago": (None, "2026-11-06"),
    "less than a month old": ("2026-10-21", None),
    "2016 Q3": ("2016-07-01", "2016-09-30"),
    "Q1 and Q2 2016": ("2016-01-01", "2016-06-30"),
    "third quarter 2016": ("2016-07-01", "2016-09-30"),
    "in H2 last year": ("2025-07-01", "2025-12-31"),
    "2014-16": ("2014-01-01", "2016-12-31"),
    "2014/15": ("2014-01-01", "2015-12-31"),
    "2014-11": ("2014-11-01", "2014-11-30"),
    "3.5.2016": ("2016-05-03", "2016-05-03"),
    "between the 1st and the 15th of May 2016": ("2016-05-01", "2016-05-15"),
    "in the 90s": ("1990-01-01", "1999-12-31"),
    "early 2010s": ("2010-01-01", "2013-12-31"),
    "in late summer 2016": ("2016-08-01", "2016-08-31"),
    "in the autumn": ("2026-09-01", "2026-11-30"),
    "in recent months": ("2026-08-21", "2026-11-21"),
    "the last half year": ("2026-05-21", "2026-11-21"),
    "the last thirty days": ("2026-10-22", "2026-11-21"),
    "in the week starting 5 October": ("2026-10-05", "2026-10-11"),
}


@pytest.mark.parametrize("words", TIMES)
def test_a_time_is_read_as_it_is_said(words: str) -> None:
    said = find_time(f"posts {words} about it", today=TODAY)
    assert said is not None
    assert tuple(day and day.isoformat() for day in (said.days.first, said.days.last)) == TIMES[words]


@pytest.mark.parametrize("text", ["tighten the spring", "more than two days of work", "we march", "May I?"])
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert find_time(text, today=TODAY) is None


WORDS = st.sampled_from(
    [
        "the",
        "last",
        "99",
        "31",
        "0",
        "2016",
        "1500",
        "0000",
        "feb",
        "easter",
        "week",
        "before",
        "of",
        "q4",
        "h2",
        "century",
        "and",
        "to",
        "-",
        "/",
        ".",
        "older",
        "than",
        "ago",
        "half",
    ]
)


@given(st.lists(WORDS, max_size=12).map(" ".join))
def test_no_mixture_of_words_breaks_it(text: str) -> None:
    said = find_time(text, today=TODAY)
    assert said is None or 0 <= said.start < said.end <= len(text)
