"""What a sentence excludes: "away from the coast" is about every place but the coast, and yet has the word.

The common word makes such a sentence look like an answer to a question about the coast, when it is the opposite.
"Not for" and "except" do not count as exclusions: they may be the answer.
"""

from __future__ import annotations

import re
from functools import lru_cache

from language.terms import terms

_EXCLUDING_PHRASE = re.compile(
    r"\b(?:away\s+from|far\s+from|outside(?:\s+of)?|other\s+than|instead\s+of|rather\s+than)"
    r"\s+((?:(?:the|a|an|any|its|their|this|that)\s+)?[^\s,.;:()]{2,30}(?:\s+[^\s,.;:()]{2,30}){0,2})",
    re.IGNORECASE,
)
# "coast" and "coastal" have at least this many letters in common, and at most this many more.
_MIN_ROOT_LETTERS, _MAX_ENDING_LETTERS = 4, 3


def excluded_words(sentence: str, question: str) -> str:
    """The words by which the sentence excludes what the question asks about; empty when it does not.

    A question that excludes the same thing itself is answered by such a sentence.
    """
    if not (excluded := _excluded_phrases(sentence)):
        return ""  # true of most sentences, so the question need not be stemmed
    own = _excluded_phrases(question)
    asked = frozenset(terms(question)) - frozenset(stem for _, stems in own for stem in stems)
    for words, stems in excluded:
        if any(_share_root(stem, other) for stem in stems for other in asked):
            return words
    return ""


@lru_cache(maxsize=2048)
def _excluded_phrases(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    return tuple(
        (" ".join(found.group().split()), frozenset(terms(found[1])[:2])) for found in _EXCLUDING_PHRASE.finditer(text)
    )


def _share_root(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    return one == other or (
        len(short) >= _MIN_ROOT_LETTERS and long.startswith(short) and len(long) - len(short) <= _MAX_ENDING_LETTERS
    )
