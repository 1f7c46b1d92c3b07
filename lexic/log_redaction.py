"""Lines of the log, without secrets (keys, links that were mailed, passwords in addresses, settings), without
mail addresses and numbers of people, and without what somebody searched for or a row of the database holds."""

from __future__ import annotations

import logging
import re
from functools import cache

from django.conf import settings

from language.personal_data import redact_contacts
from lexic.middleware.request_id import current_request_id

# What is found first stays; the rest of the match is left out.
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(lx[ar]?_[A-Za-z0-9_-]{8})[A-Za-z0-9_-]{35}",  # of a key its beginning stays, which tells it from others
        r"(/accounts/confirm-email/|/accounts/password/reset/key/)[^\s/?\"'<>]+",
        r"(/invitations/|/mail/unsubscribe/|/expert-replies/)[^\s/?\"'<>]+",
        r"(/answers/)[^\s?\"'<>]+",  # a link to an answer, with the proof of who made it
        r"([?&](?:code|state|token|key|secret|password|access_token|id_token|followup)=)(?!lx_)[^\s&\"'<>]+",
        # What was searched for, in the address of a page.
        r"([?&](?:q|question|sentence|facts|title|email|login|filter)=)[^\s&\"'<>]+",
        # PostgreSQL shows the row that it refuses.
        r"(Failing row contains \()[^\n]*",
        r"(Key \([^\n=]{1,200}\)=\()[^\n]*",
        r"(://[^\s/:@]*:)[^\s/@]+(?=@)",  # a password in an address
        r"(?i)(\bauthorization\W{1,4}(?:bearer|basic)\s+)(?!lx[ar]?_)[^\s\"',]+",
    )
)
_MIN_SECRET_LENGTH = 8
_NAMES_OF_SECRETS = re.compile(r"(?:^|_)(?:KEY|SECRET|PASSWORD|TOKEN)$")


class RedactingFormatter(logging.Formatter):
    """Leaves secrets out, whether they stand in the message or in a traceback. `%(request)s` is the id of the request
    that is being answered, in brackets, and empty outside of one."""

    def format(self, record: logging.LogRecord) -> str:
        current = current_request_id()
        vars(record)["request"] = f" [{current}]" if current else ""
        return redact(super().format(record))


def redact(text: str) -> str:
    """The text with "…", or a word in brackets, in place of what must not be read in a log."""
    for pattern in _PATTERNS:
        text = pattern.sub(r"\1…", text)
    for secret in _secrets_of_settings():
        text = text.replace(secret, "…")
    return redact_contacts(text)


@cache
def _secrets_of_settings() -> tuple[str, ...]:
    """What the operator has set under a name such as `SECRET_KEY`, also in the dictionaries of providers."""
    return tuple(_find_secrets({name: getattr(settings, name) for name in dir(settings) if name.isupper()}))


def _find_secrets(values: object, name: str = "") -> list[str]:
    if isinstance(values, dict):
        return [secret for key, value in values.items() for secret in _find_secrets(value, str(key))]
    if isinstance(values, list | tuple):
        return [secret for value in values for secret in _find_secrets(value, name)]
    is_secret = isinstance(values, str) and len(values) >= _MIN_SECRET_LENGTH and _NAMES_OF_SECRETS.search(name.upper())
    return [str(values)] if is_secret else []
