"""Why the figures of a listing may no longer hold: stored in English, and shown in the language of the page."""

from __future__ import annotations

import re

from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext

_NUMBER_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SUPERSEDED = re.compile(r"(?P<many>[\w,]+) sources? (?:was|were) superseded after it was measured\.")
_OLD = re.compile(r"It was measured more than (?P<days>\d+) days ago\.")
_ASKED_AGAIN = re.compile(r"Asked again since, (?P<passed>\d+) of (?P<total>\d+) golden questions went right\.")


def superseded_sentence(count: int) -> str:
    many = _NUMBER_WORDS[count] if count < len(_NUMBER_WORDS) else f"{count:,}"
    return f"{many.capitalize()} {'source was' if count == 1 else 'sources were'} superseded after it was measured."


def old_sentence(days: int) -> str:
    return f"It was measured more than {days} days ago."


def asked_again_sentence(passed: int, *, total: int) -> str:
    return f"Asked again since, {passed} of {total} golden questions went right."


def shown_attention(sentence: str) -> str:
    """The stored sentence in the language of the page."""
    if found := _SUPERSEDED.fullmatch(sentence):
        word = found["many"].lower()
        count = _NUMBER_WORDS.index(word) if word in _NUMBER_WORDS else int(word.replace(",", ""))
        said = ngettext(
            "%(count)s source was superseded after it was measured.",
            "%(count)s sources were superseded after it was measured.",
            count,
        )
        return said % {"count": number_format(count, force_grouping=True)}
    if found := _OLD.fullmatch(sentence):
        return gettext("It was measured more than %(days)s days ago.") % found.groupdict()
    if found := _ASKED_AGAIN.fullmatch(sentence):
        return gettext("Asked again since, %(passed)s of %(total)s golden questions went right.") % found.groupdict()
    return sentence
