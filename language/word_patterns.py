"""Patterns of words and phrases, written as a person would list them."""

from __future__ import annotations

import re


def word_pattern(words: str, *, behind: str = "") -> re.Pattern[str]:
    """A pattern of whole words in any case: `must|have to`, where a space is any white space.

    `behind` is a pattern of its own for what follows the word, such as a lookahead.
    """
    spaced = words.strip().replace(" ", r"\s+")
    return re.compile(rf"\b(?:{spaced})\b{behind}", re.IGNORECASE)
