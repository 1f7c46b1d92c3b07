"""Quotations in an answer: what stands between quotation marks must stand in the source word for word."""

from __future__ import annotations

import re
import unicodedata

from language.whole_words import cuts_number

# Shorter ones are names, titles and scare quotes.
_MIN_QUOTE_WORDS = 3
_MAX_QUOTE_LENGTH = 1500
_QUOTATION = re.compile(
    rf"[“„«]([^“”„«»]{{1,{_MAX_QUOTE_LENGTH}}})[”“»]|\"([^\"]{{1,{_MAX_QUOTE_LENGTH}}})\"|``([^`']{{1,{_MAX_QUOTE_LENGTH}}})''"
    rf"|(?<!\w)'([^'\n]{{1,{_MAX_QUOTE_LENGTH}}})'(?!\w)|‘([^‘’\n]{{1,{_MAX_QUOTE_LENGTH}}})’(?!\w)"
)
# "[T]he cover": only the case of the letter was changed.
_CASE_CHANGED = re.compile(r"\[(\w)\](?=\w)")
_ELLIPSIS = re.compile(r"\s*[\[(]?(?:…|\.\.\.)[\])]?\s*")
_UNIFIED_MARKS = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "‑": "-"}
)
_WHITESPACE = re.compile(r"\s+")


def find_quotations(text: str) -> list[str]:
    """What the text quotes, three words and more."""
    found = ("".join(filter(None, match.groups())) for match in _QUOTATION.finditer(text))
    return [quote for quote in found if len(quote.split()) >= _MIN_QUOTE_WORDS]


def remove_case_brackets(text: str) -> str:
    """ "[T]he cover" as "The cover"."""
    return _CASE_CHANGED.sub(r"\1", text)


def is_verbatim(quote: str, source: str) -> bool:
    """Whether the source has these words in this order. Spaces, kinds of quotation marks, the case of the first
    letter and the punctuation at the end may differ; "…" stands for words that were left out."""
    rest = normalize_quote(source)
    for part in _ELLIPSIS.split(quote):
        wanted = normalize_quote(part).strip(" .,;:!?")
        at = _find_whole_words(wanted, rest)
        if at < 0:
            return False
        rest = rest[at + len(wanted) :]
    return True


def _find_whole_words(wanted: str, text: str) -> int:
    """The place of the quotation, not in the middle of a word or a number; -1 where it is not there."""
    for spelling in dict.fromkeys([wanted, wanted[:1].upper() + wanted[1:], wanted[:1].lower() + wanted[1:]]):
        at = text.find(spelling)
        while at >= 0:
            end = at + len(spelling)
            if not _is_inside_word(text, at) and not _is_inside_word(text, end):
                return at
            at = text.find(spelling, at + 1)
    return -1


def _is_inside_word(text: str, at: int) -> bool:
    """Whether a word or a number goes on across this place."""
    if not 0 < at < len(text):
        return False
    return (text[at - 1].isalnum() and text[at].isalnum()) or cuts_number(text, at)


def normalize_quote(text: str) -> str:
    """Compatible characters unified, white space collapsed, quotation marks and dashes of one kind."""
    return _WHITESPACE.sub(" ", unicodedata.normalize("NFKC", text).translate(_UNIFIED_MARKS)).strip()
