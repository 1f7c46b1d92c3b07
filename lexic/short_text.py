"""The beginning of a text, for lists and titles."""

from __future__ import annotations

_NOT_AT_THE_END = " \n,;:.–—"


def shorten(text: str, length: int) -> str:
    """At most so many characters, cut between words; within a word only where the text has no other place."""
    if len(text) <= length:
        return text
    cut, follows = text[: length - 1], text[length - 1]
    is_cut_in_word = not follows.isspace() and not cut[-1:].isspace()
    words = cut.rsplit(maxsplit=1)[0] if is_cut_in_word and any(map(str.isspace, cut)) else cut
    kept = words if len(words) > length // 2 else cut
    return f"{kept.rstrip(_NOT_AT_THE_END)}…"
