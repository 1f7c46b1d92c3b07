from __future__ import annotations

import pytest

from querying.verify.conflicts import disagree

SEVERE = "For severe exposure the nominal cover of a beam is 45 mm."


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (SEVERE, "The nominal cover of a beam for severe exposure is 50 mm."),
        (SEVERE, "For severe exposure the nominal cover of a beam is 5 cm."),
        ("The fee for late payment is $40.", "The fee for late payment is $50."),
        ("The plan covers cosmetic surgery abroad.", "The plan does not cover cosmetic surgery abroad."),
    ],
)
def test_another_value_or_a_denial_of_the_same_is_a_conflict(one: str, other: str):
    assert disagree(one, other)
    assert disagree(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (SEVERE, SEVERE),
        (SEVERE, "For severe exposure the nominal cover of a beam is 4.5 cm."),
        (SEVERE, "For severe exposure the nominal cover of a column is 50 mm."),  # another subject
        (SEVERE, "For mild exposure the nominal cover of a beam is 20 mm."),
        (SEVERE, "For very severe exposure the nominal cover of a beam is 50 mm."),
        (SEVERE, "For severe exposure the nominal cover of a beam is at least 40 mm."),  # another bound
        (SEVERE, "For severe exposure the nominal cover of a beam is 40–50 mm."),  # a range that holds it
        (SEVERE, "For severe exposure the nominal cover of a beam costs 50 dollars."),
        ("In 2019 the tax rate was 20%.", "In 2020 the tax rate was 21%."),
        ("Grade M25 concrete needs 300 kg of cement.", "Grade M30 concrete needs 320 kg of cement."),
    ],
)
def test_what_may_both_be_true_is_no_conflict(one: str, other: str):
    assert not disagree(one, other)
    assert not disagree(other, one)
