"""What people ask, as the site takes it: without what tells who they are, where the site wants that.

It is done where a question comes in (`querying.types.Question`, and what is stored before one is made of it), so that
what is derived from a question, a refusal's reason or a webhook's payload, cannot repeat it.
"""

from __future__ import annotations

from typing import TypeVar

from django.conf import settings

from language.personal_data import NAME, find_placeholders, redact_contacts, redact_within

T = TypeVar("T")


def redact_question(value: T) -> T:
    """The text, or the JSON value with all its texts, without mail addresses and numbers as LEXIC_REDACT_QUESTIONS
    wants it, and without names of people as LEXIC_REDACT_NAMES does."""
    if not settings.REDACT_QUESTIONS:
        return value
    redacted: T = redact_within(value, _redact_text)
    return redacted


def _redact_text(text: str) -> str:
    text = redact_contacts(text, phone_regions=settings.PHONE_REGIONS)
    return redact_names(text) if settings.REDACT_NAMES else text


def redact_names(text: str) -> str:
    """The text with "[name]" in place of each name of a person, and everything else as it is."""
    # Imported here, because few sites want it, and it brings the local model along.
    from querying.redaction.person_names import find_person_names

    placeholders = find_placeholders(text)
    parts, end = [], 0
    for start, after in find_person_names(text):
        if not any(start < last and first < after for first, last in placeholders):
            parts += [text[end:start], NAME]
            end = after
    return "".join([*parts, text[end:]])
