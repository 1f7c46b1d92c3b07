"""Quotations in an answer: what stands between quotation marks must stand in the source word for word."""

from __future__ import annotations

import re
import unicodedata

# Shorter ones are names, titles and scare quotes.
_FEWEST_WORDS = 3
_LONGEST = 1500
_QUOTED = re.compile(
    rf"[“„«]([^“”„«»]{{1,{_LONGEST}}})[”“»]|\"([^\"]{{1,{_LONGEST}}})\"|``([^`']{{1,{_LONGEST}}})''"
    rf"|(?<!\w)'([^'\n]{{1,{_LONGEST}}})'(?!\w)|‘([^‘’\n]{{1,{_LONGEST}}})’(?!\w)"
)
# "[T]he cover": only the case of the letter was changed.
_CASE_CHANGED = re.compile(r"\[(\w)\](?=\w)")
_LEFT_OUT = re.compile(r"\s*[\[(]?(?:…|\.\.\.)[\])]?\s*")
_MARKS = str.maketrans(
    {"“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "‑": "-"}
)
_SPACE = re.compile(r"\s+")


def quotations(text: str) -> list[str]:
    """What the text quotes, three words and more."""
    found = ("".join(filter(None, match.groups())) for match in _QUOTED.finditer(text))
    return [quote for quote in found if len(quote.split()) >= _FEWEST_WORDS]


def unbracketed(text: str) -> str:
    """ "[T]he cover" as "The cover"."""
    return _CASE_CHANGED.sub(r"\1", text)


def is_verbatim(quote: str, source: str) -> bool:
    """Whether the source has these words in this order. Spaces, kinds of quotation marks, the case of the first
    letter and the punctuation at the end may differ; "…" stands for words that were left out."""
    rest = normal(source)
    for part in _LEFT_OUT.split(quote):
        wanted = normal(part).strip(" .,;:!?")
        at = _find(wanted, rest)
        if at < 0:
            return False
        rest = rest[at + len(wanted) :]
    return True


def _find(wanted: str, text: str) -> int:
    """Where it stands, not in the middle of a word or a number; -1 where it does not."""
    for spelling in dict.fromkeys([wanted, wanted[:1].upper() + wanted[1:], wanted[:1].lower() + wanted[1:]]):
        at = text.find(spelling)
        while at >= 0:
            end = at + len(spelling)
            if not _joins(text, at) and not _joins(text, end):
                return at
            at = text.find(spelling, at + 1)
    return -1


def _joins(text: str, at: int) -> bool:
    """Whether a word or a number goes on across this place."""
    if not 0 < at < len(text):
        return False
    if text[at - 1].isalnum() and text[at].isalnum():
        return True
    around = text[max(0, at - 2) : at + 2]
    return re.search(r"\d[.,]\d", around) is not None


def normal(text: str) -> str:
    """Compatible characters unified, white space collapsed, quotation marks and dashes of one kind."""
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text).translate(_MARKS)).strip()
