"""What somebody may have meant whose words stand in no listing: the most similar words that do."""

from __future__ import annotations

import re
from typing import Any

from django.db import connection

from marketplace.catalogue.sql import statement
from marketplace.catalogue.wanted import Words, parsed

# The share of letters by three that a word and what was meant by it have in common, as pg_trgm counts them. Two letters
# changed places in a word of eight: 0.38.
ALIKE = 0.35
_SHORTEST, _LONGER_BY = 4, 3
_MOST_WORDS = 50_000
_NO_LETTER = re.compile(r"[\W\d_]")


def learn() -> None:
    """Know the words of what is on the air now. One statement."""
    with connection.cursor() as cursor:
        cursor.execute(statement("replace_words"), {"most": _MOST_WORDS})


def meant_by(words: str) -> str:
    """The search with its misspelt words put right, and without those that nothing is like; empty where that changes
    nothing. One statement, none where no word is asked for."""
    asked = parsed(words)
    if not asked.plain:
        return ""
    letters = [_NO_LETTER.sub("", word).lower() for word in asked.plain]
    values: dict[str, Any] = {
        "said": list(asked.plain),
        "words": letters,
        "shortest": _SHORTEST,
        "longer_by": _LONGER_BY,
        "alike": ALIKE,
    }
    with connection.cursor() as cursor:
        cursor.execute(statement("near_words"), values)
        found = cursor.fetchall()
    if not any(near for _, near in found):
        return ""
    pairs = zip(asked.plain, found, strict=True)
    return _written(asked, plain=[near or word for word, (is_known, near) in pairs if is_known or near])


def _written(asked: Words, *, plain: list[str]) -> str:
    phrases = [f'"{phrase}"' for phrase in asked.phrases]
    return " ".join([*plain, *phrases, *(f'-"{one}"' for one in asked.excluded)])
