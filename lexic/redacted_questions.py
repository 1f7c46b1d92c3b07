"""What people ask, as the site takes it: without their mail addresses and numbers, where the site wants that.

It is done where a question comes in (`querying.types.Question`, and what is stored before one is made of it), so that
what is derived from a question, a refusal's reason or a webhook's payload, cannot repeat them.
"""

from __future__ import annotations

from typing import TypeVar

from django.conf import settings

from language.personal_data import redact_contacts_within

T = TypeVar("T")


def redact_question(value: T) -> T:
    """The text, or the JSON value with all its texts, as LEXIC_REDACT_QUESTIONS wants it."""
    if not settings.REDACT_QUESTIONS:
        return value
    redacted: T = redact_contacts_within(value, phone_regions=settings.PHONE_REGIONS)
    return redacted
