"""Whether a text has a phrase as whole words and whole numbers: “4.00” is not in “14.00”, nor “no” in “not”."""

from __future__ import annotations

import re

_DIGITS_AND_MARK = re.compile(r"\d[.,]\d")


def has_whole_words(phrase: str, text: str) -> bool:
    """Whether the phrase stands there, and no word or number goes on before or behind it."""
    at = text.find(phrase)
    while at >= 0:
        if not _cuts_word(text, at) and not _cuts_word(text, at + len(phrase)):
            return True
        at = text.find(phrase, at + 1)
    return False


def cuts_number(text: str, at: int) -> bool:
    """Whether a number with a point or a comma goes on across this place."""
    return _DIGITS_AND_MARK.search(text[max(0, at - 2) : at + 2]) is not None


def _cuts_word(text: str, at: int) -> bool:
    """Whether a word or a number goes on across this place: “45mm” is a number and a word, “S3” is one word."""
    if not 0 < at < len(text):
        return False
    before, after = text[at - 1], text[at]
    if before.isdigit():
        return after.isdigit() or cuts_number(text, at)
    return (_is_cased(before) and (_is_cased(after) or after.isdigit())) or cuts_number(text, at)


def _is_cased(letter: str) -> bool:
    """Only of alphabets with capitals. Chinese, Thai and others write no spaces; Korean, Arabic and Hebrew write short
    words and the noun together."""
    return letter.islower() or letter.isupper()
