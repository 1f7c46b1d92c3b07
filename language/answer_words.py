"""The “yes” before a sentence: it answers the question, and no page says it."""

from __future__ import annotations

_YES = ("yes", "ja", "oui", "sí", "sì", "sim", "हाँ", "हां", "是的", "是", "نعم")
_MARKS = ",:;.!–—，：；。！،؛"


def without_leading_yes(text: str) -> str:
    """“Yes: a keelboat carries five.” is “a keelboat carries five.” Where nothing follows, or no mark stands between,
    the text stays as it is."""
    bare = text.lstrip()
    for word in _YES:
        if bare[: len(word)].casefold() == word:
            mark, rest = bare[len(word) :].lstrip()[:1], bare[len(word) :].lstrip()[1:].lstrip()
            return rest if mark and mark in _MARKS and rest else text
    return text
