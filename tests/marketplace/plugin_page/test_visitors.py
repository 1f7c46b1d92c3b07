"""Whose questions are counted together."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import RequestFactory

from accounts import rate_limits, visitors
from accounts.rate_limits import DAY
from lexic.http.client_address import client_address

# The begin of a day in UTC.
BEGIN = 1_800_000_000.0 // DAY * DAY


def asked(address: str, forwarded: str = "") -> Any:
    headers = {"x-forwarded-for": forwarded} if forwarded else {}
    return RequestFactory().get("/", REMOTE_ADDR=address, headers=headers)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::"),
        ("2001:db8:1:2:bbbb::9", "2001:db8:1:2::"),
        ("", "unknown"),
        ("not an address", "unknown"),
    ],
)
def test_an_address_is_that_of_the_caller_or_its_network(address: str, said: str) -> None:
    assert client_address(asked(address)) == said


def test_what_a_caller_says_of_itself_counts_only_behind_a_proxy(settings: Any) -> None:
    request = asked("192.0.2.7", "203.0.113.1, 198.51.100.9")
    assert client_address(request) == "192.0.2.7"
    settings.BEHIND_PROXY = True
    # The last one is the proxy's own word; those before it are the caller's.
    assert client_address(request) == "198.51.100.9"


def test_a_name_does_not_tell_the_address(settings: Any) -> None:
    name = visitors.visitor_id(asked("192.0.2.7"))
    assert name == visitors.visitor_id(asked("192.0.2.7"))
    assert name != visitors.visitor_id(asked("192.0.2.8"))
    settings.SECRET_KEY = "another"
    assert name != visitors.visitor_id(asked("192.0.2.7"))


def test_who_is_refused_by_the_minute_keeps_the_day(settings: Any) -> None:
    settings.VISITOR_PER_MINUTE, settings.VISITOR_PER_DAY = 1, 5
    place, now = "a place of this test alone", 1_900_000_000.0
    assert rate_limits.count_visitor_request("somebody", place=place, now=now).left_today == 4
    refused = rate_limits.count_visitor_request("somebody", place=place, now=now)
    assert (refused.is_refused, refused.left_today) == (True, 4)
    assert rate_limits.count_visitor_request("somebody", place=place, now=now + 60).left_today == 3
    assert rate_limits.peek_visitor_allowance("somebody", place=place, now=now + 60).left_today == 3
    assert rate_limits.peek_visitor_allowance("somebody", place=place, now=now + DAY).left_today == 5


def test_no_questions_at_all_may_be_the_limit(settings: Any) -> None:
    settings.VISITOR_PER_DAY = 0
    allowance = rate_limits.count_visitor_request("somebody", place="another place", now=1_900_000_000.0)
    assert (allowance.is_refused, allowance.left_today) == (True, 0)


def test_who_goes_from_plugin_to_plugin_is_counted_as_one(settings: Any) -> None:
    settings.VISITOR_PER_MINUTE, settings.VISITOR_PER_DAY = 1, 2
    # A quarter of an hour apart, so that only the day counts.
    refused = [
        rate_limits.count_visitor_request("rover", place=f"place-{number}", now=BEGIN + 900 * number).is_refused
        for number in range(11)
    ]
    assert refused == [False] * 10 + [True]
    at_once = [
        rate_limits.count_visitor_request("hasty", place=f"hasty-{number}", now=BEGIN).is_refused for number in range(6)
    ]
    assert at_once == [False] * 5 + [True]


def test_who_is_refused_uses_up_nothing_of_what_is_left_to_all(settings: Any) -> None:
    settings.VISITOR_PER_MINUTE, settings.VISITORS_PER_DAY = 1, 2
    for number in range(5):
        rate_limits.count_visitor_request("greedy", place=f"elsewhere-{number}", now=BEGIN)
    assert [rate_limits.count_visitor_request("greedy", place="pooled", now=BEGIN).is_refused for _ in range(3)] == [
        True
    ] * 3
    others = [
        rate_limits.count_visitor_request(f"other-{number}", place="pooled", now=BEGIN).is_refused
        for number in range(3)
    ]
    assert others == [False, False, True]
