"""Mail addresses and numbers of people in a text: only what its form proves, in time that grows with the text alone.

Names are found by `querying.redaction.person_names`. Not found are postal addresses and numbers that look like any
other number: a phone number needs its country code, the North American form, or a region whose numbers are looked for;
an account number its check digits.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

MAIL, PHONE, ACCOUNT, NAME = "[e-mail address]", "[phone number]", "[account number]", "[name]"

# The look behind each keeps a long run of such characters from being tried from each of them.
_MAIL = re.compile(r"(?<![\w.%+-])[\w.%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![\w-])")
_NORTH_AMERICAN_PHONE = re.compile(r"(?<![\w.(-])(?:\(\d{3}\) ?|\d{3}[-.])\d{3}[-.]\d{4}(?![\w-])")
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}")
_CARD = re.compile(r"(?<![\w.-])\d(?:[ -]?\d){12,18}(?![\w-])")
_SOCIAL_SECURITY = re.compile(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])")
_IBAN_LENGTHS = range(15, 35)
_PLACEHOLDERS = re.compile("|".join(re.escape(word) for word in (MAIL, PHONE, ACCOUNT, NAME)))


def redact_contacts(text: str, *, phone_regions: Sequence[str] = ()) -> str:
    """The text with words in brackets in place of mail addresses, phone numbers, and numbers of accounts (IBAN), cards
    and social security. Of the regions (such as "DE"), phone numbers without a country code are found too."""
    if "@" in text:
        text = _MAIL.sub(MAIL, text)
    text = _IBAN.sub(_redact_iban, text)
    text = _SOCIAL_SECURITY.sub(ACCOUNT, text)
    text = _CARD.sub(lambda found: ACCOUNT if _fits_luhn(found[0]) else found[0], text)
    text = _NORTH_AMERICAN_PHONE.sub(PHONE, text)
    if "+" in text or "＋" in text:
        text = _redact_phones(text, None)
    for region in phone_regions:
        text = _redact_phones(text, region)
    return text


def redact_within(value: Any, redact: Callable[[str], str]) -> Any:
    """The JSON value with `redact` done to every text in it; keys and numbers stay."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {key: redact_within(one, redact) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [redact_within(one, redact) for one in value]
    return value


def find_placeholders(text: str) -> list[tuple[int, int]]:
    """Where the words stand that take the place of something, as (start, end)."""
    return [found.span() for found in _PLACEHOLDERS.finditer(text)] if "[" in text else []


def without_placeholders(text: str) -> str:
    """The text without the words that take the place of something; as it is where nothing else is left."""
    rest = " ".join(_PLACEHOLDERS.sub(" ", text).split()) if "[" in text else text
    return rest if re.search(r"\w", rest) else text


def _redact_phones(text: str, region: str | None) -> str:
    """Without the phone numbers of the region; None: those with a country code."""
    # Imported here, because most texts and lines of a log have none, and it takes a while.
    from phonenumbers import Leniency, PhoneNumberMatcher

    # The library gives up after so many candidates, so that it does not look at all of a long text.
    found = PhoneNumberMatcher(text, region, leniency=Leniency.VALID, max_tries=len(text) + 1)
    parts, end = [], 0
    for match in found:
        parts += [text[end : match.start], PHONE]
        end = match.end
    return "".join([*parts, text[end:]])


def _redact_iban(found: re.Match[str]) -> str:
    """The pattern may have read on into the next word in capitals, so the end is where the check digits fit."""
    written = found[0]
    for end in range(len(written), _IBAN_LENGTHS.start - 1, -1):
        compact = written[:end].replace(" ", "")
        is_cut_word = written[end : end + 1].isalnum() or written[end - 1] == " "
        if len(compact) in _IBAN_LENGTHS and not is_cut_word and _fits_mod_97(compact):
            return ACCOUNT + written[end:]
    return written


def _fits_mod_97(compact: str) -> bool:
    """The check of ISO 13616: letters count as 10 to 35, and country and check digits come last."""
    return int("".join(str(int(sign, 36)) for sign in compact[4:] + compact[:4])) % 97 == 1


def _fits_luhn(written: str) -> bool:
    """The check of ISO/IEC 7812: each second digit from the right is doubled."""
    digits = [int(sign) for sign in reversed(written) if sign.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[1::2]]
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0
