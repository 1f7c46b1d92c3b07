"""Removes personal data from questions, if the site is set so.

A question is redacted when it is made (`querying.types.question.Question`), or earlier where its words are stored
before that. So nothing that is derived from it, such as the reason of a refusal or the payload of a webhook, holds
personal data.
"""

from __future__ import annotations

from typing import TypeVar

from django.conf import settings

from language.personal_data import NAME, find_placeholders, redact_contacts, redact_within

T = TypeVar("T")


def redact_question(value: T) -> T:
    """The text, or the JSON value with all its texts, without e-mail addresses and numbers (as LEXIC_REDACT_QUESTIONS
    says) and without names of people (as LEXIC_REDACT_NAMES says)."""
    if not settings.REDACT_QUESTIONS:
        return value
    redacted: T = redact_within(value, _redact_text)
    return redacted


def _redact_text(text: str) -> str:
    text = redact_contacts(text, phone_regions=settings.PHONE_REGIONS)
    return redact_names(text) if settings.REDACT_NAMES else text


def redact_names(text: str) -> str:
    """The text with "[name]" in place of each name of a person; everything else is unchanged."""
    # Imported here, because few sites use it and it loads the local model.
    from querying.redaction.person_names import find_person_names

    placeholders = find_placeholders(text)
    parts, end = [], 0
    for start, after in find_person_names(text):
        if not any(start < last and first < after for first, last in placeholders):
            parts += [text[end:start], NAME]
            end = after
    return "".join([*parts, text[end:]])
