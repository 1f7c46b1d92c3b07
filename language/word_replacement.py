"""Other words in place of some words of a text."""

from __future__ import annotations

import re
from collections.abc import Mapping

from language.scripts import combining_marks


def replace_words(text: str, replacements: Mapping[str, str]) -> str:
    """The text with the value in place of each key that stands in it as whole words, in one pass; capitals make no
    difference. Where two keys overlap the longer one counts."""
    if not replacements:
        return text
    by_words = {words.lower(): one for words, one in replacements.items()}
    longest_first = "|".join(map(re.escape, sorted(replacements, key=len, reverse=True)))
    # Not in a word, nor in a number, a unit or a compound: "2" is not in "2.5", and "4 m" not in "4 m/s".
    start, end = rf"(?<![\w{combining_marks()}])(?<!\d[.,/-])", rf"(?![\w{combining_marks()}]|[.,]\d|[-/]\w)"
    pattern = re.compile(rf"{start}(?:{longest_first}){end}", re.IGNORECASE)
    return pattern.sub(lambda found: by_words.get(found[0].lower(), found[0]), text)
