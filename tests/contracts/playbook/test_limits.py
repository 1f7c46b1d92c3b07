from __future__ import annotations

import pytest

from contracts.playbook.limits import LimitVerdict, check_limit, limits_verdict, parse_limit


@pytest.mark.parametrize(
    ("limit", "text", "verdict"),
    [
        ("term ≤ 5 years", "The term is three (3) years.", "kept"),
        ("term ≤ 5 years", "The term is 60 months.", "kept"),
        ("term ≤ 5 years", "The term is 61 months.", "broken"),
        ("term < 5 years", "The term is five years.", "broken"),
        ("term ≤ 5 years", "The duty of secrecy continues in perpetuity.", "broken"),
        ("term ≤ 5 years", "The term is at least three years.", "unclear"),
        ("term ≤ 5 years", "The price is $5.", "unstated"),
        ("payment ≥ 30 days", "Invoices are due within 14 days.", "broken"),
        ("payment ≥ 30 days", "Invoices are due within 60 days.", "kept"),
        ("cap ≤ $1,000,000", "Liability is capped at $2 million.", "broken"),
        ("cap ≤ $1,000,000", "Liability is capped at €2 million.", "unstated"),
        ("term ≤ 5 years", "The term is three years; for trade secrets it continues in perpetuity.", "unclear"),
        ("term ≤ 5 years", "The term is 3 years, and shall be extended without end.", "unclear"),
        ("term ≤ 5 years", "The term is five years and renews automatically.", "unclear"),
        ("term ≤ 5 years", "The duty lasts as long as the information is secret.", "broken"),
        ("term ≥ 1 year", "The term is five years and renews automatically.", "kept"),
        # Which of two figures the limit means, their neighbourhood says.
        ("warranty ≤ 2 years", f"The term is nine years.{' ' * 90}{'x ' * 50}The warranty is one year.", "kept"),
        ("delay ≤ 2 years", "It is one year here, and nine years there.", "unclear"),
    ],
)
def test_limits_are_compared_exactly(limit: str, text: str, verdict: str) -> None:
    assert check_limit(parse_limit(limit), text) == verdict


def test_of_several_limits_a_broken_one_counts() -> None:
    kept, broken, unstated = LimitVerdict.KEPT, LimitVerdict.BROKEN, LimitVerdict.UNSTATED
    assert limits_verdict([kept, broken]) == broken
    assert limits_verdict([kept, unstated]) == kept
    assert limits_verdict([]) == unstated
