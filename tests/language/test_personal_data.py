"""Mail addresses and numbers are found by their form, and what only looks a little like them stays."""

from __future__ import annotations

import pytest

from language.personal_data import (
    ACCOUNT,
    MAIL,
    PHONE,
    redact_contacts,
    redact_within,
    without_placeholders,
)
from tests.linear_time import grows_linearly


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("Write to bob.smith+x@ex-ample.co.uk, please.", f"Write to {MAIL}, please."),
        ("<ana@example.org>", f"<{MAIL}>"),
        ("Call +49 171 234 56 78 or (555) 123-4567.", f"Call {PHONE} or {PHONE}."),
        ("555-123-4567 and +442071234567", f"{PHONE} and {PHONE}"),
        ("+49 (0)30 1234567 ext. 12, +43 1 58858-0", f"{PHONE}, {PHONE}"),
        ("IBAN DE89 3704 0044 0532 0130 00 AND SO ON", f"IBAN {ACCOUNT} AND SO ON"),
        ("GB82WEST12345698765432", ACCOUNT),
        ("card 4111 1111 1111 1111, please", f"card {ACCOUNT}, please"),
        ("card 4111-1111-1111-1111", f"card {ACCOUNT}"),
        ("078-05-1120", ACCOUNT),
    ],
)
def test_what_the_form_proves_is_redacted(text: str, redacted: str) -> None:
    assert redact_contacts(text) == redacted


@pytest.mark.parametrize(
    "text",
    [
        "EN 1992-1-1:2004, table 4.4N, 45 mm to 2.500 mm",
        "DE89 3704 0044 0532 0130 02",  # check digits that do not fit
        "card 4111 1111 1111 1112",
        "3f2504e0-4f89-41d3-9a0c-0305e82c3301 at 2026-11-24 12:00:00",
        "127.0.0.1:8000, version 1.2.3, page 12-14, +3 dB, 2+2=4",
        "worker@host is ready; @property; a@b",
        "loads of 200 300 4000 N",
        "+20 000 000 EUR and +100000000",
    ],
)
def test_other_numbers_stay(text: str) -> None:
    assert redact_contacts(text) == text


def test_a_region_has_phone_numbers_without_a_country_code() -> None:
    text = "Call 030/1234567 or 0171 2345678; loads of 250 kN at 2.50 m, DIN 1045-1:2008-08."
    assert redact_contacts(text) == text
    assert redact_contacts(text, phone_regions=["AT", "DE"]) == text.replace("030/1234567", PHONE).replace(
        "0171 2345678", PHONE
    )


def test_every_text_of_a_json_value_is_redacted_and_nothing_else_is_changed() -> None:
    value = {"a@b.org": ["a@b.org", {"n": 4111111111111111, "t": True, "x": None}], "plain": ("c@d.org",)}
    assert redact_within(value, redact_contacts) == {
        "a@b.org": [MAIL, {"n": 4111111111111111, "t": True, "x": None}],
        "plain": [MAIL],
    }


def test_placeholders_can_be_left_out_of_what_is_searched_for() -> None:
    assert without_placeholders(f"I am {MAIL}. Which cover [a] is it?") == "I am . Which cover [a] is it?"
    assert without_placeholders(f"{PHONE}?") == f"{PHONE}?"


@pytest.mark.parametrize(
    "unit", ["a", "1", "+1", "1-", "a@", "a.", "A1", "AB12 ", "(5", "1 ", "@a.", "DE89 3", "+49 171 2345678 ", "+"]
)
def test_a_long_text_costs_linear_time(unit: str) -> None:
    assert grows_linearly(redact_contacts, unit, scale=16)
