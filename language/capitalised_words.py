"""Words that English writes with a capital inside a sentence: those of names."""

from __future__ import annotations

import re

# Behind a word, a comma or a semicolon. Behind another sign a sentence, a cell of a table or a list's item may begin.
_CAPITALISED_WORD = re.compile(r"(?<=[\w,;] )[A-Z][\w'’-]*")


def capitalised_words(text: str) -> list[str]:
    """The words with a capital that begin no sentence, as written. What other languages write so says nothing."""
    return _CAPITALISED_WORD.findall(text)
